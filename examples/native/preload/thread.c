/* Threads of the program: create, join, detach, exit, self; and the same of C11. */
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "accesses.h"
#include "backend.h"
#include "barrier.h"
#include "clock.h"
#include "engine.h"
#include "entry.h"
#include "findings.h"
#include "interpose.h"
#include "modules.h"
#include "objects.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"

static size_t stack_wanted(const pthread_attr_t *attributes) {
  size_t size = 0;
  pthread_attr_t defaults;
  if (attributes != NULL && pthread_attr_getstacksize(attributes, &size) == 0) return size;
  if (pthread_getattr_default_np(&defaults) != 0) return (size_t)8 << 20;
  pthread_attr_getstacksize(&defaults, &size);
  pthread_attr_destroy(&defaults);
  return size;
}

static size_t guard_wanted(const pthread_attr_t *attributes) {
  size_t size = 0;
  pthread_attr_t defaults;
  if (attributes != NULL && pthread_attr_getguardsize(attributes, &size) == 0) return size;
  if (pthread_getattr_default_np(&defaults) != 0) return STACK_GUARD;
  pthread_attr_getguardsize(&defaults, &size);
  pthread_attr_destroy(&defaults);
  return size;
}

static int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                  void *argument, uint64_t place) {
  struct thread *me = thread_self();
  unf_thread name;
  /* A pointer to nowhere fails here, and not when the explorer waits for the new thread. */
  /* cppcheck-suppress selfAssignment */
  *(volatile pthread_t *)handle = *(volatile pthread_t *)handle;
  accesses_by_call(attributes, sizeof *attributes, false, place);
  accesses_by_call(handle, sizeof *handle, true, place);
  const uint32_t index = me->children++;
  unf_status status = unf_thread_name(engine_unfolding(), me->name, index, &name);
  if (status != UNF_OK) give_up(OUTCOME_LIMIT, "%s", unf_status_text(status));
  /* First of all, because it allocates: an allocator of the program's own may have mutexes. */
  struct thread *t = thread_new(me, name, index);
  if (!stack_new(t, stack_wanted(attributes)) || !backend->create(t))
    give_up(OUTCOME_REFUSED, "the system gives no further thread");
  *handle = (pthread_t)t->handle; /* before the new thread begins, as the C library does */
  me->creates = start;
  schedule(UNF_OP_CREATE(name), NULL, place);
  thread_add(t, me);
  rounds_learn(t, me);
  t->blocked = me->blocked;
  t->start = start;
  t->argument = argument;
  t->place = place;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != NULL) pthread_attr_getdetachstate(attributes, &state);
  t->detached = state == PTHREAD_CREATE_DETACHED;
  t->guard = guard_wanted(attributes);
  thread_fresh(t);
  return 0;
}

/* The C library looks into what a handle points to, but for 0, and where nothing is, the thread
 * that asks crashes. */
static struct thread *named_by(pthread_t handle) {
  struct thread *t = handle == 0 ? NULL : thread_find((uint64_t)handle);
  if (t == NULL && handle != 0) *(const volatile char *)handle;
  return t;
}

/* It knows no thread that was joined. */
static struct thread *find(pthread_t handle) {
  struct thread *t = named_by(handle);
  return t == NULL || t->joined ? NULL : t;
}

/* Of several threads that join one, the first to come does. Which that is, is explored, once it is
 * known that there are several; else a join is no event but that of the thread's end. */
static void claim(struct thread *t, uint64_t place) {
  static const char several[] = "a thread that several threads join";
  struct thread *me = thread_self();
  if (control->joins_watched) {
    struct object *o = object_joins(t);
    schedule(UNF_OP_SEM_TRYWAIT(o->name), o, place);
    if (me->did != UNF_DID_SEM_WAIT) misused(MISUSE_JOINED, o, place);
  } else if (t->joiner != NULL && t->joiner != me) {
    if (control->settings.replay) refuse(several, place);
    control->joins_watched = true;
    give_up(OUTCOME_AGAIN, "%s", several);
  }
  t->joiner = me;
}

void joins_learn(const unf_schedule *schedule) {
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    unf_action action;
    if (unf_schedule_step(schedule, i, &action) != UNF_OK) continue;
    if (action.kind != UNF_DID_SEM_WAIT && action.kind != UNF_DID_SEM_FAIL) continue;
    control->joins_watched |= object_is_joins(action.target);
  }
}

_Noreturn static void misused_again(uint64_t place) {
  misused(MISUSE_JOINED_AGAIN, &(struct object){.kind = OBJECT_THREAD}, place);
}

/* What it returned is *value then. */
static int wait_for(pthread_t handle, void **value, uint64_t place) {
  struct thread *t = named_by(handle), *me = thread_self();
  if (t == NULL) return ESRCH;
  if (t->joined && t->joiner == me) misused_again(place);
  if (t->detached && !t->joined) return EINVAL;
  if (t == me) return EDEADLK;
  claim(t, place);
  schedule(UNF_OP_JOIN(t->name), NULL, place);
  t->detached = t->joined = true;
  *value = t->result;
  return 0;
}

static int join(pthread_t handle, void **result, uint64_t place) {
  void *value;
  const int error = wait_for(handle, &value, place);
  if (error != 0 || result == NULL) return error;
  accesses_by_call(result, sizeof *result, true, place);
  *result = value;
  return 0;
}

static int detach(pthread_t handle) {
  struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  if (t->detached) return EINVAL;
  t->detached = true;
  return 0;
}

