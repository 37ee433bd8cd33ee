/*
 * Whether an action can happen after the events of a list, by the meaning of the actions: what the
 * list says of a thread and an object is counted event by event.
 */
#include "check/possible.h"

#include "check/check.h"
#include "extension/memory.h"
#include "extension/waiters.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

struct past {
  unf_unfolding *u;
  const uint32_t *events; /* ascending: a linearisation */
  uint32_t count;
  uint32_t event; /* that is looked at after them */
};

static const struct action *action_in(const struct past *p, uint32_t i) {
  return action_of(p->u, p->events[i]);
}

/* ---- threads ---- */

/* Whether a thread has started; *last is its last event, or else its create, or ⊥. */
static bool started(const struct past *p, uint32_t thread, uint32_t *last) {
  bool runs = p->u->threads.data[thread].initial;
  *last = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    bool starts = a->kind == UNF_DID_CREATE && a->target == thread;
    if (starts || a->thread == thread) *last = p->events[i];
    runs = runs || starts;
  }
  return runs;
}

static const char *create_or_join(const struct past *p, const struct action *a) {
  uint32_t last;
  bool runs = started(p, a->target, &last);
  if (a->kind == UNF_DID_CREATE) return runs ? "the thread was started before" : NULL;
  uint32_t next = runs ? next_after(p->u, a->target, last) : 0;
  bool finished = next != 0 && p->u->operations.data[next].kind == UNF_EXIT;
  return finished ? NULL : "the thread joined has not finished";
}

/* ---- mutexes ---- */

static uint32_t owner_of(const struct past *p, uint32_t mutex) {
  uint32_t owner = NONE;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    bool waits = a->kind == UNF_DID_WAIT || a->kind == UNF_DID_WAKE;
    if ((waits ? a->second : a->target) != mutex) continue;
    if (a->kind == UNF_DID_ACQUIRE || a->kind == UNF_DID_WAKE) owner = a->thread;
    if (a->kind == UNF_DID_RELEASE || a->kind == UNF_DID_WAIT) owner = NONE;
  }
  return owner;
}

static const char *of_mutex(const struct past *p, const struct action *a) {
  uint32_t owner = owner_of(p, a->target);
  if (a->kind == UNF_DID_ACQUIRE) return owner != NONE ? "the mutex is held" : NULL;
  if (a->kind == UNF_DID_TRYFAIL) return owner == NONE ? "the mutex is free" : NULL;
  return owner != a->thread ? "the thread does not hold the mutex" : NULL;
}

/* ---- condition variables ---- */

struct member {
  uint32_t thread;
  bool found;
};

static bool look_for(void *user, unf_thread thread) {
  struct member *m = user;
  m->found = m->found || thread == m->thread;
  return !m->found;
}

static bool notifies(const struct past *p, const struct action *a, uint32_t thread) {
  struct member m = {thread, false};
  if (a->kind == UNF_DID_SIGNAL) return a->value == (int64_t)thread;
  if (a->kind == UNF_DID_BROADCAST) unf_thread_set_members(p->u, a->value, look_for, &m);
  return m.found;
}

static enum waiting waiting_on(const struct past *p, uint32_t condition, uint32_t thread) {
  enum waiting state = AWAY;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    if (a->target != condition) continue;
    if (a->kind == UNF_DID_WAIT && a->thread == thread) state = WAITING;
    if ((a->kind == UNF_DID_WAKE || a->kind == UNF_DID_TIMEOUT) && a->thread == thread)
      state = AWAY;
    if (notifies(p, a, thread)) state = NOTIFIED;
  }
  return state;
}

static const char *notification(const struct past *p, const struct action *a) {
  bool lost = a->kind == UNF_DID_SIGNAL && a->value == UNF_LOST;
  for (uint32_t t = 0; t < p->u->threads.count; t++) {
    bool waits = waiting_on(p, a->target, t) == WAITING;
    if (notifies(p, a, t) && !waits) return "it notifies a thread that does not wait";
    if (lost && waits) return "it is lost, and a thread waits";
    if (a->kind == UNF_DID_BROADCAST && waits && !notifies(p, a, t))
      return "it does not notify all threads that wait";
  }
  return NULL;
}

