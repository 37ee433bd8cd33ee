/* Mutexes. The kind is read from the program's own object, as the C library laid it out. Its lock
 * word is kept as the C library would: one that says free while our record says held shows that the
 * memory has become another mutex. Destroying leaves the C library's mark for destroyed. Answers
 * that a thread's own history decides (a recursive relock, EDEADLK, EPERM) are given at once and
 * are no events. A lock with a time limit is a trylock: it can time out exactly where it would
 * block. A robust mutex is released when its owner ends, and its next owner gets to know. */
#include "accesses.h"
#include "mutex.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "clock.h"
#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

enum { KIND_MASK = 3, KIND_ROBUST = 16, KIND_PROTECT = 64, KIND_DESTROYED = -1 };

static int held_before; /* main */

static int kind_of(const pthread_mutex_t *mutex, uint64_t place) {
  int kind = mutex->__data.__kind;
  if (kind == KIND_DESTROYED) return PTHREAD_MUTEX_NORMAL;
  if (kind & KIND_PROTECT) refuse("a mutex with a priority ceiling", place);
  return kind & KIND_MASK;
}

/* Asked when the operation was performed, and not when a thread comes to it: only then it is in an
 * order with the destruction. */
static void check_alive(const pthread_mutex_t *mutex, const struct object *o, uint64_t place) {
  if (o->initialisation != NULL) object_alive(o, place);
  if (mutex->__data.__kind == KIND_DESTROYED) misused(MISUSE_DESTROYED, o, place);
}

static bool is_robust(const pthread_mutex_t *mutex) {
  return mutex->__data.__kind != KIND_DESTROYED && (mutex->__data.__kind & KIND_ROBUST) != 0;
}

static struct object *object_of(const pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_use(mutex, OBJECT_MUTEX, place);
  const bool word = mutex->__data.__lock != 0;
  if (o->initialisation != NULL) return o;
  if (word && !o->used && held_before > 0) refuse("a mutex that was locked before main", place);
  if (word && !o->used) object_early(o, place);
  if (!word && o->owner != NULL) object_renew(o);
  if (o->destroyed && mutex->__data.__kind != KIND_DESTROYED) object_forget(o);
  o = object_at(mutex, OBJECT_MUTEX);
  o->used = true;
  return o;
}

void mutex_left(struct object *o) {
  ((pthread_mutex_t *)(uintptr_t)o->address)->__data.__lock = 0;
}

static void give_back(struct object *o, uint64_t place) {
  object_unlock(o, place);
  mutex_left(o);
}

int mutex_taken(struct object *o, uint64_t place) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)o->address;
  mutex->__data.__lock = 1;
  check_alive(mutex, o, place);
  o->robust = is_robust(mutex);
  if (!o->robust || !o->orphaned) return 0;
  if (!o->lost) return EOWNERDEAD;
  give_back(o, place);
  return ENOTRECOVERABLE;
}

static int lock(pthread_mutex_t *mutex, struct object *o, uint64_t place) {
  int kind = kind_of(mutex, place);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE) {
    o->depth++;
    return 0;
  }
  object_lock(o, place);
  return mutex_taken(o, place);
}

static int try(pthread_mutex_t *mutex, struct object *o, uint64_t place) {
  int kind = kind_of(mutex, place);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE) {
    o->depth++;
    return 0;
  }
  return object_trylock(o, place) ? mutex_taken(o, place) : EBUSY;
}

static int timed(pthread_mutex_t *mutex, const struct timespec *until, uint64_t place) {
  accesses_by_call(until, sizeof *until, false, place);
  struct object *o = object_of(mutex, place);
  if (o->owner == thread_self() && kind_of(mutex, place) == PTHREAD_MUTEX_ERRORCHECK)
    return EDEADLK;
  if (!clock_limits()) return lock(mutex, o, place);
  int error = try(mutex, o, place);
  return error == EBUSY ? clock_timeout(until) : error;
}

static int unlock(pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_of(mutex, place);
  int kind = kind_of(mutex, place);
  if (o->owner != thread_self()) {
    if (kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE) return EPERM;
    misused(MISUSE_STRANGER, o, place);
  }
  if (o->depth > 0) {
    o->depth--;
    return 0;
  }
  give_back(o, place);
  o->lost = o->orphaned;
  return 0;
}

struct object *mutex_to_wait(pthread_mutex_t *mutex, const struct object *condition, int *error,
                             uint64_t place) {
  struct object *o = object_of(mutex, place);
  int kind = kind_of(mutex, place);
  *error = EPERM;
  if (o->owner != thread_self()) {
    if (kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE) return NULL;
    misused(MISUSE_UNHELD, condition, place);
  }
  if (o->depth > 0) refuse("a wait with a mutex that is locked more than once", place);
  return o;
}

/* A robust mutex whose owner ended is in order again. */
static int consistent(pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_of(mutex, place);
  if (!is_robust(mutex) || o->owner != thread_self() || !o->orphaned) return EINVAL;
  o->orphaned = false;
  return 0;
}

