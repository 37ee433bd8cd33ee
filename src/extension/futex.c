/*
 * Futexes: a queue of threads beside a location of memory. A wait compares the location and enters
 * the queue in one step. It reads the location; by the queue it depends on wakes alone, and a wake
 * uses nothing but the queue.
 *
 * A thread has a place in the queue (waiters.h), written by its wait, what wakes it, its return and
 * its time-out. A wake of as many threads as were asked for (fwake) depends on what its members do,
 * and on nobody else in the queue. One that finds fewer (fwakeall) wakes all, and depends on who is
 * there. So on the queue itself waits, time-outs and fwakes add, an fwakeall of nobody reads, and
 * one of somebody writes: fwakes of different threads commute, as lost wakes do. A wake of 0
 * threads uses nothing.
 *
 * Reversals of a wake that was asked for n threads, where `places` counts the threads that waited
 * in M. M \ ↑e is the maximal configuration M without e and its successors.
 * 1. Another choice: all that it could have done at M \ ↑e.
 * 2. Waiter taken by another: for every wait in M \ ↑e that something else ended, that end is taken
 *    out too.
 * 3. Fewer than n: it does not depend on all that wait, and yet wakes fewer only where nobody else
 *    waits. So for each set of n - 1 of those that wait at M \ ↑e, or of all but one where no more
 *    than n do, the waits of all others are taken out. A wake of such a set depends on all that wait,
 *    so that its own races lead to smaller sets, of which there are 2^n.
 * 4. Wait not begun, as rule 5 of condition.c: a wait that timed out before could begin after it.
 *    It stands here because notifications of conditions need it; no program with futexes is known
 *    that does.
 * Where n > places, it wakes all wherever it stands, as a broadcast does, and rule 4 is enough.
 * A return needs none: what woke it comes right before it, so that its race shows the time-out.
 */
#include "configuration/offer.h"
#include "extension/memory.h"
#include "extension/waiters.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/sets.h"

static unf_status admit(unf_unfolding *u, const unf_operation *operation) {
  if (operation->kind != UNF_FUTEX_WAKE || operation->low >= 0) return UNF_OK;
  return unfi_fail(u->context, UNF_INVALID, "a wake of fewer than 0 threads");
}

/* Its initial value is used from here on. */
static unf_action_kind comparison(unf_unfolding *u, struct cut cut, const unf_operation *o) {
  u->objects.data[o->second].fixed = true;
  bool equal = unfi_location_value(u, cut, o->second) == o->low;
  return equal ? UNF_DID_FUTEX_WAIT : UNF_DID_FUTEX_AGAIN;
}

/* ---- choosing whom to wake ---- */

/* Ways of choosing some of the threads that wait: numbers of threads in `waiting`, ascending. */
struct choosing {
  handle_vector waiting, chosen, members;
};

static void choosing_free(unf_context *context, struct choosing *c) {
  vector_free(context, &c->waiting);
  vector_free(context, &c->chosen);
  vector_free(context, &c->members);
}

/* The first way. Returns false when refused. */
static bool choose_first(unf_context *context, struct choosing *c, uint32_t n) {
  c->chosen.count = 0;
  if (!vector_reserve(context, &c->chosen, n) || !vector_reserve(context, &c->members, n))
    return false;
  for (uint32_t i = 0; i < n; i++)
    vector_push(&c->chosen, i);
  return true;
}

/* The next way in lexicographic order; false: there is none. */
static bool choose_next(struct choosing *c) {
  uint32_t n = c->chosen.count, i = n;
  while (i > 0 && c->chosen.data[i - 1] == c->waiting.count - n + i - 1)
    i--;
  if (i == 0) return false;
  uint32_t at = ++c->chosen.data[i - 1];
  for (; i < n; i++)
    c->chosen.data[i] = ++at;
  return true;
}

typedef bool (*set_visitor)(void *user, int64_t set);

/* Visits every set of n of the threads that wait; there are as many. */
static unf_status visit_sets(unf_unfolding *u, struct choosing *c, uint32_t n, set_visitor visit,
                             void *user) {
  if (!choose_first(u->context, c, n)) return unfi_refused(u->context);
  bool more = true;
  do {
    int64_t set;
    for (uint32_t i = 0; i < n; i++)
      c->members.data[i] = c->waiting.data[c->chosen.data[i]];
    unf_status status = unf_thread_set(u, c->members.data, n, &set);
    if (status != UNF_OK) return status;
    more = visit(user, set);
  } while (more && choose_next(c));
  return UNF_OK;
}

struct waking {
  unf_action *action;
  outcome_visitor visit;
  void *user;
};

static bool visit_wake(void *user, int64_t set) {
  struct waking *waking = user;
  waking->action->value = set;
  return waking->visit(waking->user, waking->action);
}

