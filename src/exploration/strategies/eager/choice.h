/* UNF_EAGER: how a run goes on. */
#ifndef EXPLORATION_STRATEGIES_EAGER_CHOICE_H
#define EXPLORATION_STRATEGIES_EAGER_CHOICE_H

#include "exploration/strategies/eager/eager.h"

/* Chooses the least event that is enabled. */
unf_status unfi_choose_least(unf_explorer *x);
void unfi_enabled_free(unf_context *context, struct enabled *enabled);

#endif
