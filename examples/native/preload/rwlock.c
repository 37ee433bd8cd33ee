/* Reader-writer locks. Nobody has priority: a waiting writer keeps no reader out, whatever the
 * attributes say. What a thread holds itself decides some answers (EDEADLK, a reader that reads
 * again); these are no events. A lock with a time limit is its try form. */
#include "accesses.h"
#include "rwlock.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unfold/unfold.h>

#include "clock.h"
#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

struct read_hold *read_hold_of(const struct thread *t, const struct object *o) {
  struct read_hold *r = t->readings;
  while (r != NULL && r->object != o)
    r = r->next;
  return r;
}

static int held_before; /* main */

static struct object *object_of(const pthread_rwlock_t *lock, uint64_t place) {
  struct object *o = object_use(lock, OBJECT_RWLOCK, place);
  if (o->initialisation == NULL && !o->used && lock->__data.__readers != 0) {
    if (held_before > 0) refuse("a rwlock that was locked before main", place);
    object_early(o, place);
  }
  o->used = true;
  return o;
}

/* 0, or what the C library says when the lock is not to be had. */
static int taken(const struct object *o, uint64_t place) {
  const unf_action_kind did = thread_self()->did;
  if (did == UNF_DID_RDFAIL || did == UNF_DID_WRFAIL) return EBUSY;
  object_alive(o, place);
  return 0;
}

static int read_lock(struct object *o, bool try, uint64_t place) {
  struct read_hold *mine = read_hold_of(thread_self(), o);
  if (o->owner == thread_self()) return try ? EBUSY : EDEADLK;
  if (mine != NULL) {
    mine->depth++;
    return 0;
  }
  schedule(try ? UNF_OP_TRYRDLOCK(o->name) : UNF_OP_RDLOCK(o->name), o, place);
  return taken(o, place);
}

static int write_lock(struct object *o, bool try, uint64_t place) {
  if (o->owner == thread_self()) return try ? EBUSY : EDEADLK;
  schedule(try ? UNF_OP_TRYWRLOCK(o->name) : UNF_OP_WRLOCK(o->name), o, place);
  return taken(o, place);
}

static int timed(pthread_rwlock_t *lock, bool write, const struct timespec *until, uint64_t place) {
  accesses_by_call(until, sizeof *until, false, place);
  struct object *o = object_of(lock, place);
  if (o->owner == thread_self()) return EDEADLK;
  const bool try = clock_limits();
  int error = write ? write_lock(o, try, place) : read_lock(o, try, place);
  return error == EBUSY ? clock_timeout(until) : error;
}

static int unlock(pthread_rwlock_t *lock, uint64_t place) {
  struct object *o = object_of(lock, place);
  struct read_hold *mine = read_hold_of(thread_self(), o);
  if (mine == NULL && o->owner != thread_self()) misused(MISUSE_STRANGER, o, place);
  if (mine != NULL && mine->depth > 0)
    mine->depth--;
  else
    schedule(UNF_OP_RWUNLOCK(o->name), o, place);
  return 0;
}

/* As for a mutex: an event, because it depends on the order who holds the lock then. */
static int destroy(pthread_rwlock_t *lock, uint64_t place) {
  struct object *o = object_of(lock, place);
  schedule(UNF_OP_TRYWRLOCK(o->name), o, place);
  if (taken(o, place) != 0) misused(MISUSE_DESTROY, o, place);
  schedule(UNF_OP_RWUNLOCK(o->name), o, place);
  object_destroy(o);
  return 0;
}

/* Whether it is held is looked at by a try, as for a destruction. */
static void replace(struct object *o, uint64_t place) {
  if (o == NULL) return;
  schedule(UNF_OP_TRYWRLOCK(o->name), o, place);
  const bool held = thread_self()->did == UNF_DID_WRFAIL;
  if (!held) schedule(UNF_OP_RWUNLOCK(o->name), o, place);
  object_replaced(o, held, MISUSE_INIT_HELD, place);
}

INTERPOSE int pthread_rwlock_init(pthread_rwlock_t *restrict lock,
                                  const pthread_rwlockattr_t *restrict attributes) {
  struct object *replaced = NULL;
  CALL_READS(attributes);
  if (running) object_begin(lock, OBJECT_RWLOCK, CALLER, &replaced);
  int error = REAL(pthread_rwlock_init)(lock, attributes);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  return running ? destroy(lock, CALLER) : REAL(pthread_rwlock_destroy)(lock);
}

INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
  return running ? read_lock(object_of(lock, CALLER), false, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_rdlock)(lock), 1);
}

INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
  return running ? read_lock(object_of(lock, CALLER), true, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_tryrdlock)(lock), 1);
}

INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
                                         const struct timespec *restrict until) {
  return running ? timed(lock, false, until, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_timedrdlock)(lock, until), 1);
}

INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                         const struct timespec *restrict until) {
  return running
             ? timed(lock, false, until, CALLER)
             : before_main(&held_before, REAL(pthread_rwlock_clockrdlock)(lock, clock, until), 1);
}

INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
  return running ? write_lock(object_of(lock, CALLER), false, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_wrlock)(lock), 1);
}

INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
  return running ? write_lock(object_of(lock, CALLER), true, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_trywrlock)(lock), 1);
}

INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
                                         const struct timespec *restrict until) {
  return running ? timed(lock, true, until, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_timedwrlock)(lock, until), 1);
}

INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                         const struct timespec *restrict until) {
  return running
             ? timed(lock, true, until, CALLER)
             : before_main(&held_before, REAL(pthread_rwlock_clockwrlock)(lock, clock, until), 1);
}

INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  return running ? unlock(lock, CALLER)
                 : before_main(&held_before, REAL(pthread_rwlock_unlock)(lock), -1);
}

OLDER_NAME(__pthread_rwlock_init, pthread_rwlock_init);
OLDER_NAME(__pthread_rwlock_destroy, pthread_rwlock_destroy);
OLDER_NAME(__pthread_rwlock_rdlock, pthread_rwlock_rdlock);
OLDER_NAME(__pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock);
OLDER_NAME(__pthread_rwlock_wrlock, pthread_rwlock_wrlock);
OLDER_NAME(__pthread_rwlock_trywrlock, pthread_rwlock_trywrlock);
OLDER_NAME(__pthread_rwlock_unlock, pthread_rwlock_unlock);
