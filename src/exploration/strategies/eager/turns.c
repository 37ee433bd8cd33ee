/*
 * UNF_EAGER: which turns a run has; the tree of executions that they make is explained in eager.c.
 *
 * A turn to g is spoilt by an event h before g, which is in cex of the run. Its operation was
 * performed by the run in a step that conflicts with h; unless that step is among those that are
 * taken out for g, or comes after g, h spoils nothing. So only the operations that these steps
 * performed, and those that the run did not perform, are asked what else they could have been; and
 * at first those that can give an event which is deep enough to be a turn. As all that h conflicts
 * with up to g has to be out as well, an event stands with the first step that it conflicts with,
 * and is looked at where that one is out.
 *
 * A branch event (consistency.h) spoils a turn only where it could have been taken, which the
 * predicate of the unfolding says; and a turn to one must be consistent with what it keeps. Where
 * the predicate does not know, turns are made: some runs may come twice then, but none is lost.
 *
 * Siblings (extension/siblings.h) conflict with the same steps and stand side by side in the order,
 * so they are turns of a run all or none, and the least of them spoils what any of them does. So
 * beside that one some are listed that come after the last turn; if they are turns, what is after
 * them in the order waits for the next time.
 */
#include "exploration/strategies/eager/turns.h"

#include <string.h>

#include "base/sort.h"
#include "exploration/strategies/eager/eager.h"
#include "exploration/strategies/eager/rank.h"
#include "extension/adds.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/relation.h"

/* Turns of a run that are kept at a time. */
#define TURNS_KEPT 1024u
/* Siblings that are listed at a time. */
#define SIBLINGS_LISTED 16

