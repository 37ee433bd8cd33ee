/* The branch events of configurations. */
#ifndef CONFIGURATION_BRANCHES_H
#define CONFIGURATION_BRANCHES_H

#include "configuration/configuration.h"
#include "structure/consistency.h"

/* Appends the branch events of a cut that are not in `base`, ascending; returns false when
 * refused. */
bool unfi_branches(const unf_unfolding *u, struct cut cut, struct cut base, handle_vector *out);

/* Whether an event, if it is one of a branch, can be together with a cut that has its causes. */
unf_status unfi_consistent_with(unf_unfolding *u, struct cut cut, uint32_t event, unf_answer *out);
/* Whether the history of an event, itself included, is consistent, if it is one of a branch. */
unf_status unfi_exists(unf_unfolding *u, uint32_t event, unf_answer *out);

#endif
