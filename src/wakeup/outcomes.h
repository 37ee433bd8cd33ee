/* The other outcomes of branches. */
#ifndef WAKEUP_OUTCOMES_H
#define WAKEUP_OUTCOMES_H

#include "extension/reversal.h"
#include "wakeup/rest.h"

/* Visits the other outcomes of the branches of an execution, each alone. Ends with
 * UNF_OK also when the visitor ends it. */
unf_status unfi_outcome_reversals(unf_unfolding *u, const struct maximal *M, rest_visitor visit,
                                  void *user);

#endif
