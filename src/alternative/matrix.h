/* The candidates of the spikes to solve, spike by spike, and which of them go together: a row of
 * bits for each, made when it is first asked for. All memory is the comb's. */
#ifndef ALTERNATIVE_MATRIX_H
#define ALTERNATIVE_MATRIX_H

#include "alternative/comb.h"

struct matrix {
  unf_unfolding *u;
  struct comb *comb;
  uint32_t spikes, candidates;
  uint32_t words;  /* of a row */
  uint32_t *event; /* by candidate */
  uint64_t *rows;
  uint8_t *made;           /* by candidate: its row was made */
  struct classes *classes; /* NULL: nobody asked for them */
};

/* Lays out the candidates of the first `spikes` spikes, whose positions then are numbers of
 * candidates. Returns false when refused. */
bool unfi_matrix_make(struct matrix *m, unf_unfolding *u, struct comb *comb, uint32_t spikes);
/* Finds the classes of the candidates, if that was not done. Rows are then made of theirs. */
unf_status unfi_matrix_classify(struct matrix *m);
/* The candidates of other spikes that are not in conflict with one. */
const uint64_t *unfi_matrix_row(struct matrix *m, uint32_t candidate);

static inline bool bit(const uint64_t *set, uint32_t i) {
  return set[i / 64] >> (i % 64) & 1;
}

#endif
