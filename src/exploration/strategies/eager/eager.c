/*
 * DPOR in polynomial space (UNF_EAGER): what could have happened instead is turned to as soon as
 * its run ends, and nothing waits but the runs that were left for it, one within the other. The
 * aims are those of "Parsimonious Optimal Dynamic Partial Order Reduction" (Abdulla, Atig, Das,
 * Jonsson, Sagonas, CAV 2024): a race is reversed in one run only, at once, with neither sleep sets
 * nor wakeup trees. The way is reverse search: "A New Algorithm for Generating All the Maximal
 * Independent Sets" (Tsukiyama, Ide, Ariyoshi, Shirakawa, SIAM J. Comput. 1977), over events.
 *
 * All events that there can be have one order <: by depth, the number of events on the longest
 * chain of causes, then by thread, then by name, siblings by value; so causes come first. A run
 * takes the least event that is enabled, so that its steps ascend. Let U(g) be the events up to g,
 * and R a maximal configuration of those before g. Of the maximal configurations of U(g), its
 * children are
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
#include "exploration/strategies/eager/eager.h"

#include "exploration/image/image.h"
#include "exploration/image/sequence.h"
#include "exploration/options.h"
#include "exploration/strategies/eager/choice.h"
#include "exploration/strategies/eager/rank.h"
#include "exploration/strategies/eager/turns.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/event.h"

static void end(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct eager *e = eager_of(x);
  vector_free(context, &e->ranks);
  vector_free(context, &e->causes);
  unfi_enabled_free(context, &e->enabled);
  vector_free(context, &e->suspended);
  vector_free(context, &e->held);
  vector_free(context, &e->turns);
  vector_free(context, &e->operations);
  vector_free(context, &e->rivals);
  unfi_site_uses_free(context, &e->uses);
  vector_free(context, &e->ascending);
  vector_free(context, &e->conflicts);
  vector_free(context, &e->gone);
  vector_free(context, &e->stamps);
}

/* ---- a run ---- */

/* Finds turns of the maximal run at hand. */
static unf_status learn(unf_explorer *x, bool *fresh) {
  (void)fresh;
  unf_status status = unfi_find_turns(x);
  if (status == UNF_OK) eager_of(x)->low = x->path.steps.count;
  return status;
}

/* ---- branches ---- */

static void step_back(unf_explorer *x) {
  unfi_path_pop(x);
  if (x->path.steps.count < eager_of(x)->low) eager_of(x)->low = x->path.steps.count;
}

/* Takes the path back to a depth. */
static unf_status back_to(unf_explorer *x, uint32_t depth) {
  unf_status status = UNF_OK;
  for (; status == UNF_OK && x->path.steps.count > depth; status = unfi_work(x->u->context, 1)) {
    step_back(x);
    unfi_done(x->u->context);
  }
  return status;
}

static void count_waiting(unf_explorer *x) {
  const struct eager *e = eager_of(x);
  uint64_t events = (uint64_t)e->held.count + e->turns.count;
  uint64_t bytes = events * sizeof(uint32_t) + e->suspended.count * sizeof(struct suspended);
  if (events > x->counts.waiting) x->counts.waiting = events;
  if (bytes > x->counts.waiting_bytes) x->counts.waiting_bytes = bytes;
}

/* Suspends the run at hand for its next turn. */
static unf_status turn(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct eager *e = eager_of(x);
  uint32_t to = e->turns.data[e->turns.count - 1];
  if (!unfi_rank(x) || !vector_reserve(context, &x->run.clue, (uint64_t)x->path.steps.count + 1))
    return unfi_refused(context);
  uint32_t fork;
  unf_status status = unfi_turn_steps(x, to, &fork, &x->run.clue);
  if (status != UNF_OK) return status;
  uint32_t steps = x->path.steps.count - fork;
  vector_push(&x->run.clue, to);
  if (!vector_reserve(context, &e->suspended, (uint64_t)e->suspended.count + 1) ||
      !vector_reserve(context, &e->held, (uint64_t)e->held.count + steps))
    return unfi_refused(context);
  struct suspended run = {fork, steps, e->first_turn, to, e->more};
  for (uint32_t p = fork; p < x->path.steps.count; p++)
    vector_push(&e->held, x->path.steps.data[p].event);
  while (x->path.steps.count > fork)
    step_back(x);
  e->turns.count--;
  e->first_turn = e->turns.count;
  e->last = to;
  e->more = false;
  vector_push(&e->suspended, run);
  x->counts.turns++;
  count_waiting(x);
  return UNF_OK;
}