/* Steps of the run that come before an event. */
static uint32_t position_of(const unf_explorer *x, uint32_t event) {
  uint32_t low = 0, high = x->path.steps.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (unfi_is_before(x, x->path.steps.data[middle].event, event))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether an event that is not among the causes of another conflicts with it directly. */
static bool against(const unf_unfolding *u, uint32_t event, uint32_t other) {
  return unfi_dependent(u, action_of(u, event), action_of(u, other)) &&
         !unfi_precedes(u, event, other);
}

/* The first step that can conflict with an event at a site beside its thread's: that comes after
 * the last write there which the event follows, so is deeper. */
static uint32_t first_beside(const unf_explorer *x, uint32_t event) {
  const unf_unfolding *u = x->u;
  const struct rank *ranks = eager_of(x)->ranks.data;
  uint32_t count, depth = NONE, low = 0, high = x->path.steps.count;
  const uint32_t *follows = event_follows(u, event, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t above = ranks[entry_write(u, follows[i])].depth;
    if (above < depth) depth = above;
  }
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ranks[x->path.steps.data[middle].event].depth <= depth)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- what the operations of a run could have been ---- */

struct rivals_listing {
  unf_explorer *x;
  uint32_t operation;
  bool withheld; /* see struct rival */
  unf_status status;
};

/* The first step that a rival conflicts with: at the latest that of its operation. */
static unf_status find_first(const unf_explorer *x, struct rival *h) {
  uint32_t steps = x->path.steps.count, p = first_beside(x, h->event), from = p;
  uint32_t end = h->operation < steps ? h->operation : steps;
  while (p < end && !against(x->u, x->path.steps.data[p].event, h->event))
    p++;
  h->first = p < end ? p : end < steps ? end : NONE;
  return unfi_work(x->u->context, 1 + (p - from) / 8);
}

static bool list(void *user, const struct causes *causes) {
  struct rivals_listing *in = user;
  unf_explorer *x = in->x;
  unf_context *context = x->u->context;
  struct eager *e = eager_of(x);
  struct rival rival = {.operation = in->operation, .conflicts = NONE, .withheld = in->withheld};
  in->status = unfi_work(context, 1);
  if (in->status == UNF_OK) in->status = unfi_event_intern(x->u, causes, &rival.event);
  if (in->status != UNF_OK) return false;
  if (!unfi_discover_reserve(x, rival.event) || !unfi_rank(x) ||
      !vector_reserve_zero(context, &e->stamps, x->u->store.count) ||
      !vector_reserve(context, &e->rivals, (uint64_t)e->rivals.count + 1)) {
    in->status = unfi_refused(context);
    return false;
  }
  unfi_discover(x, rival.event);
  if (e->stamps.data[rival.event] == e->stamp) return true;
  in->status = find_first(x, &rival);
  if (in->status != UNF_OK) return false;
  e->stamps.data[rival.event] = e->stamp;
  rival.position = position_of(x, rival.event);
  vector_push(&e->rivals, rival);
  return true;
}

static bool list_sibling(struct rivals_listing *in, uint32_t event, int64_t value) {
  struct causes causes;
  in->status = unfi_sibling(in->x->u, event, value, &causes);
  return in->status == UNF_OK && list(in, &causes);
}

/* The least sibling of a step, and the next ones after it and after the last turn. */
static unf_status list_siblings(unf_explorer *x, uint32_t operation, struct siblings siblings) {
  struct rivals_listing in = {.x = x, .operation = operation};
  uint32_t event = x->path.steps.data[operation].event;
  uint32_t last = eager_of(x)->last, listed = 0;
  int64_t value = action_of(x->u, event)->value;
  if (siblings.low == siblings.high) return UNF_OK;
  if (!list_sibling(&in, event, value == siblings.low ? value + 1 : siblings.low)) return in.status;
  if (last != 0 && unfi_is_before(x, event, last)) {
    bool sibling = action_of(x->u, last)->count == 0 &&
                   action_of(x->u, last)->thread == action_of(x->u, event)->thread &&
                   event_at(x->u, last)->before == event_at(x->u, event)->before;
    if (!sibling) return UNF_OK;
    value = action_of(x->u, last)->value;
  }
  while (value != siblings.high && listed < SIBLINGS_LISTED) {
    value++;
    in.withheld = ++listed == SIBLINGS_LISTED && value != siblings.high;
    if (!list_sibling(&in, event, value)) return in.status;
  }
  return UNF_OK;
}

/* Enters the rivals from one on with the steps that they conflict with first. */
static void enter(struct eager *e, uint32_t first) {
  for (uint32_t number = first + 1; number <= e->rivals.count; number++) {
    uint32_t step = e->rivals.data[number - 1].first;
    if (step == NONE) continue;
    struct operation_rivals *a = &e->operations.data[step];
    if (a->tail != 0)
      e->rivals.data[a->tail - 1].next = number;
    else
      a->head = number;
    a->tail = number;
  }
}

/* Operations: first those of the steps, then what each thread did not perform. Refused: what was
 * listed so far stays, found by the steps that it conflicts with, and the next call lists the rest.
 */
static unf_status list_rivals(unf_explorer *x, uint32_t operation) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  struct rivals_listing in = {.x = x, .operation = operation};
  struct siblings siblings;
  struct operation_rivals *a = &eager_of(x)->operations.data[operation];
  uint32_t steps = x->path.steps.count, thread = operation - steps, before, event = NONE;
  if (a->listed) return UNF_OK;
  a->first = eager_of(x)->rivals.count;
  if (operation < steps) {
    event = x->path.steps.data[operation].event;
    thread = action_of(u, event)->thread;
    before = event_at(u, event)->before;
  } else {
    before = cut_last(u, C, thread);
  }
  unf_status status = UNF_OK;
  if (event != NONE && unfi_siblings_of(u, event, &siblings))
    status = list_siblings(x, operation, siblings);
  else if (before != NONE)
    status = unfi_conflicting(u, C, thread, before, event, &eager_of(x)->uses, list, &in);
  if (status == UNF_OK) status = in.status;
  a->count = eager_of(x)->rivals.count - a->first;
  a->listed = status == UNF_OK;
  enter(eager_of(x), a->first);
  return status;
}

/* Whether two actions use a site in common. */
static bool share(const unf_unfolding *u, const struct action *a, const struct action *b) {
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  for (uint32_t i = 0; i < count; i++)
    if (unfi_access(u, b, uses[i].site) != ACCESS_NONE) return true;
  return false;
}

