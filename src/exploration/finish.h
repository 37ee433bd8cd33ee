/* The end of a run. */
#ifndef EXPLORATION_FINISH_H
#define EXPLORATION_FINISH_H

#include <unfold/explore.h>

#include "structure/cut.h"

void unfi_judge(unf_unfolding *u, struct cut C, unf_verdict *verdict);
unf_status unfi_finish(unf_explorer *x, bool error, unf_verdict *verdict);

#endif
