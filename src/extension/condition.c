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
#include "extension/exact.h"
#include "extension/mutex.h"
#include "extension/reversing.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/relation.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/sets.h"

enum waiting { AWAY, WAITING, NOTIFIED };

static enum waiting waiting_at(const unf_unfolding *u, struct cut cut, uint32_t site) {
  uint32_t write = entry_write(u, cut_at(cut, site));
  if (write == 0) return AWAY;
  switch (action_of(u, write)->kind) {
  case UNF_DID_WAIT:
    return WAITING;
  case UNF_DID_SIGNAL:
  case UNF_DID_BROADCAST:
    return NOTIFIED;
  default:
    return AWAY;
  }
}

static enum waiting waiting_of(const unf_unfolding *u, struct cut cut, uint32_t condition,
                               uint32_t thread) {
  for (uint32_t i = u->objects.data[condition].waiters; i != 0; i = u->waiters.data[i - 1].next)
    if (u->waiters.data[i - 1].thread == thread)
      return waiting_at(u, cut, u->waiters.data[i - 1].site);
  return AWAY;
}

/* The first waiter of the list from i on that waits; 0: none. */
static uint32_t next_waiting(const unf_unfolding *u, struct cut cut, uint32_t i) {
  while (i != 0 && waiting_at(u, cut, u->waiters.data[i - 1].site) != WAITING)
    i = u->waiters.data[i - 1].next;
  return i;
}

static bool anybody_waits(const unf_unfolding *u, struct cut cut, uint32_t condition) {
  return next_waiting(u, cut, u->objects.data[condition].waiters) != 0;
}

static unf_status waiting_set(unf_unfolding *u, struct cut cut, uint32_t condition, int64_t *set) {
  uint32_t count = 0, first = next_waiting(u, cut, u->objects.data[condition].waiters);
  if (!vector_reserve(u->context, &u->store.entry_room, u->threads.count))
    return unfi_refused(u->context);
  for (uint32_t i = first; i != 0; i = next_waiting(u, cut, u->waiters.data[i - 1].next))
    u->store.entry_room.data[count++] = u->waiters.data[i - 1].thread;
  return unf_thread_set(u, u->store.entry_room.data, count, set);
}

static unf_status signal(unf_unfolding *u, struct cut cut, unf_action *action,
                         outcome_visitor visit, void *user) {
  uint32_t i = next_waiting(u, cut, u->objects.data[action->target].waiters);
  action->kind = UNF_DID_SIGNAL;
  action->value = UNF_LOST;
  if (i == 0) visit(user, action);
  for (; i != 0; i = next_waiting(u, cut, u->waiters.data[i - 1].next)) {
    action->value = u->waiters.data[i - 1].thread;
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
    status = waiting_set(u, cut, operation->target, &action.value);
    break;
  default:
    waiting = waiting_of(u, cut, operation->target, thread);
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
               waiting_of(u, cut, action->target, action->thread) == NOTIFIED;
    break;
  case UNF_DID_TIMEOUT:
    possible = waiting_of(u, cut, action->target, action->thread) == WAITING;
    break;
  case UNF_DID_SIGNAL:
    possible = action->value == UNF_LOST
                   ? !anybody_waits(u, cut, action->target)
                   : waiting_of(u, cut, action->target, (uint32_t)action->value) == WAITING;
    break;
  default:
    status = waiting_set(u, cut, action->target, &set);
    possible = status == UNF_OK && set == action->value;
  }
  return status == UNF_OK && !possible ? UNF_DISABLED : status;
}

/* The event of C that ends the wait which stands in P at a waiter's place; 0: none. */
static uint32_t end_of_wait(const struct enumeration *e, uint32_t site, uint32_t wait) {
  const unf_unfolding *u = e->u;
  uint32_t end = entry_write(u, cut_at(e->C, site)), next = 0;
  while (end > wait) {
    next = end;
    end = entry_write(u, unfi_entry_before(u, end, site));
  }
  return end == wait ? next : 0;
}

