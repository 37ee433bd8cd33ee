/* The strategies that there are. */
#ifndef EXPLORATION_STRATEGIES_STRATEGIES_H
#define EXPLORATION_STRATEGIES_STRATEGIES_H

#include "exploration/strategies/strategy.h"

/* The table: each algorithm and its strategy. */
#define STRATEGIES(ROW)                                                                            \
  ROW(UNF_QPOR, unfi_qpor)                                                                         \
  ROW(UNF_SDPOR, unfi_sdpor)                                                                       \
  ROW(UNF_DFS, unfi_dfs)                                                                           \
  ROW(UNF_ODPOR, unfi_odpor)                                                                       \
  ROW(UNF_EAGER, unfi_eager)                                                                       \
  ROW(UNF_RANDOM, unfi_random)                                                                     \
  ROW(UNF_PCT, unfi_pct)

#define STRATEGY_DECLARED(algorithm, name) extern const struct strategy name;
STRATEGIES(STRATEGY_DECLARED)
#undef STRATEGY_DECLARED

/* By unf_algorithm. */
extern const struct strategy *const unfi_strategies[UNF_ALGORITHM_COUNT];

#endif
