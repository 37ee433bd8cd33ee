/* Comb search that learns from its failures. */
#ifndef ALTERNATIVE_LEARNING_H
#define ALTERNATIVE_LEARNING_H

#include "alternative/matrix.h"

/* Chooses one candidate of each spike of the matrix, with nothing chosen so far; the answer is in
 * `chosen` of the comb. */
unf_status unfi_comb_learn(struct matrix *m, unf_alternative_statistics *statistics, bool *found);

#endif
