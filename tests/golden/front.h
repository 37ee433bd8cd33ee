/* Explores a program that the interpreter of the oracle runs, from checkpoints. */
#ifndef GOLDEN_FRONT_H
#define GOLDEN_FRONT_H

#include "bridge.h"

/* As unf_explorer_new(). */
typedef unf_status (*explorer_maker)(unf_unfolding *unfolding, const unf_explorer_options *options,
                                     unf_explorer **out);

/* Counts with the i-th thread of the program as child order[i] of the bottom event; false with a
 * report if that is not possible. */
bool front_count(const program *p, const uint32_t *order, const unf_explorer_options *options,
                 unf_counts *counts, report *out);
/* As front_count(), with an explorer that is made in another way. Calls that are interrupted are
 * made again.
 */
bool front_count_with(explorer_maker make, const program *p, const uint32_t *order,
                      const unf_explorer_options *options, unf_counts *counts, report *out);

#endif
