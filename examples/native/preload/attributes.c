/* What is said about a thread and decides nothing, because every order is explored anyway: its
 * name, its priority. The answers are kept here, since the C library knows nothing of a fiber. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "accesses.h"
#include "entry.h"
#include "interpose.h"
#include "real.h"
#include "scheduler.h"

static struct thread *find(pthread_t handle) {
  return thread_find((uint64_t)handle);
}

INTERPOSE int pthread_setname_np(pthread_t handle, const char *name) {
  if (!running) return REAL(pthread_setname_np)(handle, name);
  struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  accesses_by_call(name, strlen(name) + 1, false, CALLER);
  if (strlen(name) >= sizeof t->title) return ERANGE;
  strcpy(t->title, name);
  return 0;
}

INTERPOSE int pthread_getname_np(pthread_t handle, char *name, size_t size) {
  if (!running) return REAL(pthread_getname_np)(handle, name, size);
  const struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  const char *title = t->title[0] != '\0' ? t->title : program_invocation_short_name;
  size_t length = strnlen(title, sizeof t->title - 1);
  if (length >= size) return ERANGE;
  memcpy(name, title, length);
  name[length] = '\0';
  return 0;
}

INTERPOSE int pthread_setschedparam(pthread_t handle, int policy, const struct sched_param *how) {
  if (!running) return REAL(pthread_setschedparam)(handle, policy, how);
  struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  CALL_READS(how);
  t->policy = policy;
  t->priority = how->sched_priority;
  return 0;
}

INTERPOSE int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *how) {
  if (!running) return REAL(pthread_getschedparam)(handle, policy, how);
  const struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  CALL_WRITES(policy), CALL_WRITES(how);
  *policy = t->policy;
  how->sched_priority = t->priority;
  return 0;
}

INTERPOSE int pthread_setschedprio(pthread_t handle, int priority) {
  if (!running) return REAL(pthread_setschedprio)(handle, priority);
  struct thread *t = find(handle);
  if (t == NULL) return ESRCH;
  t->priority = priority;
  return 0;
}

/* Clocks are virtual, whatever their number. */
INTERPOSE int pthread_getcpuclockid(pthread_t handle, clockid_t *clock) {
  if (!running) return REAL(pthread_getcpuclockid)(handle, clock);
  CALL_WRITES(clock);
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return find(handle) == NULL ? ESRCH : 0;
}
