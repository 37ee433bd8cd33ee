/* Conflicting extensions of maximal runs. */
#ifndef EXPLORATION_STRATEGIES_QPOR_EXTENSIONS_H
#define EXPLORATION_STRATEGIES_QPOR_EXTENSIONS_H

#include <unfold/explore.h>

/* Enters those of the run at hand into U. Its trace is always a new one. */
unf_status unfi_extend_all(unf_explorer *x, bool *fresh);

#endif