/* Takes the path to the end of the last suspended run. It can be refused midway. */
static unf_status go_back(unf_explorer *x) {
  struct eager *e = eager_of(x);
  struct suspended run = e->suspended.data[e->suspended.count - 1];
  uint32_t held = e->held.count - run.steps;
  unf_status status = e->resuming ? UNF_OK : back_to(x, run.fork);
  if (status != UNF_OK) return status;
  e->resuming = true;
  for (uint32_t depth; (depth = x->path.steps.count) < run.fork + run.steps;) {
    status = unfi_work(x->u->context, 1);
    if (status != UNF_OK) return status;
    if (!unfi_path_reserve(x) || !unfi_path_push(x, e->held.data[held + depth - run.fork]))
      return unfi_refused(x->u->context);
    unfi_done(x->u->context);
  }
  e->resuming = false;
  e->held.count = held;
  e->first_turn = run.first_turn;
  e->last = run.turn;
  e->more = run.more;
  e->suspended.count--;
  return UNF_OK;
}

static unf_status leave(unf_explorer *x, bool *found) {
  struct eager *e = eager_of(x);
  unf_status status = UNF_OK;
  while (e->resuming || e->turns.count == e->first_turn) {
    if (!e->resuming && e->more)
      status = unfi_find_turns(x);
    else if (e->suspended.count > 0)
      status = go_back(x);
    else
      break;
    if (status != UNF_OK) return status;
  }
  *found = e->turns.count > e->first_turn;
  status = *found ? turn(x) : back_to(x, 0);
  x->run.shared = e->low;
  return status;
}

/* ---- writing down ---- */

static void write_turns(const struct eager *e, uint32_t from, uint32_t to, struct bytes_out *out) {
  /* There may be no list to point into. */
  unfi_sequence_write(from < to ? e->turns.data + from : NULL, to - from, out);
}

static void write_state(const unf_explorer *x, struct bytes_out *out) {
  const struct eager *e = eager_of(x);
  uint32_t held = e->held.count, turns = e->turns.count;
  unfi_bytes_put(out, e->last);
  unfi_bytes_put(out, e->more);
  unfi_bytes_put(out, e->resuming);
  write_turns(e, e->first_turn, turns, out);
  turns = e->first_turn;
  unfi_bytes_put(out, e->suspended.count);
  for (uint32_t i = e->suspended.count; i-- > 0; turns = e->suspended.data[i].first_turn) {
    const struct suspended *run = &e->suspended.data[i];
    held -= run->steps;
    unfi_bytes_put(out, run->fork);
    unfi_sequence_write(e->held.data + held, run->steps, out);
    unfi_bytes_put(out, run->turn);
    unfi_bytes_put(out, run->more);
    write_turns(e, run->first_turn, turns, out);
  }
}

/* What is read of a suspended run; the last one comes first. */
struct suspended_read {
  struct suspended run;
  uint32_t held, turns; /* where its steps and turns begin, in the order in which they were read */
  uint32_t turn_count;
};

struct eager_in {
  VECTOR(struct suspended_read) runs;
  handle_vector held, turns;
};

/* The turns of a run that the path has come to the end of. */
static unf_status read_turns(unf_explorer *x, struct bytes_in *in, struct eager_in *r,
                             uint32_t *count) {
  uint32_t from = r->turns.count;
  uint64_t all = unfi_bytes_get(in);
  const struct frame *steps = x->path.steps.data;
  for (uint32_t i = 1; all > 0 && i < x->path.steps.count; i++)
    if (!unfi_is_before(x, steps[i - 1].event, steps[i].event))
      return unfi_bytes_malformed(in, "a run that does not ascend");
  while (in->status == UNF_OK && r->turns.count - from < all) {
    if (!vector_reserve(x->u->context, &r->turns, (uint64_t)r->turns.count + 1))
      return unfi_bytes_note(in, unfi_refused(x->u->context));
    uint32_t event = unfi_event_read(x->u, in);
    if (in->status != UNF_OK) return in->status;
    unf_status status = unfi_turn_check(x, event);
    if (status == UNF_INVALID) return unfi_bytes_malformed(in, "an event that is no turn");
    if (unfi_bytes_note(in, status) == UNF_OK) vector_push(&r->turns, event);
  }
  *count = r->turns.count - from;
  return in->status;
}

/* A suspended run: the path goes to its end. */
static unf_status read_suspended(unf_explorer *x, struct bytes_in *in, struct eager_in *r) {
  if (!vector_reserve(x->u->context, &r->runs, (uint64_t)r->runs.count + 1))
    return unfi_bytes_note(in, unfi_refused(x->u->context));
  struct suspended_read s = {.held = r->held.count, .turns = r->turns.count};
  s.run.fork = unfi_bytes_get_below(in, (uint64_t)x->path.steps.count + 1, "where a run forks");
  while (in->status == UNF_OK && x->path.steps.count > s.run.fork)
    unfi_path_pop(x);
  unfi_sequence_read(x, in, &r->held);
  s.run.steps = r->held.count - s.held;
  s.run.turn = unfi_bytes_get_below(in, x->u->store.count, "the turn of a run");
  s.run.more = unfi_bytes_get_below(in, 2, "more turns");
  if (in->status == UNF_OK && read_turns(x, in, r, &s.turn_count) == UNF_OK)
    vector_push(&r->runs, s);
  return in->status;
}

