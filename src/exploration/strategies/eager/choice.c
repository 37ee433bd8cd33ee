/*
 * UNF_EAGER: how a run goes on, by the least event that is enabled.
 *
 * The least event of each thread is kept in a heap while it cannot change, and so is that a thread
 * has none; threads of which it may have changed are those of the ready set (exploration/ready.h).
 * O(log threads) for each of these.
 */
#include "exploration/strategies/eager/choice.h"

#include <string.h>

#include "exploration/strategies/eager/rank.h"
#include "extension/adds.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/event.h"

/* ---- the heap ---- */

void unfi_enabled_free(unf_context *context, struct enabled *e) {
  vector_free(context, &e->events);
  vector_free(context, &e->heap);
  vector_free(context, &e->places);
}

/* Room for so many threads. Returns false when refused. */
static bool reserve(unf_context *context, struct enabled *e, uint32_t threads) {
  return vector_reserve_zero(context, &e->events, threads) &&
         vector_reserve_zero(context, &e->places, threads) &&
         vector_reserve(context, &e->heap, threads);
}

/* No thread is known to be able to do anything. */
static void empty(struct enabled *e) {
  e->heap.count = e->stuck = 0;
  if (e->events.capacity > 0)
    memset(e->events.data, 0, e->events.capacity * sizeof *e->events.data);
  if (e->places.capacity > 0)
    memset(e->places.data, 0, e->places.capacity * sizeof *e->places.data);
}

static bool comes_before(const unf_explorer *x, uint32_t thread, uint32_t other) {
  const uint32_t *events = eager_of(x)->enabled.events.data;
  return unfi_is_before(x, events[thread], events[other]);
}

static void put(struct enabled *e, uint32_t place, uint32_t thread) {
  e->heap.data[place] = thread;
  e->places.data[thread] = place + 1;
}

/* Puts a thread where it belongs, from a place on that is free. */
static void sift(unf_explorer *x, uint32_t place, uint32_t thread) {
  struct enabled *e = &eager_of(x)->enabled;
  const uint32_t *heap = e->heap.data;
  for (; place > 0 && comes_before(x, thread, heap[(place - 1) / 2]); place = (place - 1) / 2)
    put(e, place, heap[(place - 1) / 2]);
  for (uint32_t child; (child = 2 * place + 1) < e->heap.count; place = child) {
    if (child + 1 < e->heap.count && comes_before(x, heap[child + 1], heap[child])) child++;
    if (!comes_before(x, heap[child], thread)) break;
    put(e, place, heap[child]);
  }
  put(e, place, thread);
}

/* The least event of a thread is this one; 0: it has none. There is room. */
static void set_event(unf_explorer *x, uint32_t thread, uint32_t event) {
  struct enabled *e = &eager_of(x)->enabled;
  uint32_t place = e->places.data[thread];
  e->events.data[thread] = event;
  if (event != 0) {
    sift(x, place != 0 ? place - 1 : e->heap.count++, thread);
  } else if (place != 0) {
    uint32_t last = e->heap.data[--e->heap.count];
    e->places.data[thread] = 0;
    if (last != thread) sift(x, place - 1, last);
  }
}

/* The least event of all; 0: none. */
static uint32_t least_of_all(const struct enabled *e) {
  return e->heap.count > 0 ? e->events.data[e->heap.data[0]] : 0;
}

/* ---- the least event of a thread ---- */

struct least_choice {
  unf_explorer *x;
  bool ascending; /* the first is the least */
  uint32_t least; /* event, or 0 */
  unf_status status;
};

static bool consider(void *user, const unf_action *action) {
  struct least_choice *c = user;
  unf_explorer *x = c->x;
  struct causes causes;
  uint32_t event;
  c->status = unfi_causes_of_outcome(x->u, configuration_cut(&x->path.C), action, &causes);
  if (c->status == UNF_OK) c->status = unfi_event_intern(x->u, &causes, &event);
  if (c->status == UNF_OK && !unfi_rank(x)) c->status = unfi_refused(x->u->context);
  if (c->status != UNF_OK) return false;
  if (c->least == 0 || unfi_is_before(x, event, c->least)) c->least = event;
  return !c->ascending;
}

