/* The strategies by algorithm; their table is in strategies.h. */
#include "exploration/strategies/strategies.h"

#define STRATEGY_POINTER(algorithm, name) [algorithm] = &(name),

const struct strategy *const unfi_strategies[UNF_ALGORITHM_COUNT] = {STRATEGIES(STRATEGY_POINTER)};
