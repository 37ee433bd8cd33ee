/*
 * 17. Whole executions at a time, of a program that creates its threads.
 *
 * As in 08-push.c the program runs elsewhere, and an execution is fed when it is over. Main is the
 * only thread that runs from the start; it creates two workers and joins them. A thread takes part
 * from the step that creates it on: its first operation needs not be said before, and at the end
 * there is an entry for each thread that was created, and for no other.
 *
 * Each worker locks one mutex, and unlocks it.
 */
#include "api.h"

#include <inttypes.h>

enum { MAIN, WORKERS = 2, THREADS = 1 + WORKERS, ROOM = 16 };

static unf_thread thread[THREADS];
static unf_object mutex;

typedef struct machine {
  bool created[THREADS];
  int pc[THREADS];
  int owner; /* of the mutex, or -1 */
  uint64_t length;
  unf_traced trace[ROOM];
} machine;

static bool is_over(const machine *at, int who) {
  return at->pc[who] == (who == MAIN ? 2 * WORKERS : 2);
}

static unf_operation about_to(const machine *at, int who) {
  int pc = at->pc[who];
  if (is_over(at, who)) return UNF_OP_EXIT();
  if (who != MAIN) return pc == 0 ? UNF_OP_LOCK(mutex) : UNF_OP_UNLOCK(mutex);
  return pc < WORKERS ? UNF_OP_CREATE(thread[1 + pc]) : UNF_OP_JOIN(thread[1 + pc - WORKERS]);
}

/* Runs one thread for a step and records it; false if it cannot move. */
static bool move(machine *at, int who) {
  if (!at->created[who] || is_over(at, who)) return false;
  unf_operation operation = about_to(at, who);
  unf_action action = {UNF_DID_CREATE, thread[who], operation.target, 0, 0};
  switch (operation.kind) {
  case UNF_CREATE:
    at->created[1 + at->pc[who]] = true;
    break;
  case UNF_JOIN:
    if (!is_over(at, 1 + at->pc[who] - WORKERS)) return false;
    action.kind = UNF_DID_JOIN;
    break;
  case UNF_LOCK:
    if (at->owner != -1) return false;
    at->owner = who;
    action.kind = UNF_DID_ACQUIRE;
    break;
  default:
    at->owner = -1;
    action.kind = UNF_DID_RELEASE;
  }
  at->pc[who]++;
  at->trace[at->length++] = (unf_traced){action, operation, 0};
  return true;
}

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
  MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, 0, &thread[MAIN]));
  MUST(unf_thread_start(unfolding, thread[MAIN]));
  for (uint32_t i = 0; i < WORKERS; i++) /* a name starts nothing */
    MUST(unf_thread_name(unfolding, thread[MAIN], i, &thread[1 + i]));
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  MUST(unf_explorer_new(unfolding, NULL, &explorer));

  for (;;) {
    machine at = {.created = {true}, .owner = -1};
    unf_run next;
    MUST(unf_explorer_prefix(explorer, follow, &at, &next));
    if (next.finished) break;
    uint64_t prefix = at.length;
    for (int who = 0; who < THREADS; who = move(&at, who) ? 0 : who + 1)
      continue;

    unf_pending pending[THREADS];
    uint64_t count = 0;
    for (int who = 0; who < THREADS; who++)
      if (at.created[who]) pending[count++] = (unf_pending){thread[who], about_to(&at, who)};
    unf_verdict verdict;
    MUST(unf_explorer_feed(explorer, at.trace, at.length, pending, count, false, &verdict));
    printf("run %" PRIu64 ": %" PRIu64 " steps given, %" PRIu64 " done, %s\n", next.number, prefix,
           at.length, verdict.complete ? "complete" : "not complete");
  }

  unf_counts counts;
  unf_explorer_counts(explorer, &counts);
  printf("%" PRIu64 " traces, %" PRIu64 " redundant\n", counts.traces, counts.redundant);

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
