/* Sets of threads. */
#ifndef STRUCTURE_SETS_H
#define STRUCTURE_SETS_H

#include "structure/unfolding.h"

/* The members of a set of threads, ascending; NULL for the empty set, and for none. */
const uint32_t *unfi_set(const unf_unfolding *u, int64_t set, uint32_t *count);
/* Interns all sets in an unfolding that has none, under the same numbers. Returns false when
 * refused. */
bool unfi_sets_copy(const unf_unfolding *from, unf_unfolding *to);

#endif
