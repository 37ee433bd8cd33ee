/*
 * 11. Data races.
 *
 * Plain accesses are no events: an engine reports them beside its steps, each by the thread that
 * made it, and the library finds those that nothing orders. Here two threads add to a counter under
 * a mutex, and look at it before and after without one. The detector goes along with an explorer,
 * so every execution is looked at; what executions share is looked at once. What a thread does
 * silently behind a step is done when it is asked for its next operation: by then the step is an
 * event, which the detector must know first.
 */
#include "api.h"

#include <inttypes.h>

enum { LOOK_FIRST = 10, ADD = 12, LOOK_AFTER = 14 }; /* lines of the program */

struct program {
  unf_thread thread[2];
  unf_object mutex;
  unf_explorer *explorer;
  unf_races *races;
  int at[2];    /* operations done by each thread */
  bool stepped; /* there was a step that the detector does not know */
};

static void touch(struct program *e, int thread, bool write, uint64_t line) {
  unf_access access = {e->thread[thread], write, 0x1000, sizeof(int), line};
  MUST(unf_races_access(e->races, &access));
}

static unf_status restart(void *user, const unf_run *run) {
  struct program *e = user;
  /* This engine starts over each time, so it resumes at step 0. */
  uint64_t resumed = 0;
  bool watched;
  e->at[0] = e->at[1] = 0;
  e->stepped = false;
  return unf_races_begin(e->races, run->shared, &resumed, &watched);
}

/* Runs a thread silently up to its next operation. */
static unf_status next(void *user, unf_thread who, unf_operation *operation) {
  struct program *e = user;
  int thread = who == e->thread[1];
  /* First the event, then the accesses that follow it. */
  if (e->stepped) MUST(unf_races_step(e->races, unf_explorer_last(e->explorer)));
  e->stepped = false;
  if (e->at[thread] == 0) touch(e, thread, false, LOOK_FIRST);
  if (e->at[thread] == 1) touch(e, thread, true, ADD);
  if (e->at[thread] == 2) touch(e, thread, false, LOOK_AFTER);
  *operation = e->at[thread] == 0   ? UNF_OP_LOCK(e->mutex)
               : e->at[thread] == 1 ? UNF_OP_UNLOCK(e->mutex)
                                    : UNF_OP_EXIT();
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  struct program *e = user;
  (void)performed;
  e->at[step->action.thread == e->thread[1]]++;
  e->stepped = true;
  return UNF_OK;
}

static void print_access(const unf_access *access) {
  printf("%s at line %" PRIu64, access->write ? "write" : "read", access->place);
}

int main(void) {
  unf_context *context;
  unf_unfolding *unfolding;
  struct program e;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &e.thread[i]));
    MUST(unf_thread_start(unfolding, e.thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &e.mutex));
  MUST(unf_explorer_new(unfolding, NULL, &e.explorer));
  MUST(unf_races_new(unfolding, NULL, &e.races));
  unf_engine engine = UNF_ENGINE_INIT;
  engine.user = &e;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  MUST(unf_explore(e.explorer, &engine, NULL));

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
