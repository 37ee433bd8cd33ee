/* Steps where nothing is decided. */
#ifndef EXPLORATION_FREE_STEP_H
#define EXPLORATION_FREE_STEP_H

#include <unfold/explore.h>

/* Decides how the run goes on from the path's end: the first action that is enabled and not asleep.
 * Every started thread must have an operation. */
unf_status unfi_free_step(unf_explorer *x);
/* Whether there is such an action, which then becomes the clue. */
unf_status unfi_free_branch(unf_explorer *x, bool *found);

#endif
