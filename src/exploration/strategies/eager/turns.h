/* The turns of a run. */
#ifndef EXPLORATION_STRATEGIES_EAGER_TURNS_H
#define EXPLORATION_STRATEGIES_EAGER_TURNS_H

#include <unfold/explore.h>

#include "configuration/configuration.h"

/* Finds the next turns of the run at hand, which stands at its end. */
unf_status unfi_find_turns(unf_explorer *x);
/* UNF_INVALID if an event, of which nothing is known, cannot be one of its turns. */
unf_status unfi_turn_check(unf_explorer *x, uint32_t event);
/* *fork: the depth from which a turn has other steps; and those that it keeps from there on, for
 * which there is room for as many as the path has. */
unf_status unfi_turn_steps(const unf_explorer *x, uint32_t event, uint32_t *fork,
                           handle_vector *kept);

#endif