/* Whether the operation of a step could have been an event after the last turn: as deep. */
static unf_status can_come_later(const unf_explorer *x, uint32_t step, bool *out) {
  const unf_unfolding *u = x->u;
  const struct rank *ranks = eager_of(x)->ranks.data;
  uint32_t event = x->path.steps.data[step].event, depth = ranks[eager_of(x)->last].depth;
  const struct action *a = action_of(u, event);
  *out = ranks[event_at(u, event)->before].depth + 1 >= depth;
  for (uint32_t p = x->path.steps.count; p > 0 && !*out; p--) {
    uint32_t cause = x->path.steps.data[p - 1].event;
    uint64_t steps = steps_from(p, 1);
    unf_status status = steps > 0 ? unfi_work(u->context, steps) : UNF_OK;
    if (status != UNF_OK || ranks[cause].depth + 1 < depth) return status;
    /* Of other families what they look at is not looked into: to ask too many costs time only. */
    bool others = !u->effects->actions[a->kind].family->only_target;
    *out = !unfi_precedes(u, event, cause) && (others || share(u, a, action_of(u, cause)));
  }
  return UNF_OK;
}

/* ---- turns ---- */

/* Words for a bit for each of so many steps. */
static uint32_t words_for(uint32_t steps) {
  return (steps + 63) / 64;
}

static bool is_set(const uint64_t *bits, uint32_t i) {
  return bits[i / 64] >> i % 64 & 1;
}

/* Marks the steps from one on and before a position of the run that conflict with an event, or come
 * after one that does; *some: there are such. */
