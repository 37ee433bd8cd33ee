/*
 * One program through all comparisons, in every order of its threads; and the smallest program that
 * still fails.
 */
#ifndef RANDOM_PROGRAM_CHECK_H
#define RANDOM_PROGRAM_CHECK_H

#include "compare.h"

/* What may be looked at: larger programs are left out. */
typedef struct program_limits {
  uint32_t configurations;
  uint64_t work;  /* orders of the threads times maximal configurations */
  uint64_t paths; /* interleavings, for dfs */
} program_limits;

typedef enum program_fate {
  PROGRAM_GOOD,
  PROGRAM_FAILED,
  PROGRAM_UNREADABLE,
  PROGRAM_LARGE,
  PROGRAM_RACY,
  PROGRAM_RUNTIME
} program_fate;

/* What a program was, for the account of the run. */
typedef struct program_facts {
  uint32_t threads;
  lattice_counts counts;
  bool data_dependent; /* some thread goes on differently after the same number of its events */
  bool started_twice;  /* some thread is started from two places */
  bool undefined;      /* some thread halts at an unlock or spawn that can never be done */
  uint64_t executions, orders;
} program_facts;

/* order receives the order of the threads in which it failed; it has room for SKETCH_THREADS_MAX or
 * all threads of the text. */
program_fate program_check(const char *text, int bound, const program_limits *limits, uint64_t seed,
                           program_facts *facts, uint32_t *order, report *r);

/* Cuts a failing program down as long as it fails. The caller frees the result. */
sketch *program_shrink(const sketch *s, const program_limits *limits, uint64_t seed);

#endif
