/* The run protocol, for the parts of the explorer. */
#ifndef EXPLORATION_PROTOCOL_H
#define EXPLORATION_PROTOCOL_H

#include <unfold/explore.h>

#include "base/context.h"

/* As unf_explorer_next(); `probes`: whether it may be a probe. */
unf_status unfi_next(unf_explorer *x, unf_run *run, bool probes);
/* Leaves the leaf: decides the branch of the next execution, if there is one. */
unf_status unfi_leave_leaf(unf_explorer *x);
bool unfi_same_action(const unf_action *a, const unf_action *b);
/* Performs one step with an event, which is the decided one, or enabled and not asleep. */
unf_status unfi_advance(unf_explorer *x, uint32_t event, uint64_t cookie);
/* Back to the beginning of the run, with nothing performed. */
void unfi_run_rewind(unf_explorer *x);
/* The decided event of the next step, or NONE. */
uint32_t unfi_decided(const unf_explorer *x);
RARE unf_status unfi_divergence(unf_explorer *x, const unf_action *expected,
                                const unf_action *seen);
RARE unf_status unfi_wrong_state(const unf_explorer *x, const char *call);
unf_status unfi_offer_at(unf_explorer *x, uint32_t thread, const unf_operation *operation);

#endif
