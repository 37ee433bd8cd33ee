/* Semaphores in the memory of the process. The initial value is read from the program's object,
 * where the C library has put it; from the first use on the value is in our record, and the object
 * keeps the initial one. To ask for the value is a trywait, and a post if that succeeded: a trywait
 * of another thread may fail in between. A wait with a time limit is a trywait. The maximum is one
 * that no execution reaches by posts alone; where it can, posts do not commute, so it is stated
 * only where the initial value is high. */
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unfold/unfold.h>

#include "accesses.h"
#include "clock.h"
#include "entry.h"
#include "inits.h"
#include "interpose.h"
#include "objects.h"
#include "perform.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

static void begin(struct object *o, uint32_t initial, uint64_t place) {
  if (!object_initial(o, initial))
    refuse("a semaphore whose initial value depends on the order", place);
  if (initial > INT_MAX / 2) object_maximum(o, INT_MAX);
  o->used = true;
}

static struct object *object_of(const sem_t *semaphore, uint64_t place) {
  struct object *o = object_use(semaphore, OBJECT_SEMAPHORE, place);
  uint32_t initial;
  if (o->initial_known) return o;
  memcpy(&initial, semaphore, sizeof initial);
  begin(o, initial, place);
  return o;
}

static bool try(struct object *o, uint64_t place) {
  schedule(UNF_OP_SEM_TRYWAIT(o->name), o, place);
  object_alive(o, place);
  return thread_self()->did == UNF_DID_SEM_WAIT;
}

static int fail(int error) {
  errno = error;
  return -1;
}

static int post(sem_t *semaphore, uint64_t place) {
  struct object *o = object_of(semaphore, place);
  schedule(UNF_OP_POST(o->name), o, place);
  object_alive(o, place);
  return thread_self()->value == POST_OVERFLOWS ? fail(EOVERFLOW) : 0;
}

static int wait(sem_t *semaphore, uint64_t place) {
  struct object *o = object_of(semaphore, place);
  schedule(UNF_OP_SEM_WAIT(o->name), o, place);
  object_alive(o, place);
  return 0;
}

static int timed(sem_t *semaphore, const struct timespec *until, uint64_t place) {
  accesses_by_call(until, sizeof *until, false, place);
  if (!clock_limits()) return wait(semaphore, place);
  return try(object_of(semaphore, place), place) ? 0 : fail(clock_timeout(until));
}

static int get(sem_t *semaphore, int *value, uint64_t place) {
  struct object *o = object_of(semaphore, place);
  const bool some = try(o, place);
  const int now = some ? (int)o->value + 1 : 0;
  if (some) schedule(UNF_OP_POST(o->name), o, place);
  accesses_by_call(value, sizeof *value, true, place);
  *value = now;
  return 0;
}

static int destroy(sem_t *semaphore, uint64_t place) {
  struct object *o = object_of(semaphore, place);
  if (try(o, place)) schedule(UNF_OP_POST(o->name), o, place);
  object_destroy(o);
  return 0;
}

/* Nobody holds a semaphore; who uses the one that is replaced comes before this, or too late. */
static void replace(struct object *o, uint64_t place) {
  if (o == NULL) return;
  schedule(UNF_OP_SEM_TRYWAIT(o->name), o, place);
  if (thread_self()->did == UNF_DID_SEM_WAIT) schedule(UNF_OP_POST(o->name), o, place);
  object_replaced(o, false, MISUSE_INIT_WAITED, place);
}

INTERPOSE int sem_init(sem_t *semaphore, int shared, unsigned value) {
  struct object *fresh = NULL, *replaced = NULL;
  if (running && value <= INT_MAX)
    fresh = object_begin(semaphore, OBJECT_SEMAPHORE, CALLER, &replaced);
  int result = REAL(sem_init)(semaphore, shared, value);
  if (fresh != NULL) begin(fresh, value, CALLER);
  replace(replaced, CALLER);
  return result;
}

INTERPOSE int sem_destroy(sem_t *semaphore) {
  return running ? destroy(semaphore, CALLER) : REAL(sem_destroy)(semaphore);
}

INTERPOSE int sem_post(sem_t *semaphore) {
  return running ? post(semaphore, CALLER) : REAL(sem_post)(semaphore);
}

INTERPOSE int sem_wait(sem_t *semaphore) {
  return running ? wait(semaphore, CALLER) : REAL(sem_wait)(semaphore);
}

INTERPOSE int sem_trywait(sem_t *semaphore) {
  if (!running) return REAL(sem_trywait)(semaphore);
  return try(object_of(semaphore, CALLER), CALLER) ? 0 : fail(EAGAIN);
}

INTERPOSE int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
  return running ? timed(semaphore, until, CALLER) : REAL(sem_timedwait)(semaphore, until);
}

INTERPOSE int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                            const struct timespec *restrict until) {
  return running ? timed(semaphore, until, CALLER) : REAL(sem_clockwait)(semaphore, clock, until);
}

INTERPOSE int sem_getvalue(sem_t *restrict semaphore, int *restrict value) {
  return running ? get(semaphore, value, CALLER) : REAL(sem_getvalue)(semaphore, value);
}