static unf_status look_at(unf_explorer *x, uint32_t thread) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  uint32_t next = x->run.ready.next.data[thread];
  const unf_operation *operation = &u->operations.data[next];
  struct siblings siblings;
  struct least_choice choice = {.x = x};
  unfi_count(u->context, 1);
  choice.ascending = unfi_siblings(u, operation, &siblings) || operation->kind == UNF_BRANCH;
  unf_status status = unfi_outcomes(u, C, thread, next, consider, &choice);
  if (status == UNF_OK) status = choice.status;
  if (status != UNF_OK) return status;
  set_event(x, thread, choice.least);
  bool good = unfi_ready_wait(u, &x->run.ready, thread, &u->operations.data[next]);
  return good ? UNF_OK : unfi_refused(u->context);
}

/* What was performed is no longer to come, also where its thread has come to its end. */
static void drop_performed(unf_explorer *x) {
  if (x->path.steps.count == 0) return;
  uint32_t last = x->path.steps.data[x->path.steps.count - 1].event;
  uint32_t thread = action_of(x->u, last)->thread;
  if (eager_of(x)->enabled.events.data[thread] == last) set_event(x, thread, 0);
}

/* Brings the heap up to date. */
static unf_status update(unf_explorer *x) {
  unf_unfolding *u = x->u;
  struct ready *ready = &x->run.ready;
  bool first = !ready->made;
  if (!reserve(u->context, &eager_of(x)->enabled, u->threads.count))
    return unfi_refused(u->context);
  unf_status status = unfi_ready_update(u, ready, configuration_cut(&x->path.C));
  if (status == UNF_OK && first) empty(&eager_of(x)->enabled);
  if (status == UNF_OK) drop_performed(x);
  for (uint32_t t = 0; status == UNF_OK; t++) {
    t = unfi_ready_next(ready, t);
    if (t == NONE) break;
    status = look_at(x, t);
  }
  return status;
}

/* ---- branches ---- */

/* Puts the outcome after an event of a branch into its place. */
static unf_status next_outcome(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  uint32_t thread = action_of(u, event)->thread, before = event_at(u, event)->before, other = 0;
  int64_t value = action_of(u, event)->value + 1;
  struct causes causes;
  if (value < u->operations.data[next_after(u, thread, before)].high) {
    unf_status status = unfi_sibling(u, event, value, &causes);
    if (status == UNF_OK) status = unfi_event_intern(u, &causes, &other);
    if (status == UNF_OK && !unfi_rank(x)) status = unfi_refused(u->context);
    if (status != UNF_OK) return status;
  }
  eager_of(x)->enabled.stuck += other == 0;
  set_event(x, thread, other);
  return UNF_OK;
}

/* Whether a branch event can be the next step. One before the last step cannot: only where the
 * predicate does not know is it still to be taken there, and then other runs have it. */
static unf_status is_possible(unf_explorer *x, uint32_t event, bool *out) {
  uint32_t steps = x->path.steps.count;
  unf_answer answer;
  *out = steps == 0 || unfi_is_before(x, x->path.steps.data[steps - 1].event, event);
  if (!*out) return UNF_OK;
  if (!unfi_list_branches(x, steps)) return unfi_refused(x->u->context);
  unf_status status = unfi_next_ask(x, event, &answer);
  *out = status == UNF_OK && answer != UNF_ANSWER_NO;
  return status;
}

/* A branch is asked about when it comes first. */
unf_status unfi_choose_least(unf_explorer *x) {
  const struct enabled *e = &eager_of(x)->enabled;
  unf_status status = update(x);
  while (status == UNF_OK && e->heap.count > 0 && is_branch(x->u, least_of_all(e))) {
    bool possible;
    status = is_possible(x, least_of_all(e), &possible);
    if (status != UNF_OK || possible) break;
    status = next_outcome(x, least_of_all(e));
  }
  if (status != UNF_OK) return status;
  uint32_t least = least_of_all(e);
  x->run.step.kind = least != 0     ? UNF_STEP_ACTION
                     : e->stuck > 0 ? UNF_STEP_INFEASIBLE
                                    : UNF_STEP_MAXIMAL;
  if (least != 0) x->run.step.action = unfi_action(x->u, event_at(x->u, least)->action);
  x->run.chosen = least != 0 ? least : NONE;
  return UNF_OK;
}
