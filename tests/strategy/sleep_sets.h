/* Sleep sets alone, as a strategy. */
#ifndef STRATEGY_SLEEP_SETS_H
#define STRATEGY_SLEEP_SETS_H

#include <unfold/explore.h>

/* As unf_explorer_new(); the algorithm of the options is not looked at. */
unf_status sleep_sets_explorer(unf_unfolding *unfolding, const unf_explorer_options *options,
                               unf_explorer **out);

#endif
