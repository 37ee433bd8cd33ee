/* Which variable is decided next: the heaviest (Eén, Sörensson: MiniSat, 2003). A variable has more
 * weight the more often, and the more lately, it was part of a failure. */
#ifndef ALTERNATIVE_WEIGHTS_H
#define ALTERNATIVE_WEIGHTS_H

#include "alternative/solver.h"

/* Begins with the variables in a heap, by the weights that they have. */
void unfi_weights_begin(struct solver *s);
/* A variable was part of the failure now. */
void unfi_weight_add(struct solver *s, uint32_t variable);
/* The next failure counts more. */
void unfi_weights_age(struct solver *s);
/* Puts a variable back, if it is not there. */
void unfi_weight_return(struct solver *s, uint32_t variable);
/* Takes the heaviest variable; NONE if there is none. */
uint32_t unfi_weight_take(struct solver *s);

#endif