static const char *of_condition(const struct past *p, const struct action *a) {
  enum waiting state = waiting_on(p, a->target, a->thread);
  switch (a->kind) {
  case UNF_DID_WAIT:
    return owner_of(p, a->second) != a->thread ? "the thread does not hold the mutex" : NULL;
  case UNF_DID_WAKE:
    if (state != NOTIFIED) return "the thread was not notified";
    return owner_of(p, a->second) != NONE ? "the mutex is held" : NULL;
  case UNF_DID_TIMEOUT:
    return state != WAITING ? "the thread does not wait" : NULL;
  default:
    return notification(p, a);
  }
}

/* ---- reader-writer locks, semaphores, barriers ---- */

/* The number of events of a kind on an object, of one thread or (NONE) of all. */
static uint32_t number_of(const struct past *p, unf_action_kind kind, uint32_t object,
                          uint32_t thread) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    if (a->kind == kind && a->target == object && (thread == NONE || a->thread == thread)) found++;
  }
  return found;
}

static const char *of_rwlock(const struct past *p, const struct action *a) {
  uint32_t object = a->target;
  bool written =
      number_of(p, UNF_DID_WRLOCK, object, NONE) > number_of(p, UNF_DID_WRUNLOCK, object, NONE);
  bool read =
      number_of(p, UNF_DID_RDLOCK, object, NONE) > number_of(p, UNF_DID_RDUNLOCK, object, NONE);
  switch (a->kind) {
  case UNF_DID_RDLOCK:
    return written ? "a thread holds the lock for writing" : NULL;
  case UNF_DID_RDFAIL:
    return written ? NULL : "no thread holds the lock for writing";
  case UNF_DID_WRLOCK:
    return written || read ? "a thread holds the lock" : NULL;
  case UNF_DID_WRFAIL:
    return written || read ? NULL : "no thread holds the lock";
  case UNF_DID_RDUNLOCK:
    return number_of(p, UNF_DID_RDLOCK, object, a->thread) >
                   number_of(p, UNF_DID_RDUNLOCK, object, a->thread)
               ? NULL
               : "the thread does not hold the lock for reading";
  default:
    return number_of(p, UNF_DID_WRLOCK, object, a->thread) >
                   number_of(p, UNF_DID_WRUNLOCK, object, a->thread)
               ? NULL
               : "the thread does not hold the lock for writing";
  }
}

static const char *of_semaphore(const struct past *p, const struct action *a) {
  const struct object *o = &p->u->objects.data[a->target];
  const int64_t maximum = o->maximum != 0 ? o->maximum : INT64_MAX;
  int64_t value = o->initial;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *b = action_in(p, i);
    if (b->target != a->target) continue;
    value += b->kind == UNF_DID_POST && value < maximum;
    value -= b->kind == UNF_DID_SEM_WAIT;
  }
  if (a->kind == UNF_DID_SEM_WAIT) return value <= 0 ? "the semaphore is 0" : NULL;
  return a->kind == UNF_DID_SEM_FAIL && value > 0 ? "the semaphore is above 0" : NULL;
}

static const char *of_barrier(const struct past *p, const struct action *a) {
  int64_t needed = p->u->objects.data[a->target].initial;
  int64_t arrived = (int64_t)number_of(p, UNF_DID_ARRIVE, a->target, NONE);
  if (a->kind == UNF_DID_ARRIVE) return arrived >= needed ? "the round is full" : NULL;
  if (number_of(p, UNF_DID_ARRIVE, a->target, a->thread) == 0) return "the thread did not arrive";
  return arrived < needed ? "not all have arrived" : NULL;
}

/* ---- memory ---- */

static const unf_operation *operation_of(const struct past *p, uint32_t event) {
  uint32_t thread = action_of(p->u, event)->thread;
  return &p->u->operations.data[next_after(p->u, thread, event_at(p->u, event)->before)];
}

