/* What the system would answer differently in each execution, or because we are here: process and
 * thread numbers, and the processors that the program may use, of which we take all but one. */
#include "accesses.h"
#include "identity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "entry.h"
#include "interpose.h"
#include "real.h"
#include "scheduler.h"
#include "system_call.h"

enum { NUMBERS_END = 1 << 30 };

static cpu_set_t allowed;
static bool allowed_known;
static int first_number; /* what the program was called until main began */
static int started_by;   /* who started it; executions are children of the worker */

void identity_prepare(void) {
  allowed_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  first_number = (int)raw_call(SYS_getpid, 0, 0, 0, 0);
  started_by = (int)raw_call(SYS_getppid, 0, 0, 0, 0);
}

int identity_parent(void) {
  return started_by;
}

int identity_number(const struct thread *parent, uint32_t index) {
  if (parent == NULL) return PROCESS_NUMBER;
  uint64_t x = ((uint64_t)(unsigned)parent->number << 32 | index) * 0x9e3779b97f4a7c15u;
  return PROCESS_NUMBER + 1 + (int)((x >> 32) % (NUMBERS_END - PROCESS_NUMBER - 1));
}

static int real_thread(void) {
  return (int)raw_call(SYS_gettid, 0, 0, 0, 0);
}

static bool is_process(long number) {
  return number == PROCESS_NUMBER || number == first_number ||
         number == raw_call(SYS_getpid, 0, 0, 0, 0);
}

/* What the C library itself passes on is the system's number: of fibers, that of them all. */
struct thread *identity_thread(long number) {
  if (number != PROCESS_NUMBER && number == real_thread()) return thread_self();
  if (is_process(number)) return threads;
  struct thread *t = threads;
  while (t != NULL && t->number != number && (number == 0 || t->system_number != number))
    t = t->next;
  return t;
}

int identity_real(long number) {
  if (is_process(number)) return (int)raw_call(SYS_getpid, 0, 0, 0, 0);
  const struct thread *t = identity_thread(number);
  if (t == NULL) return 0;
  return t->system_number != 0 ? t->system_number : real_thread();
}

int identity_shown(int real) {
  const struct thread *t = identity_thread(real);
  if (is_process(real)) return PROCESS_NUMBER;
  return t == NULL ? real : t->number;
}

INTERPOSE pid_t getpid(void) {
  return running ? PROCESS_NUMBER : REAL(getpid)();
}

INTERPOSE pid_t getppid(void) {
  return running ? started_by : REAL(getppid)();
}

INTERPOSE pid_t gettid(void) {
  return running ? thread_self()->number : REAL(gettid)();
}

static int get_allowed(size_t size, cpu_set_t *set) {
  if (!allowed_known || size < sizeof(unsigned long)) return EINVAL;
  memset(set, 0, size);
  memcpy(set, &allowed, size < sizeof allowed ? size : sizeof allowed);
  return 0;
}

static bool mine(pid_t process) {
  return running && (process == 0 || identity_real(process) != 0);
}

INTERPOSE int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
  if (!mine(process)) return REAL(sched_getaffinity)(process, size, set);
  int error = get_allowed(size, set);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

INTERPOSE int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
  return running ? get_allowed(size, set) : REAL(pthread_getaffinity_np)(thread, size, set);
}

/* The executions stay where they are. */
INTERPOSE int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set) {
  accesses_by_call(set, size, false, CALLER);
  return mine(process) ? 0 : REAL(sched_setaffinity)(process, size, set);
}

INTERPOSE int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
  accesses_by_call(set, size, false, CALLER);
  return running ? 0 : REAL(pthread_setaffinity_np)(thread, size, set);
}

INTERPOSE int getcpu(unsigned *processor, unsigned *node) {
  if (!running) return REAL(getcpu)(processor, node);
  CALL_WRITES(processor), CALL_WRITES(node);
  if (processor != NULL) *processor = 0;
  if (node != NULL) *node = 0;
  return 0;
}

INTERPOSE int sched_getcpu(void) {
  return running ? 0 : REAL(sched_getcpu)();
}
