/*
 * 13. Cutoffs: programs that run for ever.
 *
 * Each thread adds 1 modulo 3 to a shared number, under a mutex, without end. There are infinitely
 * many events, but few states. After each step the front-end says what changed, as fragments: a
 * location and the bytes there. Where a state was reached before by fewer steps, the explorer does
 * not go on.
 *
 * What is a fragment: all that the future depends on. Here that is the number, who is inside, and
 * where each thread is, which is the same thing.
 */
#include "api.h"

#include <inttypes.h>

enum location { NUMBER, INSIDE };

static unf_unfolding *unfolding;
static unf_thread thread[2];
static unf_object mutex;

static struct state { uint32_t number, inside[2]; } now;

static int number_of(unf_thread who) {
  return who == thread[0] ? 0 : 1;
}

static unf_status restart(void *user, const unf_run *run) {
  (void)user, (void)run;
  now = (struct state){0, {0, 0}};
  return UNF_OK;
}

static unf_status next(void *user, unf_thread who, unf_operation *operation) {
  (void)user;
  *operation = now.inside[number_of(who)] ? UNF_OP_UNLOCK(mutex) : UNF_OP_LOCK(mutex);
  return UNF_OK;
}

static struct state before; /* the last step */

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  (void)user, (void)performed;
  int who = number_of(step->action.thread);
  before = now;
  now.inside[who] = !now.inside[who];
  if (now.inside[who]) now.number = (now.number + 1) % 3;
  return UNF_OK;
}

/* What is the same as before adds nothing to the change. */
static unf_status changed(void *user, unf_fingerprint *change) {
  (void)user;
  for (uint64_t who = 0; who < 2; who++)
    MUST(unf_fingerprint_replace(UNF_HASH_FAST, change, INSIDE + who, &before.inside[who],
                                 &now.inside[who], sizeof now.inside[who]));
  return unf_fingerprint_replace(UNF_HASH_FAST, change, NUMBER, &before.number, &now.number,
                                 sizeof now.number);
}

static void explore(unf_cutoff_order order, const char *name) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *explorer;
  unf_engine engine = UNF_ENGINE_INIT;
  unf_counts explored;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  engine.changed = changed;
  options.cutoffs = order;
  MUST(unf_explorer_new(unfolding, &options, &explorer));
  MUST(unf_explore(explorer, &engine, &explored));
  unf_cutoff_counts counts;
  unf_cutoffs_counts(unf_explorer_cutoffs(explorer), &counts);
  printf("%s: %" PRIu64 " executions, each ended by cutoffs\n", name, explored.truncated);
  printf("  %" PRIu64 " kept events, %" PRIu64 " cutoffs, %" PRIu64 " states\n", counts.kept,
         counts.cutoffs, counts.states);
  unf_explorer_free(explorer);
}

int main(void) {
  unf_context *context;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < 2; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  explore(UNF_CUTOFFS_SIZE, "size");
  explore(UNF_CUTOFFS_ERV, "total order");
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
