/* The order of all events. */
#ifndef EXPLORATION_STRATEGIES_EAGER_RANK_H
#define EXPLORATION_STRATEGIES_EAGER_RANK_H

#include <unfold/explore.h>

/* Ranks all events interned so far. Returns false when refused. */
bool unfi_rank(unf_explorer *x);
/* The order of ranked events: below 0, 0, above 0. `user` is the explorer. */
int unfi_rank_compare(const void *user, uint32_t a, uint32_t b);
bool unfi_is_before(const unf_explorer *x, uint32_t a, uint32_t b);

#endif
