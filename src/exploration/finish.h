/* The end of a run. */
#ifndef EXPLORATION_FINISH_H
#define EXPLORATION_FINISH_H

#include <unfold/explore.h>

#include "structure/cut.h"

void unfi_judge(unf_unfolding *u, struct cut C, unf_verdict *verdict);

/* The run counts from then on. If it is the last one that may begin and much can be learned from
 * it, it is `unlearned`: the rest is left for when the limit is raised. */
unf_status unfi_finish(unf_explorer *x, bool error, unf_verdict *verdict);

/* Learns that rest, before another run begins; refused as unfi_admit_run() where none may. */
unf_status unfi_learn_rest(unf_explorer *x);

/* What the run came to with which the path ends, by `run.step`; there is no predicate of
 * consistency. */
void unfi_judge_again(unf_explorer *x);

/* Begins what is done between two runs, see unfi_behind_run(). unfi_behind_run_end() ends it. */
void unfi_behind_run_begin(unf_explorer *x);

#endif
