/*
 * DPOR in polynomial space (UNF_EAGER): what could have happened instead is turned to as soon as
 * its run ends, and nothing waits but the runs that were left for it, one within the other. The
 * aims are those of "Parsimonious Optimal Dynamic Partial Order Reduction" (Abdulla, Atig, Das,
 * Jonsson, Sagonas, CAV 2024): a race is reversed in one run only, at once, with neither sleep sets
 * nor wakeup trees. The way is reverse search: "A New Algorithm for Generating All the Maximal
 * Independent Sets" (Tsukiyama, Ide, Ariyoshi, Shirakawa, SIAM J. Comput. 1977), over events.
 *
 * All events that there can be have one order <: by depth, the number of events on the longest
 * chain of causes, then by thread, then by name; so causes come first. A run takes the least event
 * that is enabled, so that its steps ascend. Let U(g) be the events up to g, and R a maximal
 * configuration of those before g. Of the maximal configurations of U(g), its children are
 * 1. R ∪ {g} if g is enabled at R, else R: the run goes on;
 * 2. where g conflicts with R, that is g ∈ cex(R): X ∪ {g}, where X is what R has without all that
 *    conflicts with g, if X ∪ {g} is maximal in U(g), and R is what a run makes of X by its own
 *    choice of the events before g. This is the turn from R to g.
 * Each maximal configuration of U(g) has one parent: itself, or, if it has g, what a run makes of
 * it without g. And each R has a child. So the executions are the leaves of a tree that has no
 * other leaves, and each comes up once. Whether a turn is made does not depend on what comes after
 * g: all events in question have their causes in R, so they are in cex(R).
 *
 * The turns of a run are those that come after the one that it began with. They are found in this
 * order, a few at a time; with the last one that was made, the next are found again. So for a chain
 * of suspended runs, whose turns ascend, their steps are held and a bounded number of turns.
 *
 * Going back to a suspended run can be refused at every step and made again.
 */
#include "exploration/explorer.h"

#include <string.h>

#include "base/sort.h"

/* Turns of a run that are kept at a time. */
#define TURNS_KEPT 1024u

void unfi_eager_end(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct eager *e = &x->eager;
  vector_free(context, &e->ranks);
  vector_free(context, &e->causes);
  vector_free(context, &e->ready);
  vector_free(context, &e->suspended);
  vector_free(context, &e->held);
  vector_free(context, &e->turns);
  vector_free(context, &e->rivals);
  vector_free(context, &e->ascending);
  vector_free(context, &e->conflicts);
  vector_free(context, &e->gone);
}

/* ---- the order ---- */

/* Ranks all events interned so far; false: refused. */
static bool rank(unf_explorer *x) {
  const unf_unfolding *u = x->u;
  struct eager *e = &x->eager;
  struct rank bottom = {0, 0};
  if (!vector_reserve(u->context, &e->ranks, u->event_count)) return false;
  if (e->ranks.count == 0) vector_push(&e->ranks, bottom);
  while (e->ranks.count < u->event_count) {
    uint32_t event = e->ranks.count, depth = 0;
    uint64_t name = event_at(u, event)->action;
    if (!vector_reserve(u->context, &e->causes, 2ull * unfi_predecessor_bound(u, event)))
      return false;
    uint32_t count = unfi_followed_events(u, event, e->causes.data);
    for (uint32_t i = 0; i < count; i++) {
      struct rank cause = e->ranks.data[e->causes.data[i]];
      if (cause.depth > depth) depth = cause.depth;
      name = mix(name, cause.name);
    }
    struct rank rank = {depth + 1, (uint32_t)mix(name, 0)};
    vector_push(&e->ranks, rank);
  }
  return true;
}

static int compare_words(uint32_t a, uint32_t b) {
  return a < b ? -1 : a > b;
}

/* Events that are given back and met again stand where they stood: nothing but their names counts.
 * Both are ranked, so there is room for their causes. */
