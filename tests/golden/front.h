/* Explores a program that the interpreter of the oracle runs, from checkpoints. */
#ifndef GOLDEN_FRONT_H
#define GOLDEN_FRONT_H

#include "bridge.h"

/* Counts with the i-th thread of the program as child order[i] of the bottom event; false with a
 * report if that is not possible. */
bool front_count(const program *p, const uint32_t *order, const unf_explorer_options *options,
                 unf_counts *counts, report *out);

#endif
