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
  uint32_t related; /* configurations whose extensions are compared; drawn if there are more */
  uint64_t work;    /* orders of the threads times maximal configurations */
  uint64_t paths;   /* interleavings, for dfs */
  bool collect;     /* events are freed before every run */
} program_limits;

typedef enum program_fate {
  PROGRAM_GOOD,
  PROGRAM_FAILED,
  PROGRAM_UNREADABLE,
  PROGRAM_LARGE,
  PROGRAM_RACY,
  PROGRAM_RUNTIME,
  PROGRAM_CONTENDED, /* a barrier with more threads than it lets pass */
  PROGRAM_FATES
} program_fate;

/* What a program was, for the account of the run. */
typedef struct program_facts {
  uint32_t threads;
  lattice_counts counts;
  bool data_dependent;   /* some thread goes on differently after the same number of its events */
  bool started_twice;    /* some thread is started from two places */
  bool undefined;        /* some thread halts at an operation that can never be done */
  bool lost;             /* a notification of nobody */
  bool many_notified;    /* a broadcast to at least two */
  bool many_waiting;     /* a signal with at least two to choose from */
  bool many_woken;       /* a futex_wake of at least two */
  bool many_queued;      /* a futex_wake with several ways to choose */
  bool different;        /* two wait on one condition with different mutexes */
  bool readers_together; /* two threads can take a lock for reading at once */
  bool many_rounds;      /* a thread passes a second round of a barrier */
  bool at_maximum;       /* a post at the maximum of a semaphore */
  bool adds_together;    /* two additions that commute can be performed at once */
  bool awaits_for_ever;  /* an await is blocked at the end */
  bool bits;             /* an operation on the bits of an atomic is performed */
  bool overlaps;         /* two accesses that overlap, and not in all bytes, can come at once */
  bool divided_awaits;   /* an await blocked at the end looks at bytes that others have a part of */
  uint64_t executions, orders;
} program_facts;

/* program_facts.c: all but executions and orders. */
void program_find_facts(const lattice *l, program_facts *f);

/* order receives the order of the threads in which it failed; it has room for SKETCH_THREADS_MAX or
 * all threads of the text. */
program_fate program_check(const char *text, const program_options *options,
                           const program_limits *limits, uint64_t seed, program_facts *facts,
                           uint32_t *order, report *r);

/* Cuts a failing program down as long as it fails. The caller frees the result. */
sketch *program_shrink(const sketch *s, const program_limits *limits, uint64_t seed);

#endif
