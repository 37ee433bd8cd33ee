/* Actions and their objects, from their meaning alone. */
#ifndef CHECK_POSSIBLE_H
#define CHECK_POSSIBLE_H

#include "check/check.h"

/* Checks that the action of an event can happen after exactly the events of an ascending list, by
 * the meaning of the actions. */
unf_status unfi_check_possible(unf_unfolding *u, const uint32_t *events, uint32_t count,
                               uint32_t event);

#endif