static int compare(const void *user, uint32_t a, uint32_t b) {
  const unf_explorer *x = user;
  const unf_unfolding *u = x->u;
  const struct eager *e = &x->eager;
  while (a != b) {
    struct rank first = e->ranks.data[a], second = e->ranks.data[b];
    if (first.depth != second.depth) return compare_words(first.depth, second.depth);
    uint32_t thread = action_of(u, a)->thread, other = action_of(u, b)->thread;
    if (thread != other) return compare_words(thread, other);
    if (first.name != second.name) return compare_words(first.name, second.name);
    uint32_t action = event_at(u, a)->action, another = event_at(u, b)->action, i = 0;
    if (action != another) return compare_words(action, another);
    uint32_t *left = e->causes.data, *right = left + e->causes.capacity / 2;
    uint32_t some = unfi_followed_events(u, a, left), others = unfi_followed_events(u, b, right);
    while (i < some && i < others && left[i] == right[i])
      i++;
    if (i == some || i == others) return compare_words(some, others);
    a = left[i];
    b = right[i];
  }
  return 0;
}

static bool is_before(const unf_explorer *x, uint32_t a, uint32_t b) {
  return compare(x, a, b) < 0;
}

/* ---- a step ---- */

struct choosing {
  unf_explorer *x;
  uint32_t least; /* event, or 0 */
  unf_status status;
};

static bool consider(void *user, const unf_action *action) {
  struct choosing *c = user;
  unf_explorer *x = c->x;
  struct causes causes;
  uint32_t event;
  c->status = unfi_causes(x->u, configuration_cut(&x->C), action, &causes);
  if (c->status == UNF_OK) c->status = unfi_event_intern(x->u, &causes, &event);
  if (c->status == UNF_OK && !rank(x)) c->status = unfi_refused(x->u->context);
  if (c->status != UNF_OK) return false;
  if (c->least == 0 || is_before(x, event, c->least)) c->least = event;
  return true;
}

/* Whether the operation that can become an event may have become others by a step: those of one
 * object, for another waiter is another choice. */
static bool may_change(const unf_unfolding *u, uint32_t event, uint32_t step) {
  const struct action *a = action_of(u, event), *b = action_of(u, step);
  return a->kind == UNF_DID_CUSTOM || a->target == b->target || a->target == b->second ||
         a->second == b->target || a->second == b->second || unfi_dependent(u, a, b);
}

/* What the last step left as it was of what threads are ready to do. */
static void keep_ready(unf_explorer *x) {
  struct eager *e = &x->eager;
  bool first = x->at == x->base + x->clue.count;
  uint32_t last = first ? NONE : x->path.data[x->path.count - 1].event;
  for (uint32_t t = 0; t < x->u->threads.count; t++) {
    uint32_t event = e->ready.data[t];
    if (first || (event != 0 && may_change(x->u, event, last))) e->ready.data[t] = 0;
  }
}

unf_status unfi_eager_step(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct eager *e = &x->eager;
  uint32_t least = 0;
  if (!vector_reserve_zero(u->context, &e->ready, u->threads.count))
    return unfi_refused(u->context);
  struct cut C = configuration_cut(&x->C);
  keep_ready(x);
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    if (e->ready.data[t] == 0) {
      struct choosing choosing = {x, 0, UNF_OK};
      uint32_t next = next_after(u, t, last);
      if (next == 0) return unfi_missing(u, t);
      unf_status status = unfi_outcomes(u, C, t, next, consider, &choosing);
      if (status == UNF_OK) status = choosing.status;
      if (status != UNF_OK) return status;
      e->ready.data[t] = choosing.least;
    }
    uint32_t event = e->ready.data[t];
    if (event != 0 && (least == 0 || is_before(x, event, least))) least = event;
  }
  x->step.kind = least == 0 ? UNF_STEP_MAXIMAL : UNF_STEP_ACTION;
  if (least != 0) x->step.action = unfi_action(u, event_at(u, least)->action);
  e->chosen = least;
  return UNF_OK;
}

/* ---- turns ---- */

