/* A virtual clock. What a thread reads from it is a function of its own past alone: each reading
 * takes a microsecond, each sleep its length, and joining a thread or taking a mutex moves a clock
 * forward to the other's. So a schedule always shows the same times, and nobody waits. A thread
 * that sleeps or yields again and again may wait for another one: --bound counts that, too. */
#include "accesses.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../control.h"
#include "bounds.h"
#include "entry.h"
#include "interpose.h"
#include "real.h"
#include "refuse.h"
#include "scheduler.h"
#include "turns.h"

static const uint64_t second = 1000000000, start = 1700000000;

static uint64_t read_clock(void) {
  struct thread *t = thread_self();
  t->clock += 1000;
  t->asked++;
  return start * second + t->clock;
}

/* All clocks show the same time. */
static void move_to(const struct timespec *until) {
  struct thread *t = thread_self();
  if (until->tv_sec < (time_t)start) return;
  uint64_t wanted = ((uint64_t)until->tv_sec - start) * second + (uint64_t)until->tv_nsec;
  if (wanted > t->clock) t->clock = wanted;
}

static int pass(const struct timespec *length) {
  if (!unfold_mapped(length, sizeof *length)) return EFAULT;
  if (length->tv_sec < 0 || length->tv_nsec < 0 || length->tv_nsec >= (long)second) return EINVAL;
  thread_self()->clock += (uint64_t)length->tv_sec * second + (uint64_t)length->tv_nsec;
  return 0;
}

bool clock_limits(void) {
  bool limits = thread_self()->timeouts < control->settings.max_timeouts;
  control->timeouts_bounded |= !limits;
  return limits;
}

int clock_timeout(const struct timespec *until) {
  if (until->tv_nsec < 0 || until->tv_nsec >= (long)second) return EINVAL;
  struct thread *t = thread_self();
  if (++t->timeouts > control->timeouts_most) control->timeouts_most = t->timeouts;
  move_to(until);
  return ETIMEDOUT;
}

INTERPOSE int clock_gettime(clockid_t clock, struct timespec *result) {
  if (!running) return REAL(clock_gettime)(clock, result);
  uint64_t now = read_clock();
  result->tv_sec = (time_t)(now / second);
  result->tv_nsec = (long)(now % second);
  return 0;
}

INTERPOSE int gettimeofday(struct timeval *restrict result, void *restrict zone) {
  if (!running) return REAL(gettimeofday)(result, zone);
  uint64_t now = read_clock();
  *result = (struct timeval){(time_t)(now / second), (suseconds_t)(now % second / 1000)};
  return 0;
}

INTERPOSE time_t time(time_t *result) {
  if (!running) return REAL(time)(result);
  time_t now = (time_t)(read_clock() / second);
  if (result != NULL) *result = now;
  return now;
}

INTERPOSE int timespec_get(struct timespec *result, int base) {
  if (!running || base != TIME_UTC) return REAL(timespec_get)(result, base);
  return clock_gettime(CLOCK_REALTIME, result) == 0 ? base : 0;
}

/* Processor time goes as the clock does. */
INTERPOSE clock_t clock(void) {
  return running ? (clock_t)((read_clock() - start * second) / 1000) : REAL(clock)();
}

/* Every order is explored anyway. */
static void slept(uint64_t place) {
  turns_slept();
  bound_operation(place);
}

INTERPOSE unsigned sleep(unsigned seconds) {
  if (!running) return REAL(sleep)(seconds);
  slept(CALLER);
  thread_self()->clock += seconds * second;
  return 0;
}

INTERPOSE int usleep(useconds_t length) {
  if (!running) return REAL(usleep)(length);
  slept(CALLER);
  thread_self()->clock += (uint64_t)length * 1000;
  return 0;
}

INTERPOSE int nanosleep(const struct timespec *length, struct timespec *rest) {
  if (!running) return REAL(nanosleep)(length, rest);
  CALL_READS(length);
  slept(CALLER);
  int error = pass(length);
  if (error != 0) errno = error;
  return error == 0 ? 0 : -1;
}

INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length,
                              struct timespec *rest) {
  if (!running) return REAL(clock_nanosleep)(clock, flags, length, rest);
  CALL_READS(length);
  slept(CALLER);
  if ((flags & TIMER_ABSTIME) == 0) return pass(length);
  if (!unfold_mapped(length, sizeof *length)) return EFAULT;
  move_to(length);
  return 0;
}

