/* Condition variables. To wait is two operations: to give the mutex back and begin to wait, and to
 * wake up when notified and the mutex is free. Where there is a time limit, the second may also be
 * the time-out, as long as the thread was not notified; the mutex is locked after it. Nobody wakes
 * up for no reason. Both versions of these functions come here, because only the first word of the
 * program's object is touched, and only when it is destroyed. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>
#include <unfold/unfold.h>

#include "accesses.h"
#include "clock.h"
#include "entry.h"
#include "findings.h"
#include "inits.h"
#include "interpose.h"
#include "mutex.h"
#include "objects.h"
#include "real.h"
#include "scheduler.h"

static int wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until,
                uint64_t place) {
  int error;
  accesses_by_call(until, sizeof *until, false, place);
  struct object *c = object_use(condition, OBJECT_CONDITION, place);
  struct object *m = mutex_to_wait(mutex, c, &error, place);
  if (m == NULL) return error;
  if (until != NULL && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000)) return EINVAL;
  schedule_wait(UNF_OP_WAIT(c->name, m->name), c, m, place);
  mutex_left(m);
  object_alive(c, place);
  const bool limited = until != NULL && clock_limits();
  schedule_wait(limited ? UNF_OP_TIMED_WAKE(c->name, m->name) : UNF_OP_WAKE(c->name, m->name), c, m,
                place);
  if (thread_self()->did != UNF_DID_TIMEOUT) return mutex_taken(m, place);
  error = clock_timeout(until);
  object_lock(m, place);
  int owner_error = mutex_taken(m, place);
  return owner_error != 0 ? owner_error : error;
}

static int notify(pthread_cond_t *condition, bool all, uint64_t place) {
  struct object *c = object_use(condition, OBJECT_CONDITION, place);
  schedule(all ? UNF_OP_BROADCAST(c->name) : UNF_OP_SIGNAL(c->name), c, place);
  object_alive(c, place);
  return 0;
}

static bool is_waited(struct object *c, uint64_t place) {
  uint64_t lost_place = c->lost_place;
  schedule(UNF_OP_BROADCAST(c->name), c, place);
  c->lost_place = lost_place;
  return thread_self()->value != 0;
}

/* Who waits when it is destroyed depends on the order of events, so destroying is one: a broadcast,
 * which should reach nobody. */
static int destroy(pthread_cond_t *condition, uint64_t place) {
  struct object *c = object_use(condition, OBJECT_CONDITION, place);
  const bool waited = is_waited(c, place);
  object_alive(c, place);
  if (waited) misused(MISUSE_WAITED, c, place);
  object_destroy(c);
  return 0;
}

static void replace(struct object *c, uint64_t place) {
  if (c != NULL) object_replaced(c, is_waited(c, place), MISUSE_INIT_WAITED, place);
}

INTERPOSE int pthread_cond_init(pthread_cond_t *restrict condition,
                                const pthread_condattr_t *restrict attributes) {
  struct object *replaced = NULL;
  CALL_READS(attributes);
  if (running) object_begin(condition, OBJECT_CONDITION, CALLER, &replaced);
  int error = REAL(pthread_cond_init)(condition, attributes);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int pthread_cond_wait(pthread_cond_t *restrict condition,
                                pthread_mutex_t *restrict mutex) {
  return running ? wait(condition, mutex, NULL, CALLER) : REAL(pthread_cond_wait)(condition, mutex);
}

INTERPOSE int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                                     pthread_mutex_t *restrict mutex,
                                     const struct timespec *restrict until) {
  return running ? wait(condition, mutex, until, CALLER)
                 : REAL(pthread_cond_timedwait)(condition, mutex, until);
}

INTERPOSE int pthread_cond_clockwait(pthread_cond_t *restrict condition,
                                     pthread_mutex_t *restrict mutex, clockid_t clock,
                                     const struct timespec *restrict until) {
  return running ? wait(condition, mutex, until, CALLER)
                 : REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
}

INTERPOSE int pthread_cond_signal(pthread_cond_t *condition) {
  return running ? notify(condition, false, CALLER) : REAL(pthread_cond_signal)(condition);
}

INTERPOSE int pthread_cond_broadcast(pthread_cond_t *condition) {
  return running ? notify(condition, true, CALLER) : REAL(pthread_cond_broadcast)(condition);
}

INTERPOSE int pthread_cond_destroy(pthread_cond_t *condition) {
  return running ? destroy(condition, CALLER) : REAL(pthread_cond_destroy)(condition);
}

/* C11: a cnd_t is a pthread_cond_t. */
static int c11(int error) {
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

INTERPOSE int cnd_init(cnd_t *condition) {
  struct object *replaced = NULL;
  if (running) object_begin(condition, OBJECT_CONDITION, CALLER, &replaced);
  int error = REAL(cnd_init)(condition);
  replace(replaced, CALLER);
  return error;
}

INTERPOSE int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  if (!running) return REAL(cnd_wait)(condition, mutex);
  return c11(wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, NULL, CALLER));
}

INTERPOSE int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex,
                            const struct timespec *restrict until) {
  if (!running) return REAL(cnd_timedwait)(condition, mutex, until);
  return c11(wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until, CALLER));
}

INTERPOSE int cnd_signal(cnd_t *condition) {
  if (!running) return REAL(cnd_signal)(condition);
  return c11(notify((pthread_cond_t *)condition, false, CALLER));
}

INTERPOSE int cnd_broadcast(cnd_t *condition) {
  if (!running) return REAL(cnd_broadcast)(condition);
  return c11(notify((pthread_cond_t *)condition, true, CALLER));
}

INTERPOSE void cnd_destroy(cnd_t *condition) {
  if (running)
    destroy((pthread_cond_t *)condition, CALLER);
  else
    REAL(cnd_destroy)(condition);
}
