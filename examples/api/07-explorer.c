/*
 * 7. The explorer, step by step.
 *
 * A front-end that can run its program one operation at a time asks the explorer what to do:
 *
 *   - for each run: unf_explorer_next, restart the program, offer what each thread is about to do;
 *   - for each step: unf_explorer_step, perform the action, unf_explorer_commit, offer again;
 *   - at the end of a run: unf_explorer_finish.
 *
 * unf_explore() makes these calls for an engine of three functions, as the programs from 09 on do;
 * here they are by themselves.
 *
 * Every maximal execution is run exactly once, up to the order of independent steps. The program
 * here has two threads that take two mutexes in opposite order; its interpreter is a program
 * counter for each thread.
 */
#include "api.h"

#include <inttypes.h>

typedef struct instruction {
  unf_operation_kind kind;
  int mutex;
} instruction;

static const instruction program[2][5] = {
    {{UNF_LOCK, 0}, {UNF_LOCK, 1}, {UNF_UNLOCK, 1}, {UNF_UNLOCK, 0}, {UNF_EXIT, 0}},
    {{UNF_LOCK, 1}, {UNF_LOCK, 0}, {UNF_UNLOCK, 0}, {UNF_UNLOCK, 1}, {UNF_EXIT, 0}},
};

static unf_unfolding *unfolding;
static unf_thread thread[2];
static unf_object mutex[2];
static int pc[2];

static void offer(unf_explorer *explorer, int who) {
  const instruction *at = &program[who][pc[who]];
  unf_operation operation = unf_operation_make(at->kind, 0, 0, 0);
  if (at->kind != UNF_EXIT) operation.target = mutex[at->mutex];
  MUST(unf_explorer_offer(explorer, thread[who], &operation));
}

static void run(unf_explorer *explorer) {
  unf_step step;
  for (int who = 0; who < 2; who++) {
    pc[who] = 0;
    offer(explorer, who);
  }
  for (;;) {
    MUST(unf_explorer_step(explorer, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    /* The interpreter has no state but its counters; the mutexes are the explorer's business. */
    int who = step.action.thread == thread[0] ? 0 : 1;
    pc[who]++;
    MUST(unf_explorer_commit(explorer, NULL, 0));
    offer(explorer, who);
  }
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
    MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, i, &mutex[i]));
  }

  unf_explorer *explorer;
  MUST(unf_explorer_new(unfolding, NULL, &explorer));
  for (;;) {
    unf_run next;
    unf_verdict verdict;
    MUST(unf_explorer_next(explorer, &next));
    if (next.finished) break;
    run(explorer);
    MUST(unf_explorer_finish(explorer, false, &verdict));
    printf("run %" PRIu64 ": %s\n", next.number,
           verdict.redundant  ? "redundant"
           : verdict.complete ? "complete"
           : verdict.deadlock ? "deadlock"
                              : "blocked");
    /* The events of the run, in the order in which they were performed. */
    if (verdict.deadlock) unf_explorer_path(explorer, print_event, unfolding);
  }

  unf_counts counts;
  unf_explorer_counts(explorer, &counts);
  printf("%" PRIu64 " traces, %" PRIu64 " deadlocks, %" PRIu64 " redundant runs, %" PRIu64
         " events\n",
         counts.traces, counts.deadlocks, counts.redundant, counts.events);

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