/* Returns false when refused. */
static bool list_waiting(unf_unfolding *u, struct cut cut, uint32_t futex, handle_vector *out) {
  uint32_t first = unfi_next_waiting(u, cut, first_waiter(u, futex));
  if (!vector_reserve(u->context, out, first != 0 ? u->threads.count : 0)) return false;
  for (uint32_t i = first; i != 0; i = unfi_next_waiting(u, cut, next_waiter(u, i)))
    vector_push(out, waiter_at(u, i)->thread);
  return true;
}

static unf_status wake(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                       unf_action *action, outcome_visitor visit, void *user) {
  struct choosing c = {0};
  struct waking waking = {action, visit, user};
  unf_status status = UNF_OK;
  if (!list_waiting(u, cut, operation->target, &c.waiting)) return unfi_refused(u->context);
  if (c.waiting.count < operation->low) {
    action->kind = UNF_DID_FUTEX_WAKE_ALL;
    status = unf_thread_set(u, c.waiting.data, c.waiting.count, &action->value);
    if (status == UNF_OK) visit(user, action);
  } else {
    status = visit_sets(u, &c, (uint32_t)operation->low, visit_wake, &waking);
  }
  choosing_free(u->context, &c);
  return status;
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_action action = {UNF_DID_FUTEX_WAKE, thread, operation->target, operation->second, 0};
  if (operation->kind == UNF_FUTEX_WAKE) return wake(u, cut, operation, &action, visit, user);
  if (operation->kind == UNF_FUTEX_WAIT) {
    action.kind = comparison(u, cut, operation);
  } else {
    bool notified = unfi_waiting_of(u, cut, operation->target, thread) == NOTIFIED;
    action.kind = notified ? UNF_DID_FUTEX_RETURN : UNF_DID_FUTEX_TIMEOUT;
    if (!notified && operation->kind == UNF_FUTEX_RETURN) return UNF_OK;
  }
  visit(user, &action);
  return UNF_OK;
}

static bool all_wait(const unf_unfolding *u, struct cut cut, uint32_t futex, int64_t set) {
  uint32_t count;
  const uint32_t *members = unfi_set(u, set, &count);
  for (uint32_t i = 0; i < count; i++)
    if (unfi_waiting_of(u, cut, futex, members[i]) != WAITING) return false;
  return true;
}

/* Whether a wait or a wake comes of this operation. */
static unf_status possible_of(unf_unfolding *u, struct cut cut, const unf_action *action,
                              const unf_operation *operation) {
  bool wakes = action->kind == UNF_DID_FUTEX_WAKE || action->kind == UNF_DID_FUTEX_WAKE_ALL;
  bool same = operation->kind == (wakes ? UNF_FUTEX_WAKE : UNF_FUTEX_WAIT) &&
              operation->target == action->target && operation->second == action->second;
  if (!same) return UNF_DISABLED;
  if (!wakes) return comparison(u, cut, operation) == action->kind ? UNF_OK : UNF_DISABLED;
  uint32_t count;
  int64_t everybody;
  unfi_set(u, action->value, &count);
  if (action->kind == UNF_DID_FUTEX_WAKE) {
    bool good = count == operation->low && all_wait(u, cut, action->target, action->value);
    return good ? UNF_OK : UNF_DISABLED;
  }
  unf_status status = unfi_waiting_set(u, cut, action->target, &everybody);
  if (status != UNF_OK) return status;
  return everybody == action->value && count < operation->low ? UNF_OK : UNF_DISABLED;
}

/* Decided by the operation that was offered for the thread, without which there is no value that it
 * compares with, nor a number. */
static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  enum waiting waiting = unfi_waiting_of(u, cut, action->target, action->thread);
  if (action->kind == UNF_DID_FUTEX_RETURN) return waiting == NOTIFIED ? UNF_OK : UNF_DISABLED;
  if (action->kind == UNF_DID_FUTEX_TIMEOUT) return waiting == WAITING ? UNF_OK : UNF_DISABLED;
  uint32_t next = next_after(u, action->thread, cut_last(u, cut, action->thread));
  if (next == 0) return unfi_missing(u, action->thread);
  /* Copied: interning on the way may move the table. */
  unf_operation operation = u->operations.data[next];
  return possible_of(u, cut, action, &operation);
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  uint32_t site = u->objects.data[action->target].site;
  unf_status status = UNF_OK;
  bool enough = true;
  switch (action->kind) {
  case UNF_DID_FUTEX_WAIT:
    enough = unfi_use(u, site, ACCESS_ADD) && unfi_use_waiter(u, action->target, action->thread);
    if (enough) status = unfi_use_location(u, action->second, ACCESS_READ);
    break;
  case UNF_DID_FUTEX_AGAIN:
    status = unfi_use_location(u, action->second, ACCESS_READ);
    break;
  case UNF_DID_FUTEX_RETURN:
    enough = unfi_use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_FUTEX_TIMEOUT:
    enough = unfi_use(u, site, ACCESS_ADD) && unfi_use_waiter(u, action->target, action->thread);
    break;
  case UNF_DID_FUTEX_WAKE:
    enough = action->value == 0 || unfi_use(u, site, ACCESS_ADD);
    if (enough) status = unfi_use_waiters(u, action->target, action->value);
    break;
  default:
    enough = unfi_use(u, site, action->value == 0 ? ACCESS_READ : ACCESS_WRITE);
    if (enough) status = unfi_use_waiters(u, action->target, action->value);
  }
  return enough ? status : unfi_refused(u->context);
}

