/* Orders of local configurations. */
#ifndef CUTOFF_ORDER_H
#define CUTOFF_ORDER_H

#include "cutoff/cutoff.h"

/* Makes room for comparing local configurations of at most so many events; returns
 * false when refused. */
bool unfi_compare_reserve(unf_cutoffs *c, uint32_t size);
/* Compares the local configurations of two records: negative if that of a is smaller. Room
 * was made before. */
int unfi_compare(unf_cutoffs *c, uint32_t a, uint32_t b);
void unfi_compare_free(unf_cutoffs *c);

#endif