static unf_status take_out(const unf_explorer *x, uint32_t event, uint32_t from, uint32_t position,
                           bool *some) {
  uint64_t *gone = eager_of(x)->gone.data;
  *some = false;
  memset(gone, 0, words_for(x->path.steps.count) * sizeof *gone);
  for (uint32_t p = from; p < position; p++) {
    uint32_t rival = x->path.steps.data[p].event;
    bool goes = !is_set(gone, p) && against(x->u, rival, event);
    uint64_t steps = steps_from(p, 1) + (goes ? position - p : 0);
    unf_status status = steps > 0 ? unfi_work(x->u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    if (!goes) continue;
    *some = true;
    for (uint32_t q = p; q < position; q++)
      if (unfi_precedes(x->u, rival, x->path.steps.data[q].event)) gone[q / 64] |= 1ull << q % 64;
  }
  return UNF_OK;
}

/* The steps of the run that a rival conflicts with, a bit for each. Returns NULL when refused. */
static const uint64_t *conflicts_of(unf_explorer *x, struct rival *h) {
  struct eager *e = eager_of(x);
  uint32_t words = words_for(x->path.steps.count);
  if (h->conflicts == NONE) {
    if (!vector_reserve(x->u->context, &e->conflicts, (uint64_t)e->conflicts.count + words))
      return NULL;
    uint64_t *bits = e->conflicts.data + e->conflicts.count;
    memset(bits, 0, words * sizeof *bits);
    for (uint32_t p = h->first; p < x->path.steps.count; p++)
      if (against(x->u, x->path.steps.data[p].event, h->event)) bits[p / 64] |= 1ull << p % 64;
    h->conflicts = e->conflicts.count;
    e->conflicts.count += words;
  }
  return e->conflicts.data + h->conflicts;
}

/* The first of the steps before a position that have a bit, if all of them are gone; else NONE. */
static uint32_t first_of_gone(const unf_explorer *x, const uint64_t *bits, uint32_t position) {
  const uint64_t *gone = eager_of(x)->gone.data;
  uint32_t first = NONE;
  for (uint32_t i = 0; i < words_for(position); i++) {
    uint32_t rest = position - 64 * i;
    uint64_t word = rest < 64 ? bits[i] & ((1ull << rest) - 1) : bits[i];
    if ((word & ~gone[i]) != 0) return NONE;
    if (word != 0 && first == NONE) first = 64 * i + (uint32_t)__builtin_ctzll(word);
  }
  return first;
}

static bool comes_before(const unf_explorer *x, const struct rival *h, const struct rival *g) {
  return h->position != g->position ? h->position < g->position
                                    : unfi_is_before(x, h->event, g->event);
}

/* When the steps up to g that conflict with g are out: whether a run would take an event h, which
 * comes before g, instead of putting those back that come after h; or h could be taken together
 * with g. */
static bool spoils(const unf_explorer *x, const struct rival *h, const uint64_t *conflicts,
                   const struct rival *g) {
  const unf_unfolding *u = x->u;
  uint32_t first = first_of_gone(x, conflicts, g->position);
  if (first == NONE) return false;
  if (first >= h->position) return true;
  if (unfi_dependent(u, action_of(u, h->event), action_of(u, g->event))) return false;
  for (uint32_t p = 0; p < h->position; p++)
    if (is_set(eager_of(x)->gone.data, p) &&
        unfi_precedes(u, x->path.steps.data[p].event, h->event))
      return false;
  return true;
}

/* Whether a branch event is consistent with the steps before g that are kept for it, and with the
 * first steps, gone or not. */
static unf_status ask(unf_explorer *x, uint32_t branch, uint32_t first, const struct rival *g,
                      unf_answer *out) {
  handle_vector *events = &x->consistent.events;
  if (!vector_reserve(x->u->context, events, (uint64_t)g->position + 1))
    return unfi_refused(x->u->context);
  unfi_consistent_cut(&x->consistent, 0); /* it is another list */
  events->count = 0;
  for (uint32_t p = 0; p < g->position; p++) {
    uint32_t event = x->path.steps.data[p].event;
    bool kept = p < first || !is_set(eager_of(x)->gone.data, p);
    if (kept && is_branch(x->u, event)) vector_push(events, event);
  }
  return unfi_list_ask(x, branch, out);
}

/* Whether a rival spoils a turn. */
static unf_status look_at(unf_explorer *x, struct rival *h, const struct rival *g, bool *spoilt) {
  unf_status status = unfi_work(x->u->context, 1);
  if (status != UNF_OK || !comes_before(x, h, g)) return status;
  bool known = h->conflicts != NONE;
  const uint64_t *conflicts = conflicts_of(x, h);
  if (conflicts == NULL) return unfi_refused(x->u->context);
  /* spoils() looks at the steps before h where those that conflict do not decide it. */
  status = unfi_work(x->u->context, (known ? h->position : x->path.steps.count) / 8);
  if (status != UNF_OK) return status;
  *spoilt = spoils(x, h, conflicts, g);
  if (!*spoilt || !is_branch(x->u, h->event)) return UNF_OK;
  unf_answer answer;
  status = ask(x, h->event, h->position, g, &answer);
  *spoilt = status == UNF_OK && answer == UNF_ANSWER_YES;
  return status;
}

/* Whether a step is taken out for g, or comes after it, as what was not performed does. */
static bool is_out(const unf_explorer *x, uint32_t operation, const struct rival *g) {
  return operation >= g->position || is_set(eager_of(x)->gone.data, operation);
}

/* Whether one of the rivals that are listed spoils a turn. Each conflicts first with a step that is
 * gone. */
static unf_status look_at_listed(unf_explorer *x, const struct rival *g, bool *spoilt) {
  struct eager *e = eager_of(x);
  unf_status status = UNF_OK;
  for (uint32_t i = 0; i < words_for(g->position); i++)
    for (uint64_t left = e->gone.data[i]; left != 0; left &= left - 1) {
      uint32_t step = 64 * i + (uint32_t)__builtin_ctzll(left);
      uint32_t number = e->operations.data[step].head;
      for (; status == UNF_OK && !*spoilt && number != 0; number = e->rivals.data[number - 1].next)
        if (is_out(x, e->rivals.data[number - 1].operation, g))
          status = look_at(x, &e->rivals.data[number - 1], g, spoilt);
    }
  return status;
}

/* Whether one of the events that an operation could have been spoils a turn, where they are to be
 * listed first. */
static unf_status look_at_operation(unf_explorer *x, uint32_t operation, const struct rival *g,
                                    bool *spoilt) {
  struct eager *e = eager_of(x);
  const struct operation_rivals *a = &e->operations.data[operation];
  unf_status status = list_rivals(x, operation);
  for (uint32_t i = 0; status == UNF_OK && !*spoilt && i < a->count; i++) {
    struct rival *h = &e->rivals.data[a->first + i];
    if (h->first < g->position && is_set(e->gone.data, h->first)) status = look_at(x, h, g, spoilt);
  }
  return status;
}

static unf_status is_turn(unf_explorer *x, struct rival g, bool *out) {
  bool some, spoilt;
  const struct eager *e = eager_of(x);
  unf_status status = take_out(x, g.event, g.first, g.position, &some);
  spoilt = !some;
  if (status == UNF_OK && !spoilt) status = look_at_listed(x, &g, &spoilt);
  for (uint32_t i = 0; status == UNF_OK && !spoilt && i < e->operations.count; i++)
    if (!e->operations.data[i].listed && is_out(x, i, &g))
      status = look_at_operation(x, i, &g, &spoilt);
  if (status == UNF_OK && !spoilt && is_branch(x->u, g.event)) {
    unf_answer answer;
    status = ask(x, g.event, 0, &g, &answer);
    spoilt = status == UNF_OK && answer == UNF_ANSWER_NO;
  }
  *out = !spoilt;
  x->counts.turns_tested += status == UNF_OK;
  return status;
}

static int compare_rivals(const void *user, uint32_t a, uint32_t b) {
  const unf_explorer *x = user;
  return unfi_rank_compare(x, eager_of(x)->rivals.data[a].event, eager_of(x)->rivals.data[b].event);
}

/* Begins with the run at hand. Returns false when refused. */
static bool begin(unf_explorer *x) {
  struct eager *e = eager_of(x);
  unf_context *context = x->u->context;
  uint32_t operations = x->path.steps.count + x->u->threads.count;
  if (!unfi_rank(x) || !vector_reserve(context, &e->operations, operations) ||
      !vector_reserve(context, &e->gone, words_for(x->path.steps.count)) ||
      !vector_reserve(context, &e->turns, (uint64_t)e->first_turn + TURNS_KEPT))
    return false;
  memset(e->operations.data, 0, operations * sizeof *e->operations.data);
  e->operations.count = operations;
  e->rivals.count = e->ascending.count = e->conflicts.count = 0;
  unfi_site_uses_clear(&e->uses);
  if (++e->stamp == 0) {
    vector_free(context, &e->stamps);
    e->stamp = 1;
  }
  e->turns.count = e->first_turn;
  e->finding = (struct finding){.run = x->run.number};
  return true;
}

/* Lists the events after the last turn that the operations of the run could have been. */
static unf_status list_candidates(unf_explorer *x) {
  struct eager *e = eager_of(x);
  unf_context *context = x->u->context;
  for (uint32_t *i = &e->finding.operation; *i < e->operations.count; ++*i) {
    bool later = true;
    unf_status status = unfi_work(context, 1);
    if (status == UNF_OK && e->last != 0 && *i < x->path.steps.count)
      status = can_come_later(x, *i, &later);
    if (status == UNF_OK && later) status = list_rivals(x, *i);
    if (status != UNF_OK) return status;
    unfi_done(context);
  }
  return UNF_OK;
}

/* Lists those of them that come after the last turn. */
static unf_status list_ascending(unf_explorer *x) {
  struct eager *e = eager_of(x);
  if (!vector_reserve(x->u->context, &e->ascending, e->rivals.count))
    return unfi_refused(x->u->context);
  for (uint32_t *i = &e->finding.listed; *i < e->rivals.count; ++*i) {
    uint64_t steps = steps_from(*i, 1);
    unf_status status = steps > 0 ? unfi_work(x->u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    if (e->last == 0 || unfi_is_before(x, e->last, e->rivals.data[*i].event))
      vector_push(&e->ascending, *i);
  }
  return UNF_OK;
}

/* Puts these in order. */
static unf_status sort_candidates(unf_explorer *x) {
  enum { TURNS = 64, STEPS_OF_TURN = 32 };
  struct eager *e = eager_of(x);
  const uint32_t count = e->ascending.count, all = unfi_sort_turns(count);
  for (uint32_t *at = &e->finding.sorted; *at < all;) {
    uint32_t to = all - *at < TURNS ? all : *at + TURNS;
    unf_status status = unfi_work(x->u->context, (to - *at) * STEPS_OF_TURN);
    if (status != UNF_OK) return status;
    unfi_sort_part(e->ascending.data, count, *at, to, compare_rivals, x);
    *at = to;
    unfi_done(x->u->context);
  }
  return UNF_OK;
}

/* Puts those of them that are turns behind the turns of the runs that wait. */
static unf_status test_candidates(unf_explorer *x) {
  struct eager *e = eager_of(x);
  struct finding *f = &e->finding;
  while (f->candidate < e->ascending.count && f->count < TURNS_KEPT && !f->withheld) {
    struct rival g = e->rivals.data[e->ascending.data[f->candidate]];
    bool good;
    unf_status status = is_turn(x, g, &good);
    if (status != UNF_OK) return status;
    if (good) e->turns.data[e->first_turn + f->count++] = g.event;
    f->withheld = good && g.withheld;
    f->candidate++;
    unfi_done(x->u->context);
  }
  return UNF_OK;
}

unf_status unfi_find_turns(unf_explorer *x) {
  struct eager *e = eager_of(x);
  struct finding *f = &e->finding;
  if (f->run != x->run.number && !begin(x)) return unfi_refused(x->u->context);
  unf_status status = list_candidates(x);
  if (status == UNF_OK) status = list_ascending(x);
  if (status == UNF_OK) status = sort_candidates(x);
  if (status == UNF_OK) status = test_candidates(x);
  if (status != UNF_OK) return status;
  uint32_t count = f->count, *found = e->turns.data + e->first_turn;
  e->more = f->withheld || f->candidate < e->ascending.count;
  e->turns.count += count;
  for (uint32_t left = 0; left + 1 < count; left++, count--) {
    uint32_t swap = found[left];
    found[left] = found[count - 1];
    found[count - 1] = swap;
  }
  f->run = 0;
  return UNF_OK;
}

/* What such an event follows is in the run, and a step before it in the order conflicts with it. */
unf_status unfi_turn_check(unf_explorer *x, uint32_t event) {
  struct eager *e = eager_of(x);
  const unf_unfolding *u = x->u;
  uint32_t steps = x->path.steps.count, position = position_of(x, event);
  bool some = false, good = step_of(&x->path, event) == 0;
  if (!vector_reserve(u->context, &e->gone, words_for(steps)) ||
      !vector_reserve(u->context, &e->causes, unfi_predecessor_bound(u, event)))
    return unfi_refused(u->context);
  uint32_t count = unfi_predecessors(u, event, e->causes.data);
  for (uint32_t i = 0; good && i < count; i++)
    good = e->causes.data[i] == 0 || step_of(&x->path, e->causes.data[i]) != 0;
  unf_status status = good ? take_out(x, event, 0, position, &some) : UNF_OK;
  return status == UNF_OK && !some ? UNF_INVALID : status;
}

unf_status unfi_turn_steps(const unf_explorer *x, uint32_t event, uint32_t *fork,
                           handle_vector *kept) {
  uint32_t position = position_of(x, event), first = 0;
  bool some;
  unf_status status = take_out(x, event, 0, position, &some);
  if (status != UNF_OK) return status;
  while (!is_set(eager_of(x)->gone.data, first))
    first++;
  kept->count = 0;
  for (uint32_t p = first; p < position; p++)
    if (!is_set(eager_of(x)->gone.data, p)) vector_push(kept, x->path.steps.data[p].event);
  *fork = first;
  return UNF_OK;
}
