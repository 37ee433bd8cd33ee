/*
 * 9. Allocator, limits, interruption, and going on.
 *
 * All memory comes from one callback, and every failure of it is a status, never a crash. A limit
 * or an interruption ends a call without losing anything: raise the limit, or do nothing at all,
 * and make the same call again, here until carry_on() says that it succeeded. That goes for the
 * whole loop of unf_explore() too.
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

/* The program: each thread locks the mutex and unlocks it. Threads were named in the order of their
 * numbers. */
static int pc[THREADS];

static unf_status restart(void *user, const unf_run *run) {
  (void)user, (void)run;
  for (int i = 0; i < THREADS; i++)
    pc[i] = 0;
  return UNF_OK;
}

static unf_status next(void *user, unf_thread who, unf_operation *operation) {
  (void)user;
  *operation = pc[who] == 0   ? UNF_OP_LOCK(mutex)
               : pc[who] == 1 ? UNF_OP_UNLOCK(mutex)
                              : UNF_OP_EXIT();
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  (void)user, (void)performed;
  pc[step->action.thread]++;
  return UNF_OK;
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
  unf_engine engine = UNF_ENGINE_INIT;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  unf_counts counts;
  AGAIN(unf_explore(explorer, &engine, &counts));
  printf("%" PRIu64 " traces, all the same\n", counts.traces);
  printf("the context's account is ours: %s\n",
         mine.bytes == unf_context_bytes(context) ? "yes" : "no");

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  printf("bytes left at the end: %" PRIu64 "\n", mine.bytes);
  return EXIT_SUCCESS;
}
