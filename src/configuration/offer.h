/* Operations that threads offer. */
#ifndef CONFIGURATION_OFFER_H
#define CONFIGURATION_OFFER_H

#include "configuration/configuration.h"

/* Records the operation of a thread after its last event. `step` of an execution is for the
 * detail; 0: none. */
unf_status unfi_offer(unf_unfolding *u, uint32_t thread, uint32_t last,
                      const unf_operation *operation, uint64_t step);

/* Errors that name a thread or an event. */
RARE unf_status unfi_missing(unf_unfolding *u, uint32_t thread);
void unfi_detail_actions(unf_unfolding *u, const unf_action *expected, const unf_action *seen);

#endif
