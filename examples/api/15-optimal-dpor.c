/*
 * 15. Optimal DPOR of your own.
 *
 * Where the run protocol of the explorer does not fit, its parts do. Here is a whole optimal DPOR,
 * "Source Sets" (JACM 2017), Algorithm 2, as a recursive function over sleep sets, wakeup trees and
 * the reversals of an execution; with it goes a toy program of three threads over two locations and
 * a mutex. An execution is an array of events; whatever it is that your engine executes, the only
 * thing that it has to say is what a thread does next.
 *
 *   explore(node):
 *     event := the leftmost branch of the wakeup tree here, or anything enabled and not asleep
 *     nothing is enabled: insert the reversals of the execution, where they were not explored
 *     as long as there is an event: explore(node after it), then it falls asleep here, and the next
 *     branch of the wakeup tree is taken
 *
 * At the end the library's own explorers must have counted the same.
 */
#include "api.h"

#include <inttypes.h>

enum { THREADS = 3, LENGTH = 4, MOST = THREADS * LENGTH };

static unf_context *context;
static unf_unfolding *unfolding;
static unf_operation code[THREADS][LENGTH];
static unf_thread thread[THREADS];

/* The current execution, and what is kept along it. */
static unf_event path[MOST];
static unf_sleep_sets *sleeping;
static unf_wakeup_trees *trees;
static uint64_t traces, reversals, inserted;

static void write_program(void) {
  unf_object x, y, m;
  MUST(unf_object_name(unfolding, UNF_LOCATION, UNF_THREAD_NONE, 0, &x));
  MUST(unf_object_name(unfolding, UNF_LOCATION, UNF_THREAD_NONE, 1, &y));
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &m));
  code[0][0] = UNF_OP_STORE(x, 1);
  code[0][1] = UNF_OP_LOCK(m);
  code[0][2] = UNF_OP_UNLOCK(m);
  code[0][3] = UNF_OP_EXIT();
  code[1][0] = UNF_OP_LOCK(m);
  code[1][1] = UNF_OP_LOAD(x);
  code[1][2] = UNF_OP_STORE(y, 2);
  code[1][3] = UNF_OP_EXIT(); /* it never unlocks, so thread 0 may wait for ever */
  code[2][0] = UNF_OP_LOAD(y);
  code[2][1] = UNF_OP_STORE(x, 3);
  code[2][2] = UNF_OP_EXIT();
}

/* ---- the program, as it is described to the library ---- */

/* The configuration of the first `depth` events of the path, with what each thread does next. */
static unf_configuration *configuration_of(uint64_t depth) {
  unf_configuration *C;
  unf_action action;
  int pc[THREADS] = {0};
  MUST(unf_configuration_new(unfolding, &C));
  for (uint64_t i = 0; i < depth; i++) {
    MUST(unf_configuration_extend(C, path[i]));
    MUST(unf_event_action(unfolding, path[i], &action));
    for (int t = 0; t < THREADS; t++)
      pc[t] += thread[t] == action.thread;
  }
  for (int t = 0; t < THREADS; t++)
    MUST(unf_configuration_offer(C, thread[t], &code[t][pc[t]]));
  return C;
}

struct choice {
  unf_event event;
  bool any; /* something is enabled */
};

static bool choose(void *user, unf_event event) {
  struct choice *choice = user;
  bool asleep;
  choice->any = true;
  MUST(unf_sleep_contains(sleeping, event, &asleep));
  if (!asleep) choice->event = event;
  return asleep;
}

/* ---- the algorithm ---- */

static bool insert(void *user, const unf_reversal *r) {
  bool explored, changed;
  (void)user;
  reversals++;
  MUST(unf_sleep_initial(sleeping, r->position, r->sequence, r->count, &explored));
  if (explored) return true;
  MUST(unf_wakeup_insert(trees, r->position, r->sequence, r->count, &changed));
  inserted += changed;
  return true;
}

static void explore(uint64_t depth) {
  unf_event event;
  MUST(unf_wakeup_take(trees, depth, &event));
  /* Also on the way along a branch: the operations have to be known after each event. */
  unf_configuration *C = configuration_of(depth);
  if (event == UNF_EVENT_NONE) {
    struct choice choice = {UNF_EVENT_NONE, false};
    MUST(unf_extensions_enabled(C, choose, &choice));
    event = choice.event;
    if (!choice.any) {
      traces++;
      MUST(unf_execution_reversals(unfolding, path, depth, insert, NULL));
    } else if (event == UNF_EVENT_NONE) {
      printf("everything enabled sleeps: this must not happen\n");
    }
  }
  unf_configuration_free(C);
  while (event != UNF_EVENT_NONE) {
    path[depth] = event;
    MUST(unf_sleep_push(sleeping, event));
    explore(depth + 1);
    MUST(unf_sleep_pop(sleeping));
    MUST(unf_sleep_add(sleeping, event));
    MUST(unf_wakeup_take(trees, depth, &event));
  }
}

/* ---- the same by the library's explorer ---- */

static int done[THREADS];

static int number_of(unf_thread who) {
  int t = 0;
  while (thread[t] != who)
    t++;
  return t;
}

static unf_status restart(void *user, const unf_run *run) {
  (void)user, (void)run;
  for (int t = 0; t < THREADS; t++)
    done[t] = 0;
  return UNF_OK;
}

static unf_status next(void *user, unf_thread who, unf_operation *operation) {
  (void)user;
  *operation = code[number_of(who)][done[number_of(who)]];
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  (void)user, (void)performed;
  done[number_of(step->action.thread)]++;
  return UNF_OK;
}

static uint64_t count_by(unf_algorithm algorithm) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_engine engine = UNF_ENGINE_INIT;
  unf_explorer *explorer;
  unf_counts counts;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  options.algorithm = algorithm;
  MUST(unf_explorer_new(unfolding, &options, &explorer));
  MUST(unf_explore(explorer, &engine, &counts));
  unf_explorer_free(explorer);
  return counts.traces;
}

int main(void) {
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t t = 0; t < THREADS; t++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, t, &thread[t]));
    MUST(unf_thread_start(unfolding, thread[t]));
  }
  write_program();
  MUST(unf_sleep_new(unfolding, &sleeping));
  MUST(unf_wakeup_new(unfolding, &trees));
  explore(0);
  printf("here: %" PRIu64 " traces, %" PRIu64 " reversals, of which %" PRIu64 " were inserted\n",
         traces, reversals, inserted);
  printf("the library: %" PRIu64 " by wakeup trees, %" PRIu64 " by alternatives\n",
         count_by(UNF_ODPOR), count_by(UNF_QPOR));
  unf_wakeup_free(trees);
  unf_sleep_free(sleeping);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
