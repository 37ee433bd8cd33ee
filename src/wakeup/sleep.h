/* Weak initials. */
#ifndef WAKEUP_SLEEP_H
#define WAKEUP_SLEEP_H

#include <unfold/wakeup.h>

#include "configuration/configuration.h"

/* Whether an event is a weak initial of a sequence. *position is its index there, or NONE
 * if it is not in the sequence. */
bool unfi_weak_initial(const unf_unfolding *u, uint32_t event, const uint32_t *sequence,
                       uint32_t count, uint32_t *position);

/* UNF_UNKNOWN or UNF_INVALID for an event that cannot be a step: not interned, or ⊥. */
unf_status unfi_check_step(const unf_unfolding *u, uint32_t event);

#endif
