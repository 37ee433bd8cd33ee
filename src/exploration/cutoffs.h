/* Exploring with cutoffs. */
#ifndef EXPLORATION_CUTOFFS_H
#define EXPLORATION_CUTOFFS_H

#include <unfold/explore.h>

/* Whether an action after C is a cutoff or after one. */
unf_status unfi_action_cut_off(unf_explorer *x, const unf_action *action, bool *out);
/* When everything is explored: the next event whose successors are to come is made the branch. */
unf_status unfi_restore(unf_explorer *x);

#endif
