/*
 * Condition variables, dependence to the letter of appendix D of the extended symbolic paper. A
 * thread that waits has a place among the waiters, a site of its own, which its w1, w2 and time-out
 * and the notifications of it write. On the condition variable itself w1, time-outs and
 * notifications of one thread add (they commute with each other), lost notifications read (they
 * need to know that nobody waits, and commute with each other), and a broadcast that notifies
 * somebody writes.
 *
 * A time-out ends the waiting like a notification, but is an action of the thread itself. It does
 * not take the mutex, because a notification between it and the thread's lock is one of the others,
 * or lost.
 *
 * To the reversals of races (extension/reversal.c) these rules are added, because a signal does not
 * depend on other waiters, which yet decide what choices it has. M \ ↑e is the maximal
 * configuration M without e and its successors.
 * 1. Another waiter: for every signal e, the others that it could have notified at M \ ↑e.
 * 2. Lost signal: for every signal e, from M \ ↑e every beginning of a wait that is not notified is
 *    taken out until nobody waits.
 * 3. Waiter taken by another: for every signal e and every w1 in M \ ↑e that something else ended,
 *    that end is taken out too, and the signal notifies this thread.
 * 4. Time-out: for every w2 of a timed wait, and every one that is still to come at the end, the
 *    thread could have timed out before its notification, also where other events stand between.
 * 5. Wait not begun: for every notification e and every time-out before it, the wait that ended so
 *    could have begun after it.
 */
#include "extension/mutex.h"
#include "extension/waiters.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"

static unf_status signal(unf_unfolding *u, struct cut cut, unf_action *action,
                         outcome_visitor visit, void *user) {
  uint32_t i = unfi_next_waiting(u, cut, first_waiter(u, action->target));
  action->kind = UNF_DID_SIGNAL;
  action->value = UNF_LOST;
  if (i == 0) visit(user, action);
  for (; i != 0; i = unfi_next_waiting(u, cut, next_waiter(u, i))) {
    action->value = waiter_at(u, i)->thread;
    if (!visit(user, action)) break;
  }
  return UNF_OK;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_WAKE, thread, operation->target, operation->second, 0};
  unf_status status = UNF_OK;
  bool timed = operation->kind == UNF_TIMED_WAKE, possible = true;
  enum waiting waiting;
  switch (operation->kind) {
  case UNF_WAIT:
    action.kind = UNF_DID_WAIT;
    possible = unfi_mutex_owner(u, cut, operation->second) == thread;
    break;
  case UNF_SIGNAL:
    return signal(u, cut, &action, visit, user);
  case UNF_BROADCAST:
    action.kind = UNF_DID_BROADCAST;
    status = unfi_waiting_set(u, cut, operation->target, &action.value);
    break;
  default:
    waiting = unfi_waiting_of(u, cut, operation->target, thread);
    possible = waiting == NOTIFIED && unfi_mutex_owner(u, cut, operation->second) == NONE;
    if (timed && waiting == WAITING) {
      action.kind = UNF_DID_TIMEOUT;
      action.second = 0;
      possible = true;
    }
  }
  if (status == UNF_OK && possible) visit(user, &action);
  return status;
}

static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  bool possible;
  int64_t set;
  unf_status status = UNF_OK;
  switch (action->kind) {
  case UNF_DID_WAIT:
    possible = unfi_mutex_owner(u, cut, action->second) == action->thread;
    break;
  case UNF_DID_WAKE:
    possible = unfi_mutex_owner(u, cut, action->second) == NONE &&
               unfi_waiting_of(u, cut, action->target, action->thread) == NOTIFIED;
    break;
  case UNF_DID_TIMEOUT:
    possible = unfi_waiting_of(u, cut, action->target, action->thread) == WAITING;
    break;
  case UNF_DID_SIGNAL:
    possible = action->value == UNF_LOST
                   ? !unfi_anybody_waits(u, cut, action->target)
                   : unfi_waiting_of(u, cut, action->target, (uint32_t)action->value) == WAITING;
    break;
  default:
    status = unfi_waiting_set(u, cut, action->target, &set);
    possible = status == UNF_OK && set == action->value;
  }
  return status == UNF_OK && !possible ? UNF_DISABLED : status;
}

static bool signal_shapes(const unf_unfolding *u, struct cut cut, struct shape *shape,
                          shape_visitor visit, void *user) {
  shape->action.kind = UNF_DID_SIGNAL;
  for (uint32_t i = first_waiter(u, shape->action.target); i != 0; i = next_waiter(u, i)) {
    shape->action.value = waiter_at(u, i)->thread;
    bool waits = cut_at(cut, waiter_at(u, i)->site) != 0;
    if (waits && shape->action.value != shape->action.thread && !visit(user, shape)) return false;
  }
  shape->action.value = UNF_LOST;
  shape->complete = unfi_end_waits;
  return true;
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {.action = {UNF_DID_WAKE, thread, operation->target, operation->second, 0}};
  switch (operation->kind) {
  case UNF_WAIT:
    shape.action.kind = UNF_DID_WAIT;
    break;
  case UNF_SIGNAL:
    if (!signal_shapes(u, cut, &shape, visit, user)) return UNF_OK;
    break;
  case UNF_BROADCAST:
    shape.action.kind = UNF_DID_BROADCAST;
    shape.sites = &u->objects.data[operation->target].site;
    shape.site_count = 1;
    shape.other_values = true; /* than that of the empty set */
    if (!visit(user, &shape)) return UNF_OK;
    shape.sites = NULL;
    shape.other_values = false;
    shape.complete = unfi_end_waits;
    break;
  case UNF_TIMED_WAKE:
    if (!visit(user, &shape)) return UNF_OK;
    shape.action.kind = UNF_DID_TIMEOUT;
    shape.action.second = 0;
    break;
  default:
    break;
  }
  visit(user, &shape);
  return UNF_OK;
}

