/* The table of strategies. */
#include "exploration/strategies/strategies.h"

const struct strategy *const unfi_strategies[UNF_ALGORITHM_COUNT] = {
    [UNF_QPOR] = &unfi_qpor,   [UNF_SDPOR] = &unfi_sdpor, [UNF_DFS] = &unfi_dfs,
    [UNF_ODPOR] = &unfi_odpor, [UNF_EAGER] = &unfi_eager,
};