/* A notification can only be lost when nobody waits: to take the beginning of a wait means to take
 * the end of it too, which is the one event that follows it at the waiter's place; where there is
 * none, it cannot be taken. */
static bool end_waits(struct enumeration *e) {
  const unf_unfolding *u = e->u;
  const struct object *condition = &u->objects.data[e->operation->target];
  for (uint32_t i = condition->waiters; i != 0;) {
    uint32_t site = u->waiters.data[i - 1].site;
    uint32_t last = entry_write(u, cut_at(unfi_exact_taken(e), site));
    i = u->waiters.data[i - 1].next;
    if (last == 0 || action_of(u, last)->kind != UNF_DID_WAIT) continue;
    uint32_t end = end_of_wait(e, site, last);
    if (end == 0 || !unfi_exact_take(e, end)) return false;
    i = condition->waiters; /* its history may have begun other waits */
  }
  return true;
}

static bool signal_shapes(const unf_unfolding *u, struct cut cut, struct shape *shape,
                          shape_visitor visit, void *user) {
  shape->action.kind = UNF_DID_SIGNAL;
  for (uint32_t i = u->objects.data[shape->action.target].waiters; i != 0;
       i = u->waiters.data[i - 1].next) {
    shape->action.value = u->waiters.data[i - 1].thread;
    bool waits = cut_at(cut, u->waiters.data[i - 1].site) != 0;
    if (waits && shape->action.value != shape->action.thread && !visit(user, shape)) return false;
  }
  shape->action.value = UNF_LOST;
  shape->complete = end_waits;
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
    shape.complete = end_waits;
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
  if (!wakes || waiting_of(u, cut, operation->target, thread) != NOTIFIED) return 0;
  out[0] = entry_write(u, cut_at(cut, u->objects.data[operation->second].site));
  return 1;
}

static bool use(unf_unfolding *u, uint32_t site, enum access access) {
  if (site == NONE || !vector_reserve(u->context, &u->use_room, u->use_room.count + 1))
    return false;
  struct use use = {site, access};
  vector_push(&u->use_room, use);
  return true;
}

static bool use_waiter(unf_unfolding *u, uint32_t condition, uint32_t thread) {
  return use(u, unfi_waiter_site(u, condition, thread), ACCESS_WRITE);
}

