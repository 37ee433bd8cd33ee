/* Mutexes. The kind is read from the program's own object, as the C library laid it out. Its lock
 * word is kept as the C library would: one that says free while our record says held shows that the
 * memory has become another mutex. Destroying leaves the C library's mark for destroyed. Answers
 * that a thread's own history decides (a recursive relock, EDEADLK, EPERM) are given at once and
 * are no events. */
#include "preload.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>

enum { KIND_MASK = 3, KIND_ROBUST = 16, KIND_PROTECT = 64, KIND_DESTROYED = -1 };

_Noreturn static void misused(enum finding_kind kind, uint64_t place) {
  finding_new(kind, thread_self(), place);
  halt(place);
}

static int kind_of(const pthread_mutex_t *mutex, uint64_t place) {
  int kind = mutex->__data.__kind;
  if (kind == KIND_DESTROYED) return PTHREAD_MUTEX_NORMAL;
  if (kind & KIND_ROBUST) refuse("a robust mutex", place);
  if (kind & KIND_PROTECT) refuse("a mutex with a priority ceiling", place);
  return kind & KIND_MASK;
}

/* Asked when the operation was performed, and not when a thread comes to it: only then it is in an
 * order with the destruction. */
static void check_alive(const pthread_mutex_t *mutex, uint64_t place) {
  if (mutex->__data.__kind == KIND_DESTROYED) misused(FINDING_DESTROYED, place);
}

static struct object *object_of(const pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_at(mutex);
  const bool word = mutex->__data.__lock != 0;
  if (word && !o->used) refuse("a mutex that was locked before main or never initialised", place);
  if (!word && o->owner != NULL) object_renew(o);
  if (o->destroyed && mutex->__data.__kind != KIND_DESTROYED) object_forget(o);
  o = object_at(mutex);
  o->used = true;
  return o;
}

static int lock(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_of(mutex, place);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE)
    o->depth++;
  else
    object_lock(o, place);
  mutex->__data.__lock = 1;
  check_alive(mutex, place);
  return 0;
}

static int try(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_of(mutex, place);
  if (o->owner == thread_self() && kind == PTHREAD_MUTEX_RECURSIVE) {
    o->depth++;
    return 0;
  }
  if (!object_trylock(o, place)) return EBUSY;
  mutex->__data.__lock = 1;
  check_alive(mutex, place);
  return 0;
}

static int unlock(pthread_mutex_t *mutex, uint64_t place) {
  int kind = kind_of(mutex, place);
  struct object *o = object_of(mutex, place);
  if (o->owner != thread_self()) {
    if (kind == PTHREAD_MUTEX_ERRORCHECK || kind == PTHREAD_MUTEX_RECURSIVE) return EPERM;
    misused(FINDING_STRANGER, place);
  }
  if (o->depth > 0) {
    o->depth--;
    return 0;
  }
  object_unlock(o, place);
  mutex->__data.__lock = 0;
  return 0;
}

/* Whether a mutex is held when it is destroyed depends on the order of events, so destroying is
 * one: a trylock. */
static int destroy(pthread_mutex_t *mutex, uint64_t place) {
  struct object *o = object_of(mutex, place);
  if (!object_trylock(o, place)) misused(FINDING_DESTROY, place);
  check_alive(mutex, place);
  object_unlock(o, place);
  o->destroyed = true;
  mutex->__data.__kind = KIND_DESTROYED;
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
