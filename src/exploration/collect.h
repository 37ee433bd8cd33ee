/* Giving events back. */
#ifndef EXPLORATION_COLLECT_H
#define EXPLORATION_COLLECT_H

#include <unfold/explore.h>

/* Gives events back if it is time to; between runs, with the branch decided. */
unf_status unfi_collect(unf_explorer *x);

#endif
