/*
 * The comparisons of the library with the lattice of one program.
 */
#ifndef RANDOM_COMPARE_H
#define RANDOM_COMPARE_H

#include "bridge.h"
#include "sketch.h"

/* How to explore. */
typedef struct manner {
  const char *name;
  unf_algorithm algorithm;
  uint32_t k;
  bool push;   /* by whole traces */
  bool resume; /* from checkpoints where steps are shared; and drops runs now and then */
  unf_spike_choice spikes;
  unf_candidate_order candidates;
  uint64_t collect; /* as in unf_explorer_options; the number of events is then not compared */
  uint32_t later;   /* see inside_extend_later(); 0: as usual */
} manner;

/* Explores the program and compares: the set of maximal configurations, no duplicates, every
   verdict and count. Adds the executions made to *executions. */
bool explore_compare(bridge *b, const manner *m, random_source *random, uint64_t *executions,
                     report *r);

/* Compares events, relations, and of at most so many configurations extensions and alternatives.
   Needs a new bridge. */
bool relate_compare(bridge *b, const relations *relations, uint32_t configurations,
                    random_source *random, report *r);
/* The part about configurations, of relate_configuration.c. */
bool relate_configurations(bridge *b, const relations *relations, uint32_t most,
                           random_source *random, report *r);

/* relate_configuration.c: brings a library configuration to that of the lattice, in a random order,
 * with every operation offered. */
bool relate_build(bridge *b, unf_configuration *c, uint32_t configuration_number,
                  random_source *random, report *r);

/* relate.c: order of uint32_t, for qsort and bsearch. */
int relate_by_number(const void *a, const void *b);

#endif
