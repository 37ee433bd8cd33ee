/*
 * 11. Data races.
 *
 * Plain accesses are no events: an engine reports them beside its steps, each by the thread that
 * made it, and the library finds those that nothing orders. Here two threads add to a counter under
 * a mutex, and look at it before and after without one. The detector goes along with an explorer,
 * so every execution is looked at; what executions share is looked at once.
 */
#include "api.h"

#include <inttypes.h>

enum { LOOK_FIRST = 10, ADD = 12, LOOK_AFTER = 14 }; /* lines of the program */

typedef struct engine {
  unf_thread thread[2];
  unf_object mutex;
  unf_explorer *explorer;
  unf_races *races;
  int at[2]; /* operations done by each thread */
} engine;

static void touch(engine *e, int thread, bool write, uint64_t line) {
  unf_access access = {e->thread[thread], write, 0x1000, sizeof(int), line};
  MUST(unf_races_access(e->races, &access));
}

/* Runs a thread silently up to its next operation, which is offered. */
static void run_silently(engine *e, int thread) {
  if (e->at[thread] == 0) touch(e, thread, false, LOOK_FIRST);
  if (e->at[thread] == 1) touch(e, thread, true, ADD);
  if (e->at[thread] == 2) touch(e, thread, false, LOOK_AFTER);
  unf_operation next = e->at[thread] == 0   ? UNF_OP_LOCK(e->mutex)
                       : e->at[thread] == 1 ? UNF_OP_UNLOCK(e->mutex)
                                            : UNF_OP_EXIT();
  MUST(unf_explorer_offer(e->explorer, e->thread[thread], &next));
}

/* One execution, from the start; false when there is none left. */
static bool execute(engine *e) {
  unf_run run;
  unf_step step;
  MUST(unf_explorer_next(e->explorer, &run));
  if (run.finished) return false;
  /* This engine starts over each time, so it resumes at step 0. */
  uint64_t resumed = 0;
  bool watched;
  MUST(unf_races_begin(e->races, run.shared, &resumed, &watched));
  for (int t = 0; t < 2; t++) {
    e->at[t] = 0;
    run_silently(e, t);
  }
  for (;;) {
    MUST(unf_explorer_step(e->explorer, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    MUST(unf_explorer_commit(e->explorer, NULL, 0));
    /* First the event, then the accesses that follow it. */
    MUST(unf_races_step(e->races, unf_explorer_last(e->explorer)));
    int thread = step.action.thread == e->thread[1];
    e->at[thread]++;
    run_silently(e, thread);
  }
  MUST(unf_explorer_finish(e->explorer, false, NULL));
  return true;
}

static void print_access(const unf_access *access) {
  printf("%s at line %" PRIu64, access->write ? "write" : "read", access->place);
}

int main(void) {
  unf_context *context;
  unf_unfolding *unfolding;
  engine e;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &e.thread[i]));
    MUST(unf_thread_start(unfolding, e.thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &e.mutex));
  MUST(unf_explorer_new(unfolding, NULL, &e.explorer));
  MUST(unf_races_new(unfolding, NULL, &e.races));
  while (execute(&e))
    continue;

  unf_races_counts counts;
  unf_race race;
  unf_races_counts_get(e.races, &counts);
  printf("%" PRIu64 " executions, %" PRIu64 " races\n", counts.executions, counts.races);
  for (uint64_t i = 0; i < counts.races; i++) {
    MUST(unf_races_get(e.races, i, &race));
    print_access(&race.first);
    printf(", ");
    print_access(&race.second);
    printf(": in %" PRIu64 " executions, first in number %" PRIu64 " after %" PRIu64 " steps\n",
           race.count, race.execution, race.steps);
  }

  unf_races_free(e.races);
  unf_explorer_free(e.explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