INTERPOSE int thrd_sleep(const struct timespec *length, struct timespec *rest) {
  if (!running) return REAL(thrd_sleep)(length, rest);
  CALL_READS(length);
  slept(CALLER);
  return pass(length) == 0 ? 0 : -2;
}

/* What is asked about descriptors, and the answer. */
static void touch_polled(struct pollfd *polled, nfds_t count, uint64_t place) {
  for (nfds_t i = 0; i < count; i++) {
    accesses_by_call(&polled[i], offsetof(struct pollfd, revents), false, place);
    accesses_by_call(&polled[i].revents, sizeof polled[i].revents, true, place);
  }
}

/* The system reads and writes whole words of a set. */
static void touch_sets(int count, fd_set *const sets[3], uint64_t place) {
  const size_t size = ((size_t)(count > 0 ? count : 0) + NFDBITS - 1) / NFDBITS * sizeof(fd_mask);
  for (int i = 0; i < 3 && size > 0; i++) {
    accesses_by_call(sets[i], size, false, place);
    accesses_by_call(sets[i], size, true, place);
  }
}

/* Waiting for no descriptor at all is a sleep. */
INTERPOSE int poll(struct pollfd *polled, nfds_t count, int milliseconds) {
  if (running) touch_polled(polled, count, CALLER);
  if (!running || count > 0) return REAL(poll)(polled, count, milliseconds);
  if (milliseconds < 0) refuse("poll", CALLER);
  slept(CALLER);
  thread_self()->clock += (uint64_t)milliseconds * 1000000;
  return 0;
}

/* Linux writes down how much of the limit is left. */
INTERPOSE int select(int count, fd_set *restrict to_read, fd_set *restrict to_write,
                     fd_set *restrict to_except, struct timeval *restrict limit) {
  if (running) {
    touch_sets(count, (fd_set *const[]){to_read, to_write, to_except}, CALLER);
    CALL_READS(limit), CALL_WRITES(limit);
  }
  if (!running || to_read != NULL || to_write != NULL || to_except != NULL)
    return REAL(select)(count, to_read, to_write, to_except, limit);
  if (limit == NULL) refuse("select", CALLER);
  slept(CALLER);
  thread_self()->clock += (uint64_t)limit->tv_sec * second + (uint64_t)limit->tv_usec * 1000;
  *limit = (struct timeval){0, 0};
  return 0;
}

INTERPOSE int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit,
                    const sigset_t *mask) {
  if (running) touch_polled(polled, count, CALLER);
  CALL_READS(limit), CALL_READS(mask);
  if (!running || count > 0) return REAL(ppoll)(polled, count, limit, mask);
  if (limit == NULL) refuse("ppoll", CALLER);
  slept(CALLER);
  return pass(limit) == 0 ? 0 : -1;
}

INTERPOSE int pselect(int count, fd_set *restrict to_read, fd_set *restrict to_write,
                      fd_set *restrict to_except, const struct timespec *restrict limit,
                      const sigset_t *restrict mask) {
  if (running) touch_sets(count, (fd_set *const[]){to_read, to_write, to_except}, CALLER);
  CALL_READS(limit), CALL_READS(mask);
  if (!running || to_read != NULL || to_write != NULL || to_except != NULL)
    return REAL(pselect)(count, to_read, to_write, to_except, limit, mask);
  if (limit == NULL) refuse("pselect", CALLER);
  slept(CALLER);
  return pass(limit) == 0 ? 0 : -1;
}

/* All the time that has passed was used by the program, and nothing else was. */
INTERPOSE int getrusage(__rusage_who_t who, struct rusage *usage) {
  if (!running) return REAL(getrusage)(who, usage);
  uint64_t now = read_clock() - start * second;
  memset(usage, 0, sizeof *usage);
  usage->ru_utime = (struct timeval){(time_t)(now / second), (suseconds_t)(now % second / 1000)};
  return 0;
}

INTERPOSE clock_t times(struct tms *usage) {
  if (!running) return REAL(times)(usage);
  clock_t now = (clock_t)((read_clock() - start * second) / (second / 100));
  if (usage != NULL) *usage = (struct tms){.tms_utime = now};
  return now;
}

static void yield(uint64_t place) {
  turns_yielded();
  bound_operation(place);
}

INTERPOSE int sched_yield(void) {
  if (!running) return REAL(sched_yield)();
  yield(CALLER);
  return 0;
}

OLDER_NAME(pthread_yield, sched_yield);

INTERPOSE void thrd_yield(void) {
  if (!running)
    REAL(thrd_yield)();
  else
    yield(CALLER);
}
