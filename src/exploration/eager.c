/*
 * DPOR in polynomial space (UNF_EAGER): an event that could have happened instead is turned to as
 * soon as its run ends, and nothing waits but the runs that were left for it, one within the other.
 * From "Parsimonious Optimal Dynamic Partial Order Reduction" (Abdulla, Atig, Das, Jonsson,
 * Sagonas, CAV 2024) are the aims: a race is reversed in one run only, at once, and with neither
 * sleep sets nor wakeup trees. The rules here are made for events with their exact conflicting
 * extensions, so that they are the same for all effects.
 *
 * A run takes the first action of the lowest thread, except where it was made to turn: at the node
 * C where a = `instead` was next it took the causes of an event f that are not in C, and then f,
 * which conflicts with a. Of a maximal execution M every run that it can be is a row of such turns.
 * A turn of a run R to f of cex(R), at the first step a of R that depends on f and is no cause of
 * it, is made when
 *   1. no turn of R is left out: what R has from a on, without the causes of f, went by itself;
 *   2. f is a least event of those in conflict with a;
 *   3. no turn kept has a rival in what is now decided. A rival of the turn from a to f is a least
 *      event that conflicts with a, of a lower thread than f: the run would turn to it first.
 * Then the last turn of a row is made in one run only, that in which a stands in its place and what
 * else there is went by itself or was turned to in this order; and that one is made, since its row
 * obeys 3 when the whole row does. So every row that obeys 3 comes up once (induction over rows).
 * Of each M there is one without any rival in all of M; that one counts as the trace. Others, where
 * a rival came by itself later on, are redundant, but turns are made from them all the same: what
 * lacks the rival may come from them alone.
 *
 * A turn is never left out, only made part of the causes of a later one. So all that a chain of
 * suspended runs turned to is in the last of them, and the chain is no longer than a run: O(n²)
 * events are held for runs of n steps. To this come the turns of these runs that are to be made,
 * each of which is a run to come.
 *
 * Going back to a suspended run can be refused at every step and made again.
 */
#include "exploration/explorer.h"

void unfi_eager_end(unf_explorer *x) {
  unf_context *context = x->u->context;
  vector_free(context, &x->eager.suspended);
  vector_free(context, &x->eager.held);
  vector_free(context, &x->eager.turns);
  vector_free(context, &x->eager.dropped);
  vector_free(context, &x->eager.todo);
}

/* Whether an event that is no part of what stands before an action conflicts with it directly. */
static bool against(const unf_unfolding *u, uint32_t event, uint32_t instead) {
  return unfi_dependent(u, action_of(u, event), action_of(u, instead)) &&
         !unfi_precedes(u, event, instead);
}

/* Whether the run would turn to an event, all of whose causes are on the path, before the one that
 * it turned to. */
static bool is_rival(const unf_explorer *x, uint32_t event, const struct eager_turn *turn) {
  const unf_unfolding *u = x->u;
  if (action_of(u, event)->thread >= action_of(u, turn->event)->thread) return false;
  if (!against(u, event, turn->instead) || unfi_precedes(u, turn->event, event)) return false;
  for (uint32_t i = turn->position; i < x->path.count; i++) {
    uint32_t cause = x->path.data[i].event;
    if (cause != event && unfi_precedes(u, cause, event) && against(u, cause, turn->instead))
      return false;
  }
  return true;
}

/* Where the path takes something that conflicts with an event, or its end. */
static uint32_t position_of(const unf_explorer *x, uint32_t f) {
  uint32_t i = 0;
  while (i < x->path.count && !against(x->u, x->path.data[i].event, f))
    i++;
  return i;
}

static bool is_made(const unf_explorer *x, uint32_t f) {
  const unf_unfolding *u = x->u;
  const struct eager *e = &x->eager;
  uint32_t position = position_of(x, f);
  if (position == x->path.count) return false;
  for (uint32_t i = e->turns.count; i > 0; i--) {
    uint32_t to = e->turns.data[i - 1].event;
    if (known_at(x, to)->step <= position) break;
    if (!unfi_precedes(u, to, f)) return false;
  }
  for (uint32_t i = position; i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event;
    if (!unfi_precedes(u, event, f)) continue;
    if (against(u, event, x->path.data[position].event)) return false;
    for (uint32_t j = 0; j < e->turns.count; j++)
      if (is_rival(x, event, &e->turns.data[j])) return false;
  }
  for (uint32_t j = 0; j < e->turns.count; j++)
    if (is_rival(x, f, &e->turns.data[j])) return false;
  return true;
}

struct listing {
  unf_explorer *x;
  unf_status status;
};

static bool list(void *user, const struct causes *causes) {
  struct listing *in = user;
  unf_explorer *x = in->x;
  unf_context *context = x->u->context;
  struct reversals *r = &x->reversals;
  uint32_t f;
  in->status = unfi_event_intern(x->u, causes, &f);
  if (in->status != UNF_OK) return false;
  if (!unfi_known_reserve(x) || !vector_reserve_zero(context, &r->stamps, x->u->event_count) ||
      !vector_reserve(context, &x->eager.todo, (uint64_t)x->eager.todo.count + 1)) {
    in->status = unfi_refused(context);
    return false;
  }
  unfi_known_add(x, f);
  if (r->stamps.data[f] == r->stamp) return true;
  r->stamps.data[f] = r->stamp;
  x->counts.alternatives.searches++;
  if (is_made(x, f)) vector_push(&x->eager.todo, f);
  return true;
}

