/*
 * Combs. A comb has a spike for each event of D that must be contradicted, holding candidates in
 * the order in which to try them. It is filled spike by spike and solved: one candidate of each of
 * k spikes, no two in conflict, and all consistent together and with C, see admission.h. The memory
 * of a comb is reused by the next search.
 */
#ifndef ALTERNATIVE_COMB_H
#define ALTERNATIVE_COMB_H

#include <unfold/alternative.h>

#include "alternative/admission.h"
#include "alternative/classes.h"
#include "alternative/solver.h"

struct spike {
  uint32_t event;        /* the event of D */
  uint32_t first, count; /* its candidates, in `candidates` of the comb */
};

struct comb {
  VECTOR(struct spike) spikes; /* in the order of D */
  handle_vector candidates;
  handle_vector chosen; /* the answer */
  struct admission admission;
  /* of the matrix, see matrix.h */
  VECTOR(uint64_t) rows;
  VECTOR(uint8_t) made;
  /* of the search, see search.c */
  VECTOR(uint64_t) live;
  VECTOR(uint32_t) levels;
  struct classes classes;
  struct solver solver; /* of the search that learns, see learning.c */
};

void unfi_comb_clear(struct comb *comb);
void unfi_comb_free(unf_context *context, struct comb *comb);

/* Begins the spike of an event of D; returns false when refused. */
static inline bool unfi_comb_begin(unf_context *context, struct comb *comb, uint32_t event) {
  if (!vector_reserve(context, &comb->spikes, (uint64_t)comb->spikes.count + 1)) return false;
  struct spike spike = {event, comb->candidates.count, 0};
  vector_push(&comb->spikes, spike);
  return true;
}
/* Adds a candidate to the last spike; returns false when refused. */
bool unfi_comb_add(unf_context *context, struct comb *comb, uint32_t candidate);
/* Puts the candidates of the last spike into the given order. */
void unfi_comb_order(struct comb *comb, unf_candidate_order order);
static inline void unfi_comb_end(struct comb *comb, unf_candidate_order order) {
  if (comb->spikes.data[comb->spikes.count - 1].count > 1) unfi_comb_order(comb, order);
}

/* Solves the comb for the spikes that the options choose, at C; the answer is in `chosen`, where an
 * event can occur twice. */
unf_status unfi_comb_solve(unf_unfolding *u, struct comb *comb, struct cut C,
                           const unf_alternative_options *options,
                           unf_alternative_statistics *statistics, bool *found);

/* UNF_INVALID; the detail names the field and its value. */
unf_status unfi_alternative_options_check(unf_context *context,
                                          const unf_alternative_options *options);

#endif