/* Whether a location is another one, or has a certain byte of the other one's space. */
static bool has_byte(const struct past *p, uint32_t location, uint32_t other, uint64_t byte) {
  const struct object *o = &p->u->objects.data[location], *x = &p->u->objects.data[other];
  if (o->cell == 0 || x->cell == 0) return location == other;
  return o->space == x->space && o->first <= byte && byte - o->first < o->size;
}

/* What was written last to the bytes from `first` on, and what was added since; whoever has the
 * first has all of them. */
static uint64_t written_at(const struct past *p, uint32_t location, uint64_t first,
                           uint64_t initial) {
  uint64_t value = initial;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    bool changes = a->kind == UNF_DID_WRITE || a->kind == UNF_DID_ADD;
    if (!changes || !has_byte(p, a->target, location, first)) continue;
    if (a->kind == UNF_DID_ADD)
      value += (uint64_t)operation_of(p, p->events[i])->low;
    else
      value = (uint64_t)unfi_value_written(p->u, p->events[i]) >>
              8 * (first - p->u->objects.data[a->target].first);
  }
  return value;
}

static int64_t signed_of(const struct object *o, uint64_t value) {
  unsigned above = o->cell == 0 ? 0 : 64 - 8u * o->size;
  return (int64_t)(value << above) >> above;
}

static int64_t value_of(const struct past *p, uint32_t location) {
  const struct object *o = &p->u->objects.data[location];
  uint64_t value = o->cell == 0 ? written_at(p, location, 0, (uint64_t)o->initial) : 0;
  for (const struct memory_cell *c = first_cell(p->u, o); c != NULL; c = next_cell(p->u, o, c)) {
    uint64_t part = written_at(p, location, c->first, c->initial);
    for (uint32_t b = 0; b < c->size; b++)
      value |= (part >> 8 * b & 0xff) << 8 * (c->first - o->first + b);
  }
  return signed_of(o, value);
}

static const char *of_memory(const struct past *p, const struct action *a) {
  const unf_operation *o = operation_of(p, p->event);
  const struct object *location = &p->u->objects.data[a->target];
  int64_t value = value_of(p, a->target);
  bool awaits = o->kind == UNF_AWAIT || o->kind == UNF_EXCHANGE_AWAIT;
  if (awaits && !unfi_relation_holds(value, o->second, o->low))
    return "the value is not what is awaited";
  if (o->kind == UNF_CAS && (value == o->low) != (a->kind == UNF_DID_WRITE))
    return "the value decides otherwise whether the comparison succeeds";
  int64_t after = signed_of(location, (uint64_t)unfi_value_after(o, value));
  if (a->kind == UNF_DID_WRITE && unfi_value_written(p->u, p->event) != after)
    return "it carries a value that its causes do not give";
  return NULL;
}

/* ---- futexes ---- */

static bool wakes(const struct past *p, const struct action *a, uint32_t thread) {
  struct member m = {thread, false};
  if (a->kind == UNF_DID_FUTEX_WAKE || a->kind == UNF_DID_FUTEX_WAKE_ALL)
    unf_thread_set_members(p->u, a->value, look_for, &m);
  return m.found;
}

static enum waiting queued(const struct past *p, uint32_t futex, uint32_t thread) {
  enum waiting state = AWAY;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct action *a = action_in(p, i);
    if (a->target != futex) continue;
    if (a->kind == UNF_DID_FUTEX_WAIT && a->thread == thread) state = WAITING;
    if ((a->kind == UNF_DID_FUTEX_RETURN || a->kind == UNF_DID_FUTEX_TIMEOUT) &&
        a->thread == thread)
      state = AWAY;
    if (wakes(p, a, thread)) state = NOTIFIED;
  }
  return state;
}

static const char *of_wake(const struct past *p, const struct action *a) {
  int64_t woken = 0, most = operation_of(p, p->event)->low;
  bool others = false;
  for (uint32_t t = 0; t < p->u->threads.count; t++) {
    bool waits = queued(p, a->target, t) == WAITING, member = wakes(p, a, t);
    if (member && !waits) return "it wakes a thread that does not wait";
    woken += member;
    others = others || (waits && !member);
  }
  if (a->kind == UNF_DID_FUTEX_WAKE)
    return woken != most ? "it wakes another number of threads than it was asked for" : NULL;
  if (woken >= most) return "it wakes as many threads as it was asked for";
  return others ? "it does not wake all threads that wait" : NULL;
}