/* Whether an event that is not among the causes of another conflicts with it directly. */
static bool against(const unf_unfolding *u, uint32_t event, uint32_t other) {
  return unfi_dependent(u, action_of(u, event), action_of(u, other)) &&
         !unfi_precedes(u, event, other);
}

struct listing {
  unf_explorer *x;
  uint32_t own;
  unf_status status;
};

static bool list(void *user, const struct causes *causes) {
  struct listing *in = user;
  unf_explorer *x = in->x;
  unf_context *context = x->u->context;
  struct reversals *r = &x->reversals;
  struct eager *e = &x->eager;
  struct rival rival = {0, in->own, 0, NONE};
  in->status = unfi_event_intern(x->u, causes, &rival.event);
  if (in->status != UNF_OK) return false;
  if (!unfi_known_reserve(x) || !vector_reserve_zero(context, &r->stamps, x->u->event_count) ||
      !vector_reserve(context, &e->rivals, (uint64_t)e->rivals.count + 1)) {
    in->status = unfi_refused(context);
    return false;
  }
  unfi_known_add(x, rival.event);
  if (r->stamps.data[rival.event] == r->stamp) return true;
  r->stamps.data[rival.event] = r->stamp;
  vector_push(&e->rivals, rival);
  return true;
}

/* Lists cex of the run at hand. */
static unf_status list_rivals(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct reversals *r = &x->reversals;
  struct cut C = configuration_cut(&x->C);
  struct listing in = {x, NONE, UNF_OK};
  unf_status status = UNF_OK;
  if (++r->stamp == 0) {
    vector_free(u->context, &r->stamps);
    r->stamp = 1;
  }
  x->eager.rivals.count = 0;
  for (uint32_t i = 0; status == UNF_OK && i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event, thread = action_of(u, event)->thread;
    in.own = i;
    status = unfi_conflicting(u, C, thread, event_at(u, event)->before, event, list, &in);
    if (status == UNF_OK) status = in.status;
  }
  in.own = NONE;
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    status = unfi_conflicting(u, C, t, last, NONE, list, &in);
    if (status == UNF_OK) status = in.status;
  }
  return status;
}

static int compare_rivals(const void *user, uint32_t a, uint32_t b) {
  const unf_explorer *x = user;
  return compare(x, x->eager.rivals.data[a].event, x->eager.rivals.data[b].event);
}

/* Words for a bit for each of so many steps. */
static uint32_t words_for(uint32_t steps) {
  return (steps + 63) / 64;
}

/* Puts them in the order, and the run beside, with room for what turns are found by; false:
 * refused. */
static bool order_rivals(unf_explorer *x) {
  struct eager *e = &x->eager;
  unf_context *context = x->u->context;
  uint32_t place = 0, words = words_for(x->path.count);
  if (!rank(x) || !vector_reserve(context, &e->ascending, e->rivals.count) ||
      !vector_reserve(context, &e->gone, words) ||
      !vector_reserve(context, &e->conflicts, (uint64_t)e->rivals.count * words) ||
      !vector_reserve(context, &e->turns, (uint64_t)e->first_turn + TURNS_KEPT))
    return false;
  e->ascending.count = e->conflicts.count = 0;
  for (uint32_t i = 0; i < e->rivals.count; i++)
    vector_push(&e->ascending, i);
  unfi_sort_by(e->ascending.data, e->ascending.count, compare_rivals, x);
  for (uint32_t i = 0; i < e->ascending.count; i++) {
    struct rival *rival = &e->rivals.data[e->ascending.data[i]];
    while (place < x->path.count && is_before(x, x->path.data[place].event, rival->event))
      place++;
    rival->place = place;
  }
  return true;
}

static bool is_set(const uint64_t *bits, uint32_t i) {
  return bits[i / 64] >> i % 64 & 1;
}

/* Marks the steps before a place that conflict with an event, or come after one that does; false:
 * there are none. */