/* ---- exact enumeration ---- */

/* A member of the set is not there whatever is still taken: the beginning of its wait was left. */
static bool not_waiting(struct enumeration *e) {
  unf_unfolding *u = e->u;
  uint32_t count, object = e->operation->target, set = (uint32_t)e->shape->action.value;
  const uint32_t *members = unfi_set(u, set, &count);
  for (uint32_t i = first_waiter(u, object); i != 0; i = next_waiter(u, i)) {
    const struct waiter *w = waiter_at(u, i);
    bool member = false;
    for (uint32_t j = 0; j < count; j++)
      member = member || members[j] == w->thread;
    uint32_t entry, taken = entry_write(u, cut_at(unfi_exact_taken(e), w->site));
    if (!member) continue;
    if (!unfi_exact_rest(e, w->site, &entry)) return false;
    uint32_t at = entry_write(u, entry);
    while (at > taken && !unfi_begins_wait(u, at))
      at = entry_write(u, unfi_entry_before(u, at, w->site));
    if (!unfi_begins_wait(u, at)) return true;
  }
  return false;
}

struct shaping {
  struct shape *shape;
  shape_visitor visit;
  void *user;
  bool more;
};

static bool visit_shape(void *user, int64_t set) {
  struct shaping *shaping = user;
  shaping->shape->action.value = set;
  shaping->more = shaping->visit(shaping->user, shaping->shape);
  return shaping->more;
}

/* The threads that wait at some time within the cut. */
static bool list_waiters(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t futex,
                         handle_vector *out) {
  for (uint32_t i = first_waiter(u, futex); i != 0; i = next_waiter(u, i)) {
    const struct waiter *w = waiter_at(u, i);
    if (cut_at(cut, w->site) == 0 || w->thread == thread) continue;
    if (!vector_reserve(u->context, out, (uint64_t)out->count + 1)) return false;
    vector_push(out, w->thread);
  }
  return true;
}

/* A wake of all: of somebody, where it was asked for more than one, and of nobody. */
static void wake_all_shapes(unf_unfolding *u, const unf_operation *operation, struct shape *shape,
                            shape_visitor visit, void *user) {
  shape->action.kind = UNF_DID_FUTEX_WAKE_ALL;
  shape->action.value = 0;
  shape->hopeless = NULL;
  shape->sites = &u->objects.data[operation->target].site;
  shape->site_count = 1;
  shape->other_values = true;
  if (operation->low > 1 && !visit(user, shape)) return;
  shape->sites = NULL;
  shape->other_values = false;
  shape->complete = unfi_end_waits;
  visit(user, shape);
}

static unf_status wake_shapes(unf_unfolding *u, struct cut cut, const unf_operation *operation,
                              struct shape *shape, shape_visitor visit, void *user) {
  struct choosing c = {0};
  struct shaping shaping = {shape, visit, user, true};
  unf_status status = UNF_OK;
  shape->action.kind = UNF_DID_FUTEX_WAKE;
  shape->hopeless = not_waiting;
  if (!list_waiters(u, cut, shape->action.thread, operation->target, &c.waiting))
    status = unfi_refused(u->context);
  if (status == UNF_OK && operation->low <= c.waiting.count)
    status = visit_sets(u, &c, (uint32_t)operation->low, visit_shape, &shaping);
  choosing_free(u->context, &c);
  if (status == UNF_OK && shaping.more && operation->low > 0)
    wake_all_shapes(u, operation, shape, visit, user);
  return status;
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  struct shape shape = {
      .action = {UNF_DID_FUTEX_RETURN, thread, operation->target, operation->second, 0}};
  if (operation->kind == UNF_FUTEX_WAKE) return wake_shapes(u, cut, operation, &shape, visit, user);
  if (operation->kind == UNF_FUTEX_WAIT) shape.action.kind = UNF_DID_FUTEX_WAIT;
  if (!visit(user, &shape) || operation->kind == UNF_FUTEX_RETURN) return UNF_OK;
  shape.action.kind =
      operation->kind == UNF_FUTEX_WAIT ? UNF_DID_FUTEX_AGAIN : UNF_DID_FUTEX_TIMEOUT;
  visit(user, &shape);
  return UNF_OK;
}

