/* The time that this thread has had a processor. What other programs do on the machine at the same
 * time changes it little, unlike the time on the wall, and the benchmarks have one thread and wait
 * for nothing. The clock of the process would count in ticks where its time is limited. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

/* In seconds. */
static inline double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
