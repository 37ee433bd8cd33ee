/* Another branch at a node: an alternative. */
#ifndef EXPLORATION_STRATEGIES_QPOR_ALTERNATIVE_H
#define EXPLORATION_STRATEGIES_QPOR_ALTERNATIVE_H

#include <unfold/explore.h>

/* Whether the node of the path's end, which `event` was the last one to leave, has another branch;
 * the clue then leads along it. */
unf_status unfi_another(unf_explorer *x, uint32_t event, bool *found);

#endif
