/* Optimal DPOR with wakeup trees. */
#ifndef EXPLORATION_STRATEGIES_ODPOR_H
#define EXPLORATION_STRATEGIES_ODPOR_H

#include <unfold/explore.h>

#include "wakeup/wakeup.h"

void unfi_wakeup_end(unf_explorer *x);
/* Whether all that begins with a reversal of the path was explored at its node. */
bool unfi_wakeup_explored(const unf_explorer *x, const struct reversed *reversed);
/* Enters the reversals of the maximal run at hand into the wakeup trees. */
unf_status unfi_wakeup_races(unf_explorer *x);
unf_status unfi_wakeup_another(unf_explorer *x, bool *found);

#endif