/* Whether a thread has ended decides what tryjoin says, so its end is then an event: a post, which
 * tryjoin tries to take. Only in programs that ask, because they alone have more orders for it. */
static bool ends_watched;

void threads_prepare(void) {
  static const char *const askers[] = {"pthread_tryjoin_np", "pthread_timedjoin_np",
                                       "pthread_clockjoin_np", NULL};
  ends_watched = modules_import(askers);
}

void thread_over(struct thread *t) {
  if (!ends_watched) return;
  struct object *end = object_end(t);
  schedule(UNF_OP_POST(end->name), end, t->place);
}

static int try_join(pthread_t handle, void **result, uint64_t place) {
  struct thread *t = named_by(handle);
  if (t == NULL) return ESRCH;
  if (t->joined && t->joiner == thread_self()) misused_again(place);
  if (t->detached && !t->joined) return EINVAL;
  if (t == thread_self()) return EDEADLK;
  if (!ends_watched) refuse("a function found by dlsym that asks if a thread has ended", place);
  struct object *end = object_end(t);
  schedule(UNF_OP_SEM_TRYWAIT(end->name), end, place);
  return thread_self()->did == UNF_DID_SEM_WAIT ? join(handle, result, place) : EBUSY;
}

static int timed_join(pthread_t handle, void **result, const struct timespec *until,
                      uint64_t place) {
  accesses_by_call(until, sizeof *until, false, place);
  if (until == NULL || !clock_limits()) return join(handle, result, place);
  int error = try_join(handle, result, place);
  return error == EBUSY ? clock_timeout(until) : error;
}

/* The C library unwinds the stack for the cancellation handlers; ours is the outermost and
 * ends the thread. */
_Noreturn static void end_thread(void *result, uint64_t place) {
  struct thread *t = thread_self();
  t->result = result;
  t->place = place;
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}

INTERPOSE int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
                             void *(*start)(void *), void *argument) {
  if (running) return create(handle, attributes, start, argument, CALLER);
  early_thread = true;
  return REAL(pthread_create)(handle, attributes, start, argument);
}

INTERPOSE int pthread_join(pthread_t handle, void **result) {
  return running ? join(handle, result, CALLER) : REAL(pthread_join)(handle, result);
}

INTERPOSE int pthread_tryjoin_np(pthread_t handle, void **result) {
  return running ? try_join(handle, result, CALLER) : REAL(pthread_tryjoin_np)(handle, result);
}

INTERPOSE int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until) {
  return running ? timed_join(handle, result, until, CALLER)
                 : REAL(pthread_timedjoin_np)(handle, result, until);
}

INTERPOSE int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock,
                                   const struct timespec *until) {
  return running ? timed_join(handle, result, until, CALLER)
                 : REAL(pthread_clockjoin_np)(handle, result, clock, until);
}

INTERPOSE int pthread_detach(pthread_t handle) {
  return running ? detach(handle) : REAL(pthread_detach)(handle);
}

/* The stacks of threads are ours. Below what is theirs lies the guard, as large as they wanted it.
 * For that of main the C library would read the list of mappings, which is long: what it said
 * before main is still true. */
static int get_attributes(const struct thread *t, pthread_attr_t *attributes) {
  int error = pthread_attr_init(attributes);
  if (error != 0) return error;
  const uint64_t low = t->stack_low + (t == threads ? 0 : STACK_GUARD);
  pthread_attr_setdetachstate(attributes,
                              t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setguardsize(attributes, t->guard);
  return pthread_attr_setstack(attributes, (void *)(uintptr_t)low, t->stack_high - low);
}

INTERPOSE int pthread_getattr_np(pthread_t handle, pthread_attr_t *attributes) {
  const struct thread *t = running ? thread_find((uint64_t)handle) : NULL;
  CALL_WRITES(attributes);
  return t == NULL || t->stack_high == 0 ? REAL(pthread_getattr_np)(handle, attributes)
                                         : get_attributes(t, attributes);
}

INTERPOSE pthread_t pthread_self(void) {
  const struct thread *me = running ? thread_self() : NULL;
  return me != NULL ? (pthread_t)me->handle : REAL(pthread_self)();
}

INTERPOSE _Noreturn void pthread_exit(void *result) {
  if (running) end_thread(result, CALLER);
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}

INTERPOSE int thrd_create(thrd_t *handle, thrd_start_t start, void *argument) {
  if (!running) return REAL(thrd_create)(handle, start, argument);
  /* The result is an int in the same register; thrd_join takes it from there. */
  return create(handle, NULL, (void *(*)(void *))(plain_function *)start, argument, CALLER) == 0
             ? thrd_success
             : thrd_error;
}

INTERPOSE int thrd_join(thrd_t handle, int *result) {
  if (!running) return REAL(thrd_join)(handle, result);
  void *value;
  if (wait_for(handle, &value, CALLER) != 0) return thrd_error;
  CALL_WRITES(result);
  if (result != NULL) *result = (int)(intptr_t)value;
  return thrd_success;
}

INTERPOSE int thrd_detach(thrd_t handle) {
  if (!running) return REAL(thrd_detach)(handle);
  return detach(handle) == 0 ? thrd_success : thrd_error;
}

INTERPOSE thrd_t thrd_current(void) {
  return running ? (thrd_t)thread_self()->handle : REAL(thrd_current)();
}

INTERPOSE _Noreturn void thrd_exit(int result) {
  if (running) end_thread((void *)(intptr_t)result, CALLER);
  REAL(thrd_exit)(result);
  __builtin_unreachable();
}
