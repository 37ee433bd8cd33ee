/* The order of all events, and the turns of a run. */
#ifndef EXPLORATION_STRATEGIES_EAGER_RIVALS_H
#define EXPLORATION_STRATEGIES_EAGER_RIVALS_H

#include <unfold/explore.h>

#include "configuration/configuration.h"

/* Ranks all events interned so far; false: refused. */
bool unfi_rank(unf_explorer *x);
/* The order of ranked events. */
bool unfi_is_before(const unf_explorer *x, uint32_t a, uint32_t b);
/* Finds the next turns of the run at hand, which stands at its end. */
unf_status unfi_find_turns(unf_explorer *x);
/* The depth from which a turn has other steps, and those that it keeps from there on; there is room
 * for as many as the path has. */
uint32_t unfi_turn_steps(const unf_explorer *x, uint32_t event, handle_vector *kept);

#endif
