/* The end of a run: what was learned from it, and the verdict. */
#include "exploration/finish.h"

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/cut.h"

void unfi_judge(unf_unfolding *u, struct cut C, unf_verdict *verdict) {
  bool excused = false;
  verdict->complete = true;
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    const unf_operation *next = &u->operations.data[next_after(u, t, last)];
    if (next->kind == UNF_EXIT) continue;
    verdict->complete = false;
    if (next->kind != UNF_HALT)
      verdict->blocked++;
    else if (next->target != UNF_HALT_UNDEFINED)
      excused = true;
    if (next->kind == UNF_HALT && next->target == UNF_HALT_ASSERT) verdict->error = true;
  }
  verdict->deadlock = !verdict->complete && !excused;
}

unf_status unfi_finish(unf_explorer *x, bool error, unf_verdict *verdict) {
  unf_verdict v = {0};
  unf_counts *counts = &x->counts;
  bool fresh = true;
  v.redundant = x->run.step.kind == UNF_STEP_REDUNDANT;
  bool over = x->run.step.kind == UNF_STEP_TRUNCATED;
  v.truncated = over || x->run.step.kind == UNF_STEP_CUTOFF;
  if (!v.redundant && x->strategy->learn != NULL) {
    /* Over a bound too: the events are those of executions that may be within the bounds. */
    unf_status status = x->strategy->learn(x, &fresh);
    if (status != UNF_OK) return status;
    v.redundant = !fresh;
    v.truncated = v.truncated && fresh;
  }
  counts->executions++;
  counts->steps += x->path.steps.count;
  counts->resumed += x->run.resumed;
  if (v.redundant) {
    counts->redundant++;
  } else if (v.truncated) {
    v.error = error;
    unfi_judge(x->u, configuration_cut(&x->path.C), &v);
    v.complete = v.deadlock = false;
    counts->truncated++;
    counts->errors += v.error;
    counts->bounds |= over ? unfi_bounds_exceeded(x) : UNF_BOUND_NONE;
  } else {
    v.error = error;
    unfi_judge(x->u, configuration_cut(&x->path.C), &v);
    counts->traces++;
    counts->complete += v.complete;
    counts->blocked += !v.complete;
    counts->deadlocks += v.deadlock;
    counts->errors += v.error;
  }
  x->state = IDLE;
  x->branch = BRANCH_LEAF;
  if (verdict != NULL) *verdict = v;
  return UNF_OK;
}
