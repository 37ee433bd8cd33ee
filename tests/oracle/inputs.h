/*
 * The oracle for programs with inputs: every value of the inputs is tried, and the events and
 * configurations of all these programs are put together by their names. A configuration is
 * consistent if it is one of the program for some values; the executions of the program are the
 * configurations that are maximal for some values, and then for all for which they exist.
 *
 * What is a branch is written in the program: r = branch(e, n) is an event whose outcome is e if
 * that is one of 0 … n - 2, else n - 1. Nothing else that a thread does may depend on inputs, but
 * for the values in shared variables and in those atomics that no operation compares.
 */
#ifndef ORACLE_INPUTS_H
#define ORACLE_INPUTS_H

#include "lattice.h"

#define INPUTS_MAX     8u
#define VALUATIONS_MAX 64u

/* A branch after an event of its thread; what it tests follows from that. */
typedef struct branch_point {
  uint32_t thread, last; /* ORACLE_NONE: the beginning */
  uint32_t outcomes;
  uint64_t *values; /* by outcome: the values, a bit each, for which it exists */
} branch_point;

/* In `lattice` an operation BRANCH has the number of its point as low, and high outcomes; what
 * is written to atomics that hold inputs is 0. */
typedef struct symbolic {
  lattice *lattice;
  uint32_t valuations;
  uint64_t *of_event; /* the values for which an event exists, a bit each */
  uint64_t *of_configuration;
  branch_point *points;
  size_t point_count;
  /* For inputs.c. */
  size_t point_capacity, event_capacity, configuration_capacity, triple_count, triple_capacity;
  uint32_t *point_at; /* by event + 1 and thread: number of the point + 1 */
  size_t point_at_count;
  struct triple *triples;
} symbolic;

/* The values of the inputs are tried in turn in the program, which is then as it was before. The
 * status is that of the lattice; LATTICE_ERROR also when something else depends on inputs, or they
 * have too many values. Never NULL. */
symbolic *symbolic_walk(program *p, uint32_t limit);
void symbolic_free(symbolic *s);

#endif
