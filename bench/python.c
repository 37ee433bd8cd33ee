/*
 * The same exploration as bench/python: n threads that take one mutex so often, by unf_explore()
 * with an engine that is a counter for each thread. Prints steps and nanoseconds for each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unfold/unfold.h>

#include "clock.h"

enum { MOST = 16 };

struct program {
  unf_object mutex;
  int times;
  int pc[MOST];
};

static void must(unf_status status) {
  if (status == UNF_OK) return;
  fprintf(stderr, "%s\n", unf_status_text(status));
  exit(1);
}

static unf_status restart(void *user, const unf_run *run) {
  struct program *p = user;
  (void)run;
  for (int i = 0; i < MOST; i++)
    p->pc[i] = 0;
  return UNF_OK;
}

static unf_status next(void *user, unf_thread thread, unf_operation *operation) {
  struct program *p = user;
  int at = p->pc[thread];
  *operation = at == 2 * p->times ? UNF_OP_EXIT()
               : at % 2 == 0      ? UNF_OP_LOCK(p->mutex)
                                  : UNF_OP_UNLOCK(p->mutex);
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  struct program *p = user;
  (void)performed;
  p->pc[step->action.thread]++;
  return UNF_OK;
}

int main(int argc, char **argv) {
  struct program p = {.times = argc == 3 ? atoi(argv[2]) : 0};
  int threads = argc == 3 ? atoi(argv[1]) : 0;
  if (threads < 1 || threads > MOST || p.times < 1) {
    fprintf(stderr, "usage: unfold-bench-python THREADS TIMES\n");
    return 2;
  }
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  unf_counts counts;
  unf_engine engine = UNF_ENGINE_INIT;
  must(unf_context_new(NULL, &context));
  must(unf_unfolding_new(context, NULL, &unfolding));
  for (int i = 0; i < threads; i++) {
    unf_thread thread;
    must(unf_thread_name(unfolding, UNF_THREAD_NONE, (uint32_t)i, &thread));
    must(unf_thread_start(unfolding, thread));
  }
  must(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &p.mutex));
  must(unf_explorer_new(unfolding, NULL, &explorer));
  engine.user = &p;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  double start = processor_time();
  must(unf_explore(explorer, &engine, &counts));
  double seconds = processor_time() - start;
  printf("{\"traces\": %" PRIu64 ", \"steps\": %" PRIu64 ", \"seconds\": %.6f}\n", counts.traces,
         counts.steps, seconds);
  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return 0;
}
