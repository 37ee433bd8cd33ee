/* The strategies that there are. */
#ifndef EXPLORATION_STRATEGIES_STRATEGIES_H
#define EXPLORATION_STRATEGIES_STRATEGIES_H

#include "exploration/strategies/strategy.h"

extern const struct strategy unfi_qpor, unfi_sdpor, unfi_dfs, unfi_odpor, unfi_eager;

/* By unf_algorithm. */
extern const struct strategy *const unfi_strategies[UNF_ALGORITHM_COUNT];

#endif