/* At the end of a thread: its robust mutexes go to whoever asks next. */
void mutexes_abandon(struct thread *t) {
  struct object *o = t->held;
  while (o != NULL) {
    struct object *next = o->next_held;
    if (o->robust) {
      o->depth = 0;
      give_back(o, t->place);
      o->lost = o->orphaned;
      o->orphaned = true;
    }
    o = next;
  }
}

/* Whether a mutex is held when it is destroyed depends on the order of events, so destroying is
 * one: a trylock. */
static int destroy(pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_of(mutex, place);
  if (!object_trylock(o, place)) misused(MISUSE_DESTROY, o, place);
  check_alive(mutex, o, place);
  object_unlock(o, place);
  o->destroyed = true;
  mutex->__data.__kind = KIND_DESTROYED;
  return 0;
}

/* Whether it is held is looked at by a trylock, as for a destruction. */
static void replace(struct object *o, uint64_t place) {
  if (o == NULL) return;
  const bool held = !object_trylock(o, place);
  if (!held) object_unlock(o, place);
  object_replaced(o, held, MISUSE_INIT_HELD, place);
}

INTERPOSE int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  struct object *replaced = NULL;
  CALL_READS(attributes);
  if (running) object_begin(mutex, OBJECT_MUTEX, CALLER, &replaced);
  int error = REAL(pthread_mutex_init)(mutex, attributes);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex) {
  return running ? lock(mutex, object_of(mutex, CALLER), CALLER)
                 : before_main(&held_before, REAL(pthread_mutex_lock)(mutex), 1);
}

INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  return running ? try(mutex, object_of(mutex, CALLER), CALLER)
                 : before_main(&held_before, REAL(pthread_mutex_trylock)(mutex), 1);
}

INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  return running ? unlock(mutex, CALLER)
                 : before_main(&held_before, REAL(pthread_mutex_unlock)(mutex), -1);
}

INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  return running ? destroy(mutex, CALLER) : REAL(pthread_mutex_destroy)(mutex);
}

INTERPOSE int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
                                      const struct timespec *restrict until) {
  return running ? timed(mutex, until, CALLER)
                 : before_main(&held_before, REAL(pthread_mutex_timedlock)(mutex, until), 1);
}

INTERPOSE int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                      const struct timespec *restrict until) {
  return running ? timed(mutex, until, CALLER)
                 : before_main(&held_before, REAL(pthread_mutex_clocklock)(mutex, clock, until), 1);
}

INTERPOSE int pthread_mutex_consistent(pthread_mutex_t *mutex) {
  return running ? consistent(mutex, CALLER) : REAL(pthread_mutex_consistent)(mutex);
}

/* C11: an mtx_t is a pthread_mutex_t. */
static int c11(int error) {
  return error == 0           ? thrd_success
         : error == EBUSY     ? thrd_busy
         : error == ETIMEDOUT ? thrd_timedout
                              : thrd_error;
}

INTERPOSE int mtx_init(mtx_t *mutex, int type) {
  struct object *replaced = NULL;
  if (running) object_begin(mutex, OBJECT_MUTEX, CALLER, &replaced);
  int error = REAL(mtx_init)(mutex, type);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int mtx_lock(mtx_t *c11_mutex) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)c11_mutex;
  return running ? c11(lock(mutex, object_of(mutex, CALLER), CALLER))
                 : before_main(&held_before, REAL(mtx_lock)(c11_mutex), 1);
}

INTERPOSE int mtx_trylock(mtx_t *c11_mutex) {
  pthread_mutex_t *mutex = (pthread_mutex_t *)c11_mutex;
  return running ? c11(try(mutex, object_of(mutex, CALLER), CALLER))
                 : before_main(&held_before, REAL(mtx_trylock)(c11_mutex), 1);
}

INTERPOSE int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until) {
  return running ? c11(timed((pthread_mutex_t *)mutex, until, CALLER))
                 : before_main(&held_before, REAL(mtx_timedlock)(mutex, until), 1);
}

INTERPOSE int mtx_unlock(mtx_t *mutex) {
  return running ? c11(unlock((pthread_mutex_t *)mutex, CALLER))
                 : before_main(&held_before, REAL(mtx_unlock)(mutex), -1);
}

INTERPOSE void mtx_destroy(mtx_t *mutex) {
  if (running)
    destroy((pthread_mutex_t *)mutex, CALLER);
  else
    REAL(mtx_destroy)(mutex);
}

/* Older names of the same, which old programs and libraries refer to. */
OLDER_NAME(__pthread_mutex_init, pthread_mutex_init);
OLDER_NAME(__pthread_mutex_destroy, pthread_mutex_destroy);
OLDER_NAME(__pthread_mutex_lock, pthread_mutex_lock);
OLDER_NAME(__pthread_mutex_trylock, pthread_mutex_trylock);
OLDER_NAME(__pthread_mutex_unlock, pthread_mutex_unlock);
OLDER_NAME(pthread_mutex_consistent_np, pthread_mutex_consistent);