static const char *of_futex(const struct past *p, const struct action *a) {
  enum waiting state = queued(p, a->target, a->thread);
  bool equal;
  switch (a->kind) {
  case UNF_DID_FUTEX_RETURN:
    return state != NOTIFIED ? "the thread was not woken" : NULL;
  case UNF_DID_FUTEX_TIMEOUT:
    return state != WAITING ? "the thread does not wait" : NULL;
  case UNF_DID_FUTEX_WAKE:
  case UNF_DID_FUTEX_WAKE_ALL:
    return of_wake(p, a);
  default:
    equal = value_of(p, a->second) == operation_of(p, p->event)->low;
    return equal != (a->kind == UNF_DID_FUTEX_WAIT)
               ? "the value decides otherwise whether the thread waits"
               : NULL;
  }
}

static const char *of_branch(const struct past *p, const struct action *a) {
  const unf_operation *o = operation_of(p, p->event);
  if (o->kind != UNF_BRANCH) return NULL; /* it was interned without its operation */
  return a->value < 0 || a->value >= o->high ? "the branch has fewer outcomes" : NULL;
}

/* What is wrong with the action of the event, or NULL. */
typedef const char *(*objection)(const struct past *p, const struct action *a);

/* By kind of action; NULL: nothing can be wrong, or the front-end alone knows. */
static const objection objections[UNF_ACTION_COUNT] = {
    [UNF_DID_CREATE] = create_or_join, [UNF_DID_JOIN] = create_or_join,
    [UNF_DID_ACQUIRE] = of_mutex,      [UNF_DID_RELEASE] = of_mutex,
    [UNF_DID_TRYFAIL] = of_mutex,      [UNF_DID_WAIT] = of_condition,
    [UNF_DID_WAKE] = of_condition,     [UNF_DID_TIMEOUT] = of_condition,
    [UNF_DID_SIGNAL] = of_condition,   [UNF_DID_BROADCAST] = of_condition,
    [UNF_DID_RDLOCK] = of_rwlock,      [UNF_DID_RDUNLOCK] = of_rwlock,
    [UNF_DID_RDFAIL] = of_rwlock,      [UNF_DID_WRLOCK] = of_rwlock,
    [UNF_DID_WRUNLOCK] = of_rwlock,    [UNF_DID_WRFAIL] = of_rwlock,
    [UNF_DID_POST] = of_semaphore,     [UNF_DID_SEM_WAIT] = of_semaphore,
    [UNF_DID_SEM_FAIL] = of_semaphore, [UNF_DID_ARRIVE] = of_barrier,
    [UNF_DID_PASS] = of_barrier,       [UNF_DID_READ] = of_memory,
    [UNF_DID_WRITE] = of_memory,       [UNF_DID_ADD] = of_memory,
    [UNF_DID_FUTEX_WAIT] = of_futex,   [UNF_DID_FUTEX_AGAIN] = of_futex,
    [UNF_DID_FUTEX_RETURN] = of_futex, [UNF_DID_FUTEX_TIMEOUT] = of_futex,
    [UNF_DID_FUTEX_WAKE] = of_futex,   [UNF_DID_FUTEX_WAKE_ALL] = of_futex,
    [UNF_DID_BRANCH] = of_branch,
};

unf_status unfi_check_possible(unf_unfolding *u, const uint32_t *events, uint32_t count,
                               uint32_t event) {
  struct past past = {u, events, count, event};
  const struct action *a = action_of(u, event);
  uint32_t last;
  if (!started(&past, a->thread, &last))
    return unfi_broken(u, event, "its thread was not started before", NONE);
  const char *what = objections[a->kind] != NULL ? objections[a->kind](&past, a) : NULL;
  return what == NULL ? UNF_OK : unfi_broken(u, event, what, NONE);
}
