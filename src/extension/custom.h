/* Families of the front-end's own, as the validators ask them. */
#ifndef EXTENSION_CUSTOM_H
#define EXTENSION_CUSTOM_H

#include "structure/effect.h"

/* Outcomes of such an operation; backwards: commuting events of the history in the other order. */
unf_status unfi_custom_outcomes(unf_unfolding *u, struct cut cut, bool backwards, uint32_t thread,
                                const unf_operation *operation, outcome_visitor visit, void *user);

#endif
