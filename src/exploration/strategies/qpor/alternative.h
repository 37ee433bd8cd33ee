/* Another branch at a node: an alternative. */
#ifndef EXPLORATION_STRATEGIES_QPOR_ALTERNATIVE_H
#define EXPLORATION_STRATEGIES_QPOR_ALTERNATIVE_H

#include <unfold/explore.h>

/* At the node of the path's end, which `event` just left; the clue then leads along it. */
unf_status unfi_alternative(unf_explorer *x, uint32_t event, bool *found);

#endif