static unf_status notified(unf_unfolding *u, const unf_action *action) {
  uint32_t site = u->objects.data[action->target].site, count;
  const uint32_t *members = unfi_set(u, action->value, &count);
  if (members == NULL && action->value != 0)
    return unfi_fail(u->context, UNF_UNKNOWN, "set of threads");
  if (!use(u, site, count == 0 ? ACCESS_READ : ACCESS_WRITE)) return unfi_refused(u->context);
  for (uint32_t i = 0; i < count; i++)
    if (!use_waiter(u, action->target, unfi_set(u, action->value, &count)[i]))
      return unfi_refused(u->context);
  return UNF_OK;
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  uint32_t site = u->objects.data[action->target].site;
  bool enough;
  switch (action->kind) {
  case UNF_DID_WAIT:
    enough = use(u, u->objects.data[action->second].site, ACCESS_WRITE) &&
             use(u, site, ACCESS_ADD) && use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_WAKE:
    enough = use(u, u->objects.data[action->second].site, ACCESS_WRITE) &&
             use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_TIMEOUT:
    enough = use(u, site, ACCESS_ADD) && use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_SIGNAL:
    if (action->value == UNF_LOST) {
      enough = use(u, site, ACCESS_READ);
      break;
    }
    if (action->value < 0 || action->value >= (int64_t)u->threads.count)
      return unfi_fail(u->context, UNF_UNKNOWN, "thread that is notified");
    enough = use(u, site, ACCESS_ADD) && use_waiter(u, action->target, (uint32_t)action->value);
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
  for (uint32_t i = u->objects.data[operation->target].waiters; i != 0;
       i = u->waiters.data[i - 1].next) {
    const struct waiter *w = &u->waiters.data[i - 1];
    if (w->thread != thread) continue;
    uint32_t entry = event != NONE ? unfi_entry_before(u, event, w->site) : cut_at(cut, w->site);
    return entry_write(u, entry);
  }
  return 0;
}

/* Rule 2. Takes out what waits, round after round, since that may bring others back. */
static void lose(unf_unfolding *u, struct reversal *r, uint32_t event) {
  const struct action *a = action_of(u, event);
  uint32_t condition = a->target, thread = a->thread, before = event_at(u, event)->before;
  if (!unfi_without_event(r, event)) return;
  while (!unfi_reversal_stopped(r) && anybody_waits(u, unfi_reversal_P(r), condition)) {
    for (uint32_t i = u->objects.data[condition].waiters; i != 0; i = u->waiters.data[i - 1].next) {
      uint32_t last = entry_write(u, cut_at(unfi_reversal_P(r), u->waiters.data[i - 1].site));
      if (last == 0 || action_of(u, last)->kind != UNF_DID_WAIT) continue;
      if (unfi_precedes(u, last, before) || !unfi_leave_out(r, last)) return;
    }
    if (!unfi_without(r)) return;
  }
  if (!unfi_reversal_stopped(r)) unfi_at(r, thread, before);
}

/* The event that is left out beside a notification, if `end` and `wait` are writes in M at a
 * waiter's place with none between; 0: none. */
typedef uint32_t (*opponent_function)(const unf_unfolding *u, uint32_t event, uint32_t end,
                                      uint32_t wait);

/* Rule 3. */
static uint32_t taken_by_another(const unf_unfolding *u, uint32_t event, uint32_t end,
                                 uint32_t wait) {
  bool ends = wait != 0 && action_of(u, wait)->kind == UNF_DID_WAIT && end != event &&
              !unfi_precedes(u, end, event_at(u, event)->before) && !unfi_precedes(u, event, wait);
  return ends ? end : 0;
}

/* Rule 5. */
static uint32_t not_begun(const unf_unfolding *u, uint32_t event, uint32_t end, uint32_t wait) {
  bool ends = action_of(u, end)->kind == UNF_DID_TIMEOUT && unfi_precedes(u, end, event) &&
              !unfi_precedes(u, wait, event_at(u, event)->before);
  return ends ? wait : 0;
}

static void reverse_against(unf_unfolding *u, struct reversal *r, uint32_t event,
                            opponent_function opponent) {
  struct cut M = unfi_reversal_M(r);
  uint32_t condition = action_of(u, event)->target;
  for (uint32_t i = u->objects.data[condition].waiters; i != 0; i = u->waiters.data[i - 1].next) {
    uint32_t site = u->waiters.data[i - 1].site;
    for (uint32_t end = entry_write(u, cut_at(M, site)), wait; end != 0; end = wait) {
      wait = entry_write(u, unfi_entry_before(u, end, site));
      uint32_t out = opponent(u, event, end, wait);
      if (out == 0) continue;
      if (!unfi_without_event(r, event) || !unfi_leave_out(r, out) || !unfi_without(r)) return;
      unfi_at(r, action_of(u, event)->thread, event_at(u, event)->before);
      if (unfi_reversal_stopped(r)) return;
    }
  }
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
  if (kind == UNF_DID_SIGNAL || kind == UNF_DID_BROADCAST) reverse_against(u, r, event, not_begun);
  if (kind != UNF_DID_SIGNAL) return;
  if (!unfi_reversal_stopped(r)) unfi_reverse_in_place(r, event);
  if (!unfi_reversal_stopped(r)) lose(u, r, event);
  if (!unfi_reversal_stopped(r)) reverse_against(u, r, event, taken_by_another);
}

static void reverse_end(unf_unfolding *u, struct reversal *r, uint32_t thread, uint32_t before) {
  time_out(u, r, thread, before, NONE);
}

static uint32_t awaited(const unf_unfolding *u, struct cut cut, const unf_operation *operation) {
  return operation->kind == UNF_WAKE ? unfi_mutex_last(u, cut, operation->second) : NONE;
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_WAIT, .second = SECOND_MUTEX, .uses = uses},
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
