/* The search for a peak of a comb. */
#ifndef ALTERNATIVE_SEARCH_H
#define ALTERNATIVE_SEARCH_H

#include "alternative/comb.h"

/* Chooses one candidate of each of the first `count` spikes, at least two. */
unf_status unfi_comb_search(unf_unfolding *u, struct comb *comb, uint32_t count,
                            unf_alternative_statistics *statistics, bool *found);

#endif
