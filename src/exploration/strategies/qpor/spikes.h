/* The spikes of a comb. */
#ifndef EXPLORATION_STRATEGIES_QPOR_SPIKES_H
#define EXPLORATION_STRATEGIES_QPOR_SPIKES_H

#include <unfold/explore.h>

/* Fills the next spike of the comb with what contradicts an event of D and avoids D and `also`. */
unf_status unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also);

#endif