static bool take_out(const unf_explorer *x, uint32_t event, uint32_t place) {
  uint64_t *gone = x->eager.gone.data;
  bool some = false;
  memset(gone, 0, words_for(x->path.count) * sizeof *gone);
  for (uint32_t p = 0; p < place; p++) {
    uint32_t rival = x->path.data[p].event;
    if (is_set(gone, p) || !against(x->u, rival, event)) continue;
    some = true;
    for (uint32_t q = p; q < place; q++)
      if (unfi_precedes(x->u, rival, x->path.data[q].event)) gone[q / 64] |= 1ull << q % 64;
  }
  return some;
}

/* The steps of the run that a rival conflicts with; there is room. */
static const uint64_t *conflicts_of(unf_explorer *x, struct rival *h) {
  struct eager *e = &x->eager;
  uint32_t words = words_for(x->path.count);
  if (h->words == NONE) {
    h->words = e->conflicts.count;
    e->conflicts.count += words;
    uint64_t *bits = e->conflicts.data + h->words;
    memset(bits, 0, words * sizeof *bits);
    for (uint32_t p = 0; p < x->path.count; p++)
      if (against(x->u, x->path.data[p].event, h->event)) bits[p / 64] |= 1ull << p % 64;
  }
  return e->conflicts.data + h->words;
}

/* The first step before a place that a rival conflicts with, if all of these are gone; else NONE.
 */
static uint32_t first_of_gone(unf_explorer *x, struct rival *h, uint32_t place) {
  const uint64_t *gone = x->eager.gone.data, *bits = conflicts_of(x, h);
  uint32_t first = NONE;
  for (uint32_t i = 0; i < words_for(place); i++) {
    uint32_t rest = place - 64 * i;
    uint64_t word = rest < 64 ? bits[i] & ((1ull << rest) - 1) : bits[i];
    if ((word & ~gone[i]) != 0) return NONE;
    if (word != 0 && first == NONE) first = 64 * i + (uint32_t)__builtin_ctzll(word);
  }
  return first;
}

/* Of an event h before g, when the steps up to g that conflict with g are out: whether a run would
 * take h instead of putting those back that come after h; or h could be taken together with g. */
static bool spoils(unf_explorer *x, struct rival *h, const struct rival *g) {
  const unf_unfolding *u = x->u;
  const uint64_t *gone = x->eager.gone.data;
  if (h->own < g->place && !is_set(gone, h->own)) return false;
  uint32_t first = first_of_gone(x, h, g->place);
  if (first == NONE) return false;
  if (first >= h->place) return true;
  if (unfi_dependent(u, action_of(u, h->event), action_of(u, g->event))) return false;
  for (uint32_t p = 0; p < h->place; p++)
    if (is_set(gone, p) && unfi_precedes(u, x->path.data[p].event, h->event)) return false;
  return true;
}

static struct rival *rival_at(const unf_explorer *x, uint32_t i) {
  return &x->eager.rivals.data[x->eager.ascending.data[i]];
}

static bool is_turn(unf_explorer *x, uint32_t i) {
  const struct rival *g = rival_at(x, i);
  x->counts.alternatives.searches++;
  if (!take_out(x, g->event, g->place)) return false;
  for (uint32_t j = 0; j < i; j++)
    if (spoils(x, rival_at(x, j), g)) return false;
  return true;
}

/* The next turns of the run at hand, which stands at its end. */
static unf_status find_turns(unf_explorer *x) {
  struct eager *e = &x->eager;
  unf_status status = list_rivals(x);
  if (status != UNF_OK) return status;
  if (!order_rivals(x)) return unfi_refused(x->u->context);
  uint32_t i = 0, count = 0, *found = e->turns.data + e->first_turn;
  for (; i < e->rivals.count && count < TURNS_KEPT; i++) {
    uint32_t event = rival_at(x, i)->event;
    if ((e->last == 0 || is_before(x, e->last, event)) && is_turn(x, i)) found[count++] = event;
  }
  e->more = i < e->rivals.count;
  e->turns.count = e->first_turn + count;
  for (uint32_t left = 0; left + 1 < count; left++, count--) {
    uint32_t swap = found[left];
    found[left] = found[count - 1];
    found[count - 1] = swap;
  }
  return UNF_OK;
}

