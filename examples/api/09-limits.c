/*
 * 9. Allocator, limits, interruption, and going on.
 *
 * All memory comes from one callback, and every failure of it is a status, never a crash. A limit
 * or an interruption ends a call without losing anything: raise the limit, or do nothing at all,
 * and make the same call again. In this example that is the loop in carry_on().
 */
#include "api.h"

#include <inttypes.h>

enum { THREADS = 4 };

static unf_context *context;
static unf_thread thread[THREADS];
static unf_object mutex;

/* An allocator that keeps an account; and one day it has nothing more to give. */
typedef struct account {
  uint64_t bytes;
  int refusals; /* that many requests will fail */
} account;

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  account *mine = user;
  if (new_size > old_size && mine->refusals > 0) {
    mine->refusals--;
    return NULL;
  }
  void *result = NULL;
  if (new_size == 0) {
    free(block);
  } else {
    result = realloc(block, new_size);
    if (result == NULL) return NULL;
  }
  mine->bytes = mine->bytes - old_size + new_size;
  return result;
}

/* Whether a call is to be made again. */
static bool carry_on(unf_status status) {
  if (status == UNF_OK) return false;
  printf("met: %s\n", unf_status_text(status));
  if (status == UNF_LIMIT) {
    unf_limits none = {0};
    MUST(unf_context_set_limits(context, &none));
  } else if (status != UNF_MEMORY && status != UNF_INTERRUPTED) {
    must(status, "exploring"); /* no way to go on */
  }
  return true;
}
#define AGAIN(call)                                                                                \
  while (carry_on(call))                                                                           \
  continue

static bool progress(void *user, const unf_progress *so_far) {
  (void)user;
  return so_far->runs != 10; /* after 10 executions: enough, for now */
}

static void offer(unf_explorer *explorer, uint32_t who, int pc) {
  unf_operation operation = pc == 0   ? UNF_OP_LOCK(mutex)
                            : pc == 1 ? UNF_OP_UNLOCK(mutex)
                                      : UNF_OP_EXIT();
  AGAIN(unf_explorer_offer(explorer, thread[who], &operation));
}

int main(void) {
  account mine = {0, 0};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  options.allocator.reallocate = reallocate;
  options.allocator.user = &mine;
  options.limits.events = 50;
  options.progress = progress;
  options.progress_interval = 5;
  MUST(unf_context_new(&options, &context));

  unf_unfolding *unfolding;
  unf_explorer *explorer;
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < THREADS; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  mine.refusals = 2;
  AGAIN(unf_explorer_new(unfolding, NULL, &explorer));

  /* Another thread, or the handler of a signal, may do this at any time. */
  unf_context_interrupt(context);
  for (unf_run next;;) {
    AGAIN(unf_explorer_next(explorer, &next));
    if (next.finished) break;
    int pc[THREADS] = {0};
    for (uint32_t i = 0; i < THREADS; i++)
      offer(explorer, i, 0);
    for (unf_step step;;) {
      AGAIN(unf_explorer_step(explorer, &step));
      if (step.kind != UNF_STEP_ACTION) break;
      AGAIN(unf_explorer_commit(explorer, NULL, 0));
      uint32_t who = step.action.thread; /* they were named in the order of their numbers */
      offer(explorer, who, ++pc[who]);
    }
    AGAIN(unf_explorer_finish(explorer, false, NULL));
  }

  unf_counts counts;
  unf_explorer_counts(explorer, &counts);
  printf("%" PRIu64 " traces, all the same\n", counts.traces);
  printf("the context's account is ours: %s\n",
         mine.bytes == unf_context_bytes(context) ? "yes" : "no");

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  printf("bytes left at the end: %" PRIu64 "\n", mine.bytes);
  return EXIT_SUCCESS;
}
