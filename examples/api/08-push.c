/*
 * 8. The explorer, whole executions at a time.
 *
 * Some front-ends cannot stop after each step: the program runs elsewhere, under a schedule. They
 * ask for the *prefix* that the next execution must begin with, run the program so, to the end and
 * in any way they like after the prefix, and *feed* back what happened: each step with the
 * operation it came of, and what each thread was about to do at the end.
 *
 * The program: two threads that each lock one mutex, unlock it and exit; a third that only tries
 * it.
 */
#include "api.h"

#include <inttypes.h>

enum { THREADS = 3, ROOM = 16 };

static unf_thread thread[THREADS];
static unf_object mutex;

/* The program, as a machine that runs "elsewhere": it knows of no explorer. */
typedef struct machine {
  int pc[THREADS];
  int owner; /* of the mutex, or -1 */
  uint64_t length;
  unf_traced trace[ROOM];
} machine;

static unf_operation about_to(const machine *at, int who) {
  if (at->pc[who] == 0) return who == 2 ? UNF_OP_TRYLOCK(mutex) : UNF_OP_LOCK(mutex);
  if (at->pc[who] == 1 && at->owner == who) return UNF_OP_UNLOCK(mutex);
  return UNF_OP_EXIT(); /* after an unlock, and after a trylock that failed */
}

/* Runs one thread for a step and records it; false if it cannot move. */
static bool move(machine *at, int who) {
  unf_operation operation = about_to(at, who);
  unf_action_kind did = UNF_DID_ACQUIRE;
  if (operation.kind == UNF_EXIT) return false;
  if (operation.kind == UNF_UNLOCK) {
    did = UNF_DID_RELEASE;
    at->owner = -1;
  } else if (at->owner == -1) {
    at->owner = who;
  } else if (operation.kind == UNF_TRYLOCK) {
    did = UNF_DID_TRYFAIL;
  } else {
    return false;
  }
  at->pc[who]++;
  unf_traced *step = &at->trace[at->length++];
  step->action = (unf_action){did, thread[who], mutex, 0, 0};
  step->operation = operation;
  step->cookie = 0;
  return true;
}

/* The prefix comes action by action, and the machine is driven along it. */
static bool follow(void *user, const unf_action *action) {
  for (int who = 0; who < THREADS; who++)
    if (thread[who] == action->thread && !move(user, who)) return false;
  return true;
}

int main(void) {
  unf_context *context;
  unf_unfolding *unfolding;
  unf_explorer *explorer;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  for (uint32_t i = 0; i < THREADS; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  MUST(unf_explorer_new(unfolding, NULL, &explorer));

  for (;;) {
    machine at = {.owner = -1};
    unf_run next;
    MUST(unf_explorer_prefix(explorer, follow, &at, &next));
    if (next.finished) break;
    uint64_t prefix = at.length;
    /* From here on freely, until no thread can move. */
    for (int who = 0; who < THREADS; who = move(&at, who) ? 0 : who + 1)
      continue;

    unf_pending pending[THREADS];
    for (int who = 0; who < THREADS; who++)
      pending[who] = (unf_pending){thread[who], about_to(&at, who)};
    unf_verdict verdict;
    MUST(unf_explorer_feed(explorer, at.trace, at.length, pending, THREADS, false, &verdict));
    printf("run %" PRIu64 ": %" PRIu64 " steps given, %" PRIu64 " done, %s\n", next.number, prefix,
           at.length, verdict.redundant ? "redundant" : "a new trace");
  }

  unf_counts counts;
  unf_explorer_counts(explorer, &counts);
  printf("%" PRIu64 " traces, %" PRIu64 " redundant\n", counts.traces, counts.redundant);

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
