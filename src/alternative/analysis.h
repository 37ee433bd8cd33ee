/* What is learned from a failure. */
#ifndef ALTERNATIVE_ANALYSIS_H
#define ALTERNATIVE_ANALYSIS_H

#include "alternative/clauses.h"

/* Makes the clause that a failure above level 0 teaches, in `members`: of the level of the failure
 * it has one literal, the first, and the second is one of the level to go back to, *back. *spread:
 * of how many levels its literals are. */
void unfi_analyse(struct solver *s, struct failure failure, uint32_t *back, uint32_t *spread);

#endif
