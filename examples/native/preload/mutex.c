/* Mutexes. The kind is read from the program's own object, as the C library laid it out; nothing
 * else of it is used. Answers that a thread's own history decides (a recursive relock, EDEADLK,
 * EPERM) are given at once and are no events. */
#include "preload.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

enum { KIND_MASK = 3, KIND_ROBUST = 16, KIND_PROTECT = 64 };

static int kind_of(const pthread_mutex_t *mutex, uint64_t place) {
  int kind = mutex->__data.__kind;
  if (kind & KIND_ROBUST) refuse("a robust mutex", place);
  if (kind & KIND_PROTECT) refuse("a mutex with a priority ceiling", place);
  return kind & KIND_MASK;
}

static int lock(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_at(mutex);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE)
    o->depth++;
  else
    object_lock(o, place);
  return 0;
}

static int try(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_at(mutex);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE) {
    o->depth++;
    return 0;
  }
  return object_trylock(o, place) ? 0 : EBUSY;
}

static int unlock(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_at(mutex);
  if (o->owner != thread_self()) {
    if (kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE) return EPERM;
    finding_new(FINDING_STRANGER, thread_self(), place);
    halt(place);
  }
  if (o->depth > 0)
    o->depth--;
  else
    object_unlock(o, place);
  return 0;
}

/* Whether a mutex is held when it is destroyed depends on the order of events, so destroying is
 * one: a trylock. */
static int destroy(pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_at(mutex);
  if (!object_trylock(o, place)) {
    finding_new(FINDING_DESTROY, thread_self(), place);
    halt(place);
  }
  object_unlock(o, place);
  object_forget(o);
  return 0;
}

INTERPOSE int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  if (running) object_initialise(mutex);
  return REAL(pthread_mutex_init)(mutex, attributes);
}

INTERPOSE int pthread_mutex_lock(pthread_mutex_t *mutex) {
  return running ? lock(mutex, CALLER) : REAL(pthread_mutex_lock)(mutex);
}

INTERPOSE int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  return running ? try(mutex, CALLER) : REAL(pthread_mutex_trylock)(mutex);
}

INTERPOSE int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  return running ? unlock(mutex, CALLER) : REAL(pthread_mutex_unlock)(mutex);
}

INTERPOSE int pthread_mutex_destroy(pthread_mutex_t *mutex) {
  return running ? destroy(mutex, CALLER) : REAL(pthread_mutex_destroy)(mutex);
}

/* C11: an mtx_t is a pthread_mutex_t. */
static int c11(int error) {
  return error == 0 ? thrd_success : error == EBUSY ? thrd_busy : thrd_error;
}

INTERPOSE int mtx_init(mtx_t *mutex, int type) {
  if (running) object_initialise(mutex);
  return REAL(mtx_init)(mutex, type);
}

INTERPOSE int mtx_lock(mtx_t *mutex) {
  return running ? c11(lock((pthread_mutex_t *)mutex, CALLER)) : REAL(mtx_lock)(mutex);
}

INTERPOSE int mtx_trylock(mtx_t *mutex) {
  return running ? c11(try((pthread_mutex_t *)mutex, CALLER)) : REAL(mtx_trylock)(mutex);
}

INTERPOSE int mtx_unlock(mtx_t *mutex) {
  return running ? c11(unlock((pthread_mutex_t *)mutex, CALLER)) : REAL(mtx_unlock)(mutex);
}

INTERPOSE void mtx_destroy(mtx_t *mutex) {
  if (running)
    destroy((pthread_mutex_t *)mutex, CALLER);
  else
    REAL(mtx_destroy)(mutex);
}