/* A notified thread that waits for its mutex. */
static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  bool wakes = operation->kind == UNF_WAKE || operation->kind == UNF_TIMED_WAKE;
  if (!wakes || unfi_waiting_of(u, cut, operation->target, thread) != NOTIFIED) return 0;
  out[0] = entry_write(u, cut_at(cut, u->objects.data[operation->second].site));
  return 1;
}

static unf_status notified(unf_unfolding *u, const unf_action *action) {
  uint32_t site = u->objects.data[action->target].site;
  enum access access = action->value == 0 ? ACCESS_READ : ACCESS_WRITE;
  if (!unfi_use(u, site, access)) return unfi_refused(u->context);
  return unfi_use_waiters(u, action->target, action->value);
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  uint32_t site = u->objects.data[action->target].site;
  bool enough;
  switch (action->kind) {
  case UNF_DID_WAIT:
    enough = unfi_use(u, u->objects.data[action->second].site, ACCESS_WRITE) &&
             unfi_use(u, site, ACCESS_ADD) && unfi_use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_WAKE:
    enough = unfi_use(u, u->objects.data[action->second].site, ACCESS_WRITE) &&
             unfi_use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_TIMEOUT:
    enough = unfi_use(u, site, ACCESS_ADD) && unfi_use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_SIGNAL:
    if (action->value == UNF_LOST) {
      enough = unfi_use(u, site, ACCESS_READ);
      break;
    }
    if (action->value < 0 || action->value >= (int64_t)u->threads.count)
      return unfi_fail(u->context, UNF_UNKNOWN, "thread that is notified");
    enough = unfi_use(u, site, ACCESS_ADD) &&
             unfi_use_waiter(u, action->target, (uint32_t)action->value);
    break;
  default:
    return notified(u, action);
  }
  return enough ? UNF_OK : unfi_refused(u->context);
}

/* ---- reversals ---- */

/* What ended the wait of a thread that wakes up. */
static uint32_t needed(unf_unfolding *u, struct cut cut, uint32_t thread,
                       const unf_operation *operation, uint32_t event) {
  if (operation->kind != UNF_WAKE && operation->kind != UNF_TIMED_WAKE) return 0;
  return unfi_last_at_place(u, cut, operation->target, thread, event);
}

/* Rule 4: the operation of a thread that its notification took to be a wake-up. */
static void time_out(unf_unfolding *u, struct reversal *r, uint32_t thread, uint32_t before,
                     uint32_t event) {
  const unf_operation *operation = &u->operations.data[next_after(u, thread, before)];
  if (operation->kind != UNF_TIMED_WAKE) return;
  if (unfi_without_event(r, needed(u, unfi_reversal_M(r), thread, operation, event)))
    unfi_at(r, thread, before);
}

static void reverse(unf_unfolding *u, struct reversal *r, uint32_t event) {
  const struct action *a = action_of(u, event);
  uint32_t kind = a->kind;
  if (kind == UNF_DID_WAKE) time_out(u, r, a->thread, event_at(u, event)->before, event);
  if (kind == UNF_DID_SIGNAL || kind == UNF_DID_BROADCAST)
    unfi_reverse_against(u, r, event, unfi_not_begun);
  if (kind != UNF_DID_SIGNAL) return;
  if (!unfi_reversal_stopped(r)) unfi_reverse_in_place(r, event);
  if (!unfi_reversal_stopped(r)) unfi_reverse_to_set(u, r, event, 0);
  if (!unfi_reversal_stopped(r)) unfi_reverse_against(u, r, event, unfi_taken_by_another);
}

static void reverse_end(unf_unfolding *u, struct reversal *r, uint32_t thread, uint32_t before) {
  time_out(u, r, thread, before, NONE);
}

static uint32_t awaited(const unf_unfolding *u, struct cut cut, const unf_operation *operation) {
  return operation->kind == UNF_WAKE ? unfi_mutex_last(u, cut, operation->second) : NONE;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_WAIT, .second = SECOND_MUTEX, .uses = uses, .waits = true},
    {.kind = UNF_DID_WAKE, .second = SECOND_MUTEX, .uses = uses},
    {.kind = UNF_DID_TIMEOUT, .uses = uses},
    {.kind = UNF_DID_SIGNAL, .value = VALUE_THREAD, .uses = uses},
    {.kind = UNF_DID_BROADCAST, .value = VALUE_THREADS, .uses = uses},
};

static const struct operation_row operations[] = {
    {.kind = UNF_WAIT, .second = SECOND_MUTEX, .contended = CONTENDED_TARGET},
    {.kind = UNF_WAKE, .second = SECOND_MUTEX, .contended = CONTENDED_SECOND},
    {.kind = UNF_TIMED_WAKE, .second = SECOND_MUTEX, .contended = CONTENDED_SECOND},
    {.kind = UNF_SIGNAL, .contended = CONTENDED_TARGET},
    {.kind = UNF_BROADCAST, .contended = CONTENDED_TARGET},
};

const struct effect_family unfi_condition_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .blockers = blockers,
    .needed = needed,
    .reverse = reverse,
    .reverse_end = reverse_end,
    .awaited = awaited,
};
