/* Every interleaving. */
#ifndef EXPLORATION_STRATEGIES_DFS_H
#define EXPLORATION_STRATEGIES_DFS_H

#include <unfold/explore.h>

/* As unfi_another(). */
unf_status unfi_interleaving_another(unf_explorer *x, uint32_t event, bool *found);
/* Whether the maximal configuration at hand is new; it is then remembered. */
unf_status unfi_interleaving_new(unf_explorer *x, bool *fresh);

#endif