/* Whether the execution has a row of turns that counts and is not this one. */
static bool is_again(const unf_explorer *x) {
  const struct eager *e = &x->eager;
  for (uint32_t j = 0; j < e->turns.count; j++)
    for (uint32_t i = e->turns.data[j].position; i < x->path.count; i++)
      if (is_rival(x, x->path.data[i].event, &e->turns.data[j])) return true;
  return false;
}

unf_status unfi_eager_turns(unf_explorer *x, bool *again) {
  unf_unfolding *u = x->u;
  struct reversals *r = &x->reversals;
  struct cut C = configuration_cut(&x->C);
  struct listing in = {x, UNF_OK};
  if (++r->stamp == 0) {
    vector_free(u->context, &r->stamps);
    r->stamp = 1;
  }
  x->eager.todo.count = x->eager.first_todo;
  unf_status status = UNF_OK;
  for (uint32_t i = 0; status == UNF_OK && i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event, thread = action_of(u, event)->thread;
    status = unfi_conflicting(u, C, thread, event_at(u, event)->before, event, list, &in);
    if (status == UNF_OK) status = in.status;
  }
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    status = unfi_conflicting(u, C, t, last, NONE, list, &in);
    if (status == UNF_OK) status = in.status;
  }
  if (status != UNF_OK) return status;
  x->eager.low = x->path.count;
  *again = is_again(x);
  return UNF_OK;
}

static void step_back(unf_explorer *x) {
  unfi_path_pop(x);
  if (x->path.count < x->eager.low) x->eager.low = x->path.count;
}

static void count_waiting(unf_explorer *x) {
  const struct eager *e = &x->eager;
  uint64_t events = (uint64_t)e->held.count + e->todo.count;
  uint64_t bytes = events * sizeof(uint32_t) + e->suspended.count * sizeof(struct suspended) +
                   ((uint64_t)e->turns.count + e->dropped.count) * sizeof(struct eager_turn);
  if (events > x->counts.waiting) x->counts.waiting = events;
  if (bytes > x->counts.waiting_bytes) x->counts.waiting_bytes = bytes;
}

/* Suspends the run at hand for its next turn; false: refused. */
static bool turn(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct eager *e = &x->eager;
  uint32_t f = e->todo.data[e->todo.count - 1], fork = position_of(x, f);
  uint32_t steps = x->path.count - fork;
  if (!vector_reserve(context, &e->suspended, (uint64_t)e->suspended.count + 1) ||
      !vector_reserve(context, &e->held, (uint64_t)e->held.count + steps) ||
      !vector_reserve(context, &e->dropped, (uint64_t)e->dropped.count + e->turns.count) ||
      !vector_reserve(context, &e->turns, (uint64_t)e->turns.count + 1) ||
      !vector_reserve(context, &x->clue, (uint64_t)steps + 1))
    return false;
  struct suspended run = {fork, steps, 0, e->first_todo};
  struct eager_turn turn = {f, x->path.data[fork].event, fork};
  e->todo.count--;
  x->clue.count = 0;
  for (uint32_t i = fork; i < x->path.count; i++) {
    uint32_t event = x->path.data[i].event;
    vector_push(&e->held, event);
    if (unfi_precedes(x->u, event, f)) vector_push(&x->clue, event);
  }
  vector_push(&x->clue, f);
  for (; e->turns.count > 0 && e->turns.data[e->turns.count - 1].position >= fork; run.dropped++)
    vector_push(&e->dropped, e->turns.data[--e->turns.count]);
  vector_push(&e->turns, turn);
  while (x->path.count > fork)
    step_back(x);
  e->first_todo = e->todo.count;
  vector_push(&e->suspended, run);
  count_waiting(x);
  return true;
}

/* Performs the steps of the last suspended run again, beyond the path; false: refused midway. */
static bool go_forward(unf_explorer *x) {
  struct eager *e = &x->eager;
  struct suspended run = e->suspended.data[e->suspended.count - 1];
  uint32_t held = e->held.count - run.steps;
  for (uint32_t depth; (depth = x->path.count) < run.fork + run.steps;)
    if (!unfi_path_reserve(x) || !unfi_path_push(x, e->held.data[held + depth - run.fork]))
      return false;
  e->turns.count--;
  for (uint32_t i = 0; i < run.dropped; i++)
    vector_push(&e->turns, e->dropped.data[--e->dropped.count]);
  e->held.count = held;
  e->first_todo = run.first_todo;
  e->suspended.count--;
  return true;
}

unf_status unfi_eager_branch(unf_explorer *x) {
  struct eager *e = &x->eager;
  while (e->resuming || (e->todo.count == e->first_todo && e->suspended.count > 0)) {
    unf_status status = unfi_poll(x->u->context);
    if (status != UNF_OK) return status;
    while (!e->resuming && x->path.count > e->suspended.data[e->suspended.count - 1].fork)
      step_back(x);
    e->resuming = true;
    if (!go_forward(x)) return unfi_refused(x->u->context);
    e->resuming = false;
  }
  bool found = e->todo.count > e->first_todo;
  if (found && !turn(x)) return unfi_refused(x->u->context);
  while (!found && x->path.count > 0)
    step_back(x);
  x->branch = found ? BRANCH_DECIDED : BRANCH_NONE;
  x->base = x->path.count;
  x->shared = e->low;
  unfi_saves_forget(x, &x->saves.path, x->shared + 1);
  return UNF_OK;
}
