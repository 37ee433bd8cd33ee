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

/* The verdict of the run at hand; where no thread has halted, by those that did not come to their
 * end.
 */
static void judge_live(const unf_explorer *x, unf_verdict *verdict) {
  const struct ready *ready = &x->run.ready;
  if (!ready->made || ready->halted) {
    unfi_judge(x->u, configuration_cut(&x->path.C), verdict);
    return;
  }
  for (uint32_t t = unfi_ready_live(ready, 0); t != NONE; t = unfi_ready_live(ready, t + 1))
    verdict->blocked++;
  verdict->complete = verdict->blocked == 0;
  verdict->deadlock = !verdict->complete;
}

/* Whether the run at hand is an execution, or the beginning of one where cutoffs ended it, which is
 * not asked about one that was cut short. */
static unf_status ask(unf_explorer *x, unf_answer *out) {
  unf_step_kind kind = x->run.step.kind;
  *out = kind == UNF_STEP_INFEASIBLE ? UNF_ANSWER_NO : UNF_ANSWER_YES;
  if ((kind != UNF_STEP_MAXIMAL && kind != UNF_STEP_CUTOFF) || !unfi_is_symbolic(x)) return UNF_OK;
  return unfi_consistent_end(x, out);
}

/* What the run at hand came to. Of one that is redundant or inconsistent nothing is said. */
static unf_verdict judge(const unf_explorer *x, unf_answer answer) {
  unf_verdict v = {.redundant = x->run.step.kind == UNF_STEP_REDUNDANT,
                   .infeasible = answer == UNF_ANSWER_NO,
                   .undecided = answer == UNF_ANSWER_UNKNOWN};
  if (v.redundant || v.infeasible) return v;
  bool ended = x->run.step.kind == UNF_STEP_TRUNCATED || x->run.step.kind == UNF_STEP_CUTOFF;
  v.truncated = ended && !v.undecided;
  judge_live(x, &v);
  if (ended) v.complete = v.deadlock = false;
  return v;
}

void unfi_judge_again(unf_explorer *x) {
  x->run.verdict = judge(x, UNF_ANSWER_YES);
  x->run.judged = true;
}

/* Decides on the verdict, once, before anything is learned. When that is refused the verdict is of
 * an execution that is not decided. */
static unf_status decide(unf_explorer *x, bool error, unf_verdict *out) {
  struct run *run = &x->run;
  unf_answer answer;
  unf_status status = UNF_OK;
  if (!run->judged) {
    status = ask(x, &answer);
    run->verdict = judge(x, status == UNF_OK ? answer : UNF_ANSWER_UNKNOWN);
    run->judged = status == UNF_OK;
  }
  *out = run->verdict;
  if (error && !out->redundant && !out->infeasible) out->error = true;
  return status;
}

/* `fresh`: its trace was not met before. Of executions that are drawn all count for what they came
 * to, of others only those. */
static void count_run(unf_explorer *x, const unf_verdict *v, bool fresh) {
  unf_counts *counts = &x->counts;
  bool whole = !v->redundant && !v->truncated && !v->infeasible && !v->undecided;
  counts->executions++;
  counts->steps += x->path.steps.count;
  counts->resumed += x->run.resumed;
  counts->redundant += v->redundant || (whole && !fresh);
  counts->truncated += v->truncated;
  counts->infeasible += v->infeasible;
  counts->undecided += v->undecided;
  counts->traces += whole && fresh;
  counts->complete += v->complete && !v->undecided;
  counts->blocked += whole && !v->complete;
  counts->deadlocks += v->deadlock && !v->undecided;
  counts->errors += v->error && !v->undecided;
  if (x->run.step.kind == UNF_STEP_TRUNCATED && v->truncated)
    counts->bounds |= unfi_bounds_exceeded(x);
}

/* Lets the strategy learn from the run at hand, which is not redundant. Over a bound too: the
 * events are those of executions that may be within the bounds. *later: there is more, which need
 * not be known as long as no other execution may begin. */
static unf_status learn(unf_explorer *x, bool *fresh, bool *later) {
  if (x->strategy->learn == NULL) return UNF_OK;
  if (!x->strategy->names_traces) unfi_behind_run_begin(x);
  unf_status status = x->strategy->learn(x, fresh);
  *later = unfi_behind_run_end(x->u->context);
  return *later ? UNF_OK : status;
}

void unfi_behind_run_begin(unf_explorer *x) {
  /* A report of an item has all that was learned. */
  if (!x->item.begun) unfi_behind_run(x->u->context, x->path.steps.count + x->u->threads.count);
}

unf_status unfi_learn_rest(unf_explorer *x) {
  bool fresh = true;
  if (!x->run.unlearned) return UNF_OK;
  unf_status status = unfi_admit_run(x->u->context);
  if (status == UNF_OK) status = x->strategy->learn(x, &fresh);
  x->run.unlearned = status != UNF_OK;
  return status;
}

unf_status unfi_finish(unf_explorer *x, bool error, unf_verdict *verdict) {
  unf_verdict v;
  bool fresh = true, later = false;
  unf_status decided = decide(x, error, &v);
  if (verdict != NULL) *verdict = v;
  if (decided != UNF_OK) return decided;
  unf_status status = v.redundant ? UNF_OK : learn(x, &fresh, &later);
  if (status != UNF_OK) return status;
  if (!fresh && !x->strategy->samples) v = (unf_verdict){.redundant = true};
  count_run(x, &v, fresh);
  x->state = IDLE;
  x->branch = BRANCH_LEAF;
  x->run.unlearned = later;
  if (verdict != NULL) *verdict = v;
  return UNF_OK;
}
