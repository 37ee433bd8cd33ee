/* What is seen of an execution that does not end. */
#ifndef NATIVE_CONTROL_STUCK_H
#define NATIVE_CONTROL_STUCK_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/explore.h>

#include "texts.h"

enum { REPEATED_MAX = 32 };
/* Operations after which those of an execution are counted by their places. */
enum { LONG_EXECUTION = 1000 };

/* How often a thread came to an operation at a place since the execution was long: at least `count`
 * less `excess`. */
struct repeated {
  char thread[NAME_SIZE], operation[NAME_SIZE];
  unf_thread name;
  uint64_t place, count, excess;
};

/* The launcher sends it to a thread that does not go on; the last one, which hardly a program
 * uses. */
enum { STUCK_SIGNAL = 64 };

/* Where a thread was that got STUCK_SIGNAL, by its answer. */
struct stuck {
  volatile bool answered;
  char thread[NAME_SIZE]; /* or "" */
  uint64_t place;         /* or 0 */
  char call[NAME_SIZE];   /* the system call that it was in, or ""; by the launcher */
  double seconds;         /* since its last operation; by the launcher */
};

#endif
