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

static void offer(unf_explorer *explorer, int who) {
  unf_operation operation = now.inside[who] ? UNF_OP_UNLOCK(mutex) : UNF_OP_LOCK(mutex);
  MUST(unf_explorer_offer(explorer, thread[who], &operation));
}

static void perform(unf_explorer *explorer, int who) {
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  struct state before = now;
  now.inside[who] = !now.inside[who];
  if (now.inside[who]) now.number = (now.number + 1) % 3;
  MUST(unf_fingerprint_replace(UNF_HASH_FAST, &change, INSIDE + (uint64_t)who, &before.inside[who],
                               &now.inside[who], sizeof now.inside[who]));
  MUST(unf_fingerprint_replace(UNF_HASH_FAST, &change, NUMBER, &before.number, &now.number,
                               sizeof now.number));
  MUST(unf_explorer_commit(explorer, NULL, 0));
  MUST(unf_explorer_changed(explorer, &change));
}

static void run(unf_explorer *explorer) {
  now = (struct state){0, {0, 0}};
  for (int who = 0; who < 2; who++)
    offer(explorer, who);
  for (;;) {
    unf_step step;
    MUST(unf_explorer_step(explorer, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    int who = step.action.thread == thread[0] ? 0 : 1;
    perform(explorer, who);
    offer(explorer, who);
  }
}

static void explore(unf_cutoff_order order, const char *name) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *explorer;
  uint64_t truncated = 0;
  options.cutoffs = order;
  MUST(unf_explorer_new(unfolding, &options, &explorer));
  for (;;) {
    unf_run next;
    unf_verdict verdict;
    MUST(unf_explorer_next(explorer, &next));
    if (next.finished) break;
    run(explorer);
    MUST(unf_explorer_finish(explorer, false, &verdict));
    truncated += verdict.truncated;
  }
  unf_cutoff_counts counts;
  unf_cutoffs_counts(unf_explorer_cutoffs(explorer), &counts);
  printf("%s: %" PRIu64 " executions, each ended by cutoffs\n", name, truncated);
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