unf_status unfi_eager_turns(unf_explorer *x) {
  unf_status status = find_turns(x);
  if (status == UNF_OK) x->eager.low = x->path.count;
  return status;
}

static void step_back(unf_explorer *x) {
  unfi_path_pop(x);
  if (x->path.count < x->eager.low) x->eager.low = x->path.count;
}

static void count_waiting(unf_explorer *x) {
  const struct eager *e = &x->eager;
  uint64_t events = (uint64_t)e->held.count + e->turns.count;
  uint64_t bytes = events * sizeof(uint32_t) + e->suspended.count * sizeof(struct suspended);
  if (events > x->counts.waiting) x->counts.waiting = events;
  if (bytes > x->counts.waiting_bytes) x->counts.waiting_bytes = bytes;
}

/* Suspends the run at hand for its next turn; false: refused. */
static bool turn(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct eager *e = &x->eager;
  uint32_t to = e->turns.data[e->turns.count - 1], place = 0, fork = 0;
  if (!rank(x)) return false;
  while (place < x->path.count && is_before(x, x->path.data[place].event, to))
    place++;
  take_out(x, to, place);
  while (!is_set(e->gone.data, fork))
    fork++;
  uint32_t steps = x->path.count - fork;
  if (!vector_reserve(context, &e->suspended, (uint64_t)e->suspended.count + 1) ||
      !vector_reserve(context, &e->held, (uint64_t)e->held.count + steps) ||
      !vector_reserve(context, &x->clue, (uint64_t)steps + 1))
    return false;
  struct suspended run = {fork, steps, e->first_turn, to, e->more};
  x->clue.count = 0;
  for (uint32_t p = fork; p < x->path.count; p++) {
    uint32_t event = x->path.data[p].event;
    vector_push(&e->held, event);
    if (p < place && !is_set(e->gone.data, p)) vector_push(&x->clue, event);
  }
  vector_push(&x->clue, to);
  while (x->path.count > fork)
    step_back(x);
  e->turns.count--;
  e->first_turn = e->turns.count;
  e->last = to;
  e->more = false;
  vector_push(&e->suspended, run);
  count_waiting(x);
  return true;
}

/* Takes the path to the end of the last suspended run; false: refused midway. */
static bool go_back(unf_explorer *x) {
  struct eager *e = &x->eager;
  struct suspended run = e->suspended.data[e->suspended.count - 1];
  uint32_t held = e->held.count - run.steps;
  while (!e->resuming && x->path.count > run.fork)
    step_back(x);
  e->resuming = true;
  for (uint32_t depth; (depth = x->path.count) < run.fork + run.steps;)
    if (!unfi_path_reserve(x) || !unfi_path_push(x, e->held.data[held + depth - run.fork]))
      return false;
  e->resuming = false;
  e->held.count = held;
  e->first_turn = run.first_turn;
  e->last = run.turn;
  e->more = run.more;
  e->suspended.count--;
  return true;
}

unf_status unfi_eager_branch(unf_explorer *x) {
  struct eager *e = &x->eager;
  while (e->resuming || e->turns.count == e->first_turn) {
    unf_status status = unfi_poll(x->u->context);
    bool again = !e->resuming && e->more;
    if (status == UNF_OK && again) status = find_turns(x);
    if (status != UNF_OK) return status;
    if (again) continue;
    if (e->suspended.count == 0) break;
    if (!go_back(x)) return unfi_refused(x->u->context);
  }
  bool found = e->turns.count > e->first_turn;
  if (found && !turn(x)) return unfi_refused(x->u->context);
  while (!found && x->path.count > 0)
    step_back(x);
  x->branch = found ? BRANCH_DECIDED : BRANCH_NONE;
  x->base = x->path.count;
  x->shared = e->low;
  unfi_saves_forget(x, &x->saves.path, x->shared + 1);
  return UNF_OK;
}