/* ---- reversals ---- */

/* A thread in the queue is woken by what others do; nothing that is left out lets it return. */
static uint32_t blockers(const unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, uint32_t *out) {
  (void)u, (void)cut, (void)thread, (void)operation, (void)out;
  return 0;
}

static bool returns(unf_operation_kind kind) {
  return kind == UNF_FUTEX_RETURN || kind == UNF_TIMED_FUTEX_RETURN;
}

static uint32_t needed(unf_unfolding *u, struct cut cut, uint32_t thread,
                       const unf_operation *operation, uint32_t event) {
  if (!returns(operation->kind)) return 0;
  return unfi_last_at_place(u, cut, operation->target, thread, event);
}

/* Some threads for which a wake finds nobody else. */
struct last_wake {
  unf_unfolding *u;
  struct reversal *r;
  uint32_t event;
};

static bool find_only(void *user, int64_t set) {
  struct last_wake *wake = user;
  unfi_reverse_to_set(wake->u, wake->r, wake->event, set);
  return !unfi_reversal_stopped(wake->r);
}

/* Rule 3. */
static unf_status find_fewer(unf_unfolding *u, struct reversal *r, uint32_t event, uint32_t n) {
  struct choosing c = {0};
  struct last_wake wake = {u, r, event};
  unf_status status = UNF_OK;
  if (!unfi_without_event(r, event)) return UNF_OK;
  if (!list_waiting(u, unfi_reversal_P(r), action_of(u, event)->target, &c.waiting))
    status = unfi_refused(u->context);
  uint32_t most = n < c.waiting.count ? n : c.waiting.count;
  if (status == UNF_OK && most > 0) status = visit_sets(u, &c, most - 1, find_only, &wake);
  choosing_free(u->context, &c);
  return status;
}

static uint32_t count_places(const unf_unfolding *u, struct cut M, uint32_t thread,
                             uint32_t futex) {
  uint32_t places = 0;
  for (uint32_t i = first_waiter(u, futex); i != 0; i = next_waiter(u, i))
    places += waiter_at(u, i)->thread != thread && cut_at(M, waiter_at(u, i)->site) != 0;
  return places;
}

static void reverse_wake(unf_unfolding *u, struct reversal *r, uint32_t event) {
  uint32_t thread = action_of(u, event)->thread, futex = action_of(u, event)->target;
  int64_t n = u->operations.data[next_after(u, thread, event_at(u, event)->before)].low;
  if (n == 0) return;
  unfi_reverse_against(u, r, event, unfi_not_begun);
  if (unfi_reversal_stopped(r) || n > count_places(u, unfi_reversal_M(r), thread, futex)) return;
  unfi_reverse_in_place(r, event);
  if (!unfi_reversal_stopped(r)) unfi_reverse_against(u, r, event, unfi_taken_by_another);
  if (!unfi_reversal_stopped(r)) unfi_refuse_reversal(r, find_fewer(u, r, event, (uint32_t)n));
}

static void reverse(unf_unfolding *u, struct reversal *r, uint32_t event) {
  uint32_t kind = action_of(u, event)->kind;
  if (kind == UNF_DID_FUTEX_WAKE || kind == UNF_DID_FUTEX_WAKE_ALL) reverse_wake(u, r, event);
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_FUTEX_WAIT, .second = SECOND_LOCATION, .uses = uses, .waits = true},
    {.kind = UNF_DID_FUTEX_AGAIN, .second = SECOND_LOCATION, .uses = uses},
    {.kind = UNF_DID_FUTEX_RETURN, .uses = uses},
    {.kind = UNF_DID_FUTEX_TIMEOUT, .uses = uses},
    {.kind = UNF_DID_FUTEX_WAKE, .value = VALUE_CHOSEN, .uses = uses},
    {.kind = UNF_DID_FUTEX_WAKE_ALL, .value = VALUE_THREADS, .uses = uses},
};

static const struct operation_row operations[] = {
    {.kind = UNF_FUTEX_WAIT,
     .second = SECOND_LOCATION,
     .numbers = NUMBERS_LOW,
     .contended = CONTENDED_TARGET},
    {.kind = UNF_FUTEX_RETURN},
    {.kind = UNF_TIMED_FUTEX_RETURN, .contended = CONTENDED_TARGET},
    {.kind = UNF_FUTEX_WAKE, .numbers = NUMBERS_LOW, .contended = CONTENDED_TARGET},
};

const struct effect_family unfi_futex_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .admit = admit,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .blockers = blockers,
    .needed = needed,
    .reverse = reverse,
};
