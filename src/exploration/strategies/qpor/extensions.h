/* Conflicting extensions of maximal runs. */
#ifndef EXPLORATION_STRATEGIES_QPOR_EXTENSIONS_H
#define EXPLORATION_STRATEGIES_QPOR_EXTENSIONS_H

#include "exploration/strategies/qpor/qpor.h"

/* Enters those of the run at hand into U. Its trace is always a new one. */
unf_status unfi_extend_all(unf_explorer *x, bool *fresh);

/* Enters those of an event that was taken back, and was the step of the path behind its end, if
 * that was left for now. It goes on where a call before this one was refused. */
unf_status unfi_extend_left(unf_explorer *x, uint32_t event);

/* Whether those of the event of such a step are left until it is taken back. */
static inline bool extended_later(const unf_explorer *x, uint32_t step) {
  return step >= qpor_of(x)->extended_at_once && x->cutoffs.table == NULL;
}

#endif