/* Puts what was read in its place, the first run first. */
static bool set_suspended(unf_explorer *x, const struct eager_in *r, uint32_t turns) {
  unf_context *context = x->u->context;
  struct eager *e = eager_of(x);
  if (!vector_reserve(context, &e->suspended, r->runs.count) ||
      !vector_reserve(context, &e->held, r->held.count) ||
      !vector_reserve(context, &e->turns, r->turns.count))
    return false;
  for (uint32_t i = r->runs.count; i-- > 0;) {
    struct suspended_read s = r->runs.data[i];
    s.run.first_turn = e->turns.count;
    for (uint32_t j = 0; j < s.run.steps; j++)
      vector_push(&e->held, r->held.data[s.held + j]);
    for (uint32_t j = 0; j < s.turn_count; j++)
      vector_push(&e->turns, r->turns.data[s.turns + j]);
    vector_push(&e->suspended, s.run);
  }
  e->first_turn = e->turns.count;
  for (uint32_t j = 0; j < turns; j++)
    vector_push(&e->turns, r->turns.data[j]);
  return true;
}

/* With the path at its end, and then at the ends of the runs that were left, back to the first. */
static void read_runs(unf_explorer *x, struct bytes_in *in, struct eager_in *r) {
  struct eager *e = eager_of(x);
  uint32_t turns = 0;
  e->last = unfi_bytes_get_below(in, x->u->store.count, "the last turn");
  e->more = unfi_bytes_get_below(in, 2, "more turns");
  e->resuming = unfi_bytes_get_below(in, 2, "a run that is gone back to");
  if (in->status == UNF_OK && !unfi_rank(x)) unfi_bytes_note(in, unfi_refused(x->u->context));
  if (in->status == UNF_OK) read_turns(x, in, r, &turns);
  uint64_t count = unfi_bytes_get(in);
  if (e->resuming && (count == 0 || turns > 0)) unfi_bytes_malformed(in, "a run without turns");
  while (in->status == UNF_OK && r->runs.count < count)
    read_suspended(x, in, r);
  if (in->status == UNF_OK && !set_suspended(x, r, turns))
    unfi_bytes_note(in, unfi_refused(x->u->context));
}

/* The path is on the way to the end of the last suspended run. */
static void check_resuming(const unf_explorer *x, struct bytes_in *in, const handle_vector *path) {
  const struct eager *e = eager_of(x);
  const struct suspended *run = &e->suspended.data[e->suspended.count - 1];
  uint32_t held = e->held.count - run->steps;
  bool on_way = path->count <= run->fork + run->steps;
  for (uint32_t i = run->fork; on_way && i < path->count; i++)
    on_way = path->data[i] == e->held.data[held + i - run->fork];
  if (!on_way) unfi_bytes_malformed(in, "a path that is not that of its run");
}

static void read_state(unf_explorer *x, struct bytes_in *in) {
  unf_context *context = x->u->context;
  struct eager_in r = {.runs = {NULL, 0, 0}};
  handle_vector path = {0};
  if (!unfi_path_events(x, &path, 0)) unfi_bytes_note(in, unfi_refused(context));
  read_runs(x, in, &r);
  if (in->status == UNF_OK && eager_of(x)->resuming) check_resuming(x, in, &path);
  while (in->status == UNF_OK && x->path.steps.count > 0)
    unfi_path_pop(x);
  for (uint32_t i = 0; in->status == UNF_OK && i < path.count; i++)
    unfi_image_push(x, in, path.data[i]);
  vector_free(context, &path);
  vector_free(context, &r.runs);
  vector_free(context, &r.held);
  vector_free(context, &r.turns);
}

/* ---- freeing events ---- */

static void visit_all(handle_vector *events, handle_visitor visitor, void *user) {
  for (uint32_t i = 0; i < events->count; i++)
    visitor(user, &events->data[i]);
}

static void visit(unf_explorer *x, handle_visitor visitor, void *user) {
  struct eager *e = eager_of(x);
  visit_all(&e->held, visitor, user);
  visit_all(&e->turns, visitor, user);
  visitor(user, &e->last);
  for (uint32_t i = 0; i < e->suspended.count; i++)
    visitor(user, &e->suspended.data[i].turn);
}

static void renamed(unf_explorer *x) {
  struct eager *e = eager_of(x);
  e->ranks.count = 0;
  vector_free(x->u->context, &e->stamps);
}

const struct strategy unfi_eager = {
    .name = "eager",
    .supports = FEATURE_COLLECT | FEATURE_PROBES,
    .state = sizeof(struct eager),
    .end = end,
    .choose = unfi_choose_least,
    .learn = learn,
    .leave = leave,
    .write = write_state,
    .read = read_state,
    .visit = visit,
    .renamed = renamed,
};
