/* Spin locks: mutexes whose owner need not be found, since nobody spins here. The program's own
 * word keeps the value of a free lock, which also shows whether it was ever initialised. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "interpose.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

enum { WORD_FREE = 1 };

static int held_before; /* main */

static struct object *object_of(pthread_spinlock_t *lock, uint64_t place) {
  struct object *o = object_use((const void *)lock, OBJECT_SPIN, place);
  if (o->initialisation == NULL && !o->used && *lock != WORD_FREE) {
    if (held_before > 0) refuse("a spin lock that was locked before main", place);
    object_early(o, place);
  }
  o->used = true;
  return o;
}

static int try(pthread_spinlock_t *lock, uint64_t place) {
  struct object *o = object_of(lock, place);
  if (!object_trylock(o, place)) return EBUSY;
  object_alive(o, place);
  return 0;
}

static int unlock(pthread_spinlock_t *lock, uint64_t place) {
  struct object *o = object_of(lock, place);
  if (o->owner != thread_self()) misused(MISUSE_STRANGER, o, place);
  object_unlock(o, place);
  return 0;
}

static int destroy(pthread_spinlock_t *lock, uint64_t place) {
  struct object *o = object_of(lock, place);
  if (!object_trylock(o, place)) misused(MISUSE_DESTROY, o, place);
  object_alive(o, place);
  object_unlock(o, place);
  object_destroy(o);
  return 0;
}

/* Whether it is held is looked at by a trylock, as for a destruction. */
static void replace(struct object *o, uint64_t place) {
  if (o == NULL) return;
  const bool held = !object_trylock(o, place);
  if (!held) object_unlock(o, place);
  object_replaced(o, held, MISUSE_INIT_HELD, place);
}

INTERPOSE int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  struct object *replaced = NULL;
  if (running) object_begin((const void *)lock, OBJECT_SPIN, CALLER, &replaced);
  int error = REAL(pthread_spin_init)(lock, shared);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int pthread_spin_lock(pthread_spinlock_t *lock) {
  if (!running) return before_main(&held_before, REAL(pthread_spin_lock)(lock), 1);
  struct object *o = object_of(lock, CALLER);
  object_lock(o, CALLER);
  object_alive(o, CALLER);
  return 0;
}

INTERPOSE int pthread_spin_trylock(pthread_spinlock_t *lock) {
  return running ? try(lock, CALLER)
                 : before_main(&held_before, REAL(pthread_spin_trylock)(lock), 1);
}

INTERPOSE int pthread_spin_unlock(pthread_spinlock_t *lock) {
  return running ? unlock(lock, CALLER)
                 : before_main(&held_before, REAL(pthread_spin_unlock)(lock), -1);
}

INTERPOSE int pthread_spin_destroy(pthread_spinlock_t *lock) {
  return running ? destroy(lock, CALLER) : REAL(pthread_spin_destroy)(lock);
}
