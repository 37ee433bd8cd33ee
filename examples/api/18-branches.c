/*
 * 18. Executions for all values of the inputs.
 *
 * Two threads test the inputs x and y, which are unknown numbers from 0 to 2, and lock a mutex if
 * the test is true; a third one locks it anyway:
 *
 *     if (x < y) { lock(m); unlock(m); }  |  if (y < x) { lock(m); unlock(m); }  |  lock(m);
 * unlock(m);
 *
 * Each test is a branch, with one outcome for false and one for true. Its term is a number that
 * means something to this program alone: here it is the thread. Both tests can be false, but not
 * both true, so one of the four pairs of outcomes is never explored. The solver of this program
 * tries all values; a real one would hand the literals to an SMT solver.
 */
#include "api.h"

#include <inttypes.h>

enum { THREADS = 3, VALUES = 3 };

static unf_unfolding *unfolding;
static unf_thread thread[THREADS];
static unf_object mutex;

/* Whether the literal of a branch event holds for the values of a witness, 1 + 3 x + y. */
static bool holds(void *user, uint64_t witness, unf_event event) {
  uint64_t x = (witness - 1) / VALUES, y = (witness - 1) % VALUES;
  unf_literal literal;
  (void)user;
  MUST(unf_event_literal(unfolding, event, &literal));
  bool test = literal.term == 0 ? x < y : y < x;
  return test == (literal.outcome == 1);
}

static unf_answer consistent(void *user, const unf_event *events, uint64_t count, uint64_t known,
                             unf_event *core, uint64_t *core_count, uint64_t *witness) {
  (void)known, (void)core, (void)core_count; /* a solver with memory would use them */
  for (uint64_t values = 1; values <= VALUES * VALUES; values++) {
    uint64_t i = 0;
    while (i < count && holds(user, values, events[i]))
      i++;
    if (i < count) continue;
    *witness = values;
    return UNF_ANSWER_YES;
  }
  return UNF_ANSWER_NO;
}

/* What a thread does after so many steps; the third begins behind the test. */
static unf_operation about_to(uint32_t who, int done, int64_t outcome) {
  if (who == THREADS - 1) done++;
  if (done == 0) return UNF_OP_BRANCH(who, 2);
  if (outcome == 0) return UNF_OP_EXIT();
  return done == 1 ? UNF_OP_LOCK(mutex) : done == 2 ? UNF_OP_UNLOCK(mutex) : UNF_OP_EXIT();
}

/* Runs the program under the explorer to its end, and prints the steps. */
static void run_program(unf_explorer *explorer) {
  int done[THREADS] = {0};
  int64_t outcome[THREADS] = {0, 0, 1};
  unf_operation next;
  unf_step step;
  for (uint32_t who = 0; who < THREADS; who++) {
    next = about_to(who, 0, outcome[who]);
    MUST(unf_explorer_offer(explorer, thread[who], &next));
  }
  for (MUST(unf_explorer_step(explorer, &step)); step.kind == UNF_STEP_ACTION;) {
    uint32_t who = 0;
    while (thread[who] != step.action.thread)
      who++;
    if (step.action.kind == UNF_DID_BRANCH) {
      outcome[who] = step.action.value;
      printf(" %s%s", outcome[who] == 1 ? "" : "not ", who == 0 ? "x < y;" : "y < x;");
    } else if (step.action.kind == UNF_DID_ACQUIRE) {
      printf(" thread %" PRIu32 " locks;", who);
    }
    done[who]++;
    MUST(unf_explorer_commit(explorer, NULL, 0));
    next = about_to(who, done[who], outcome[who]);
    MUST(unf_explorer_offer(explorer, thread[who], &next));
    MUST(unf_explorer_step(explorer, &step));
  }
}

int main(void) {
  unf_context *context;
  unf_explorer *explorer;
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  consistency.consistent = consistent;
  consistency.holds = holds;
  MUST(unf_context_new(NULL, &context));
  MUST(unf_unfolding_new(context, NULL, &unfolding));
  MUST(unf_unfolding_set_consistency(unfolding, &consistency));
  for (uint32_t i = 0; i < THREADS; i++) {
    MUST(unf_thread_name(unfolding, UNF_THREAD_NONE, i, &thread[i]));
    MUST(unf_thread_start(unfolding, thread[i]));
  }
  MUST(unf_object_name(unfolding, UNF_MUTEX, UNF_THREAD_NONE, 0, &mutex));
  MUST(unf_explorer_new(unfolding, NULL, &explorer));

  for (;;) {
    unf_run run;
    unf_verdict verdict;
    MUST(unf_explorer_next(explorer, &run));
    if (run.finished) break;
    printf("run %" PRIu64 ":", run.number);
    run_program(explorer);
    MUST(unf_explorer_finish(explorer, false, &verdict));
    printf(" %s\n", verdict.complete ? "complete" : "not complete");
  }

  unf_counts counts;
  unf_consistency_counts asked;
  unf_explorer_counts(explorer, &counts);
  unf_unfolding_consistency_counts(unfolding, &asked);
  printf("%" PRIu64 " traces, %" PRIu64 " redundant, %" PRIu64 " infeasible\n", counts.traces,
         counts.redundant, counts.infeasible);
  printf("%" PRIu64 " calls of the solver, of which %" PRIu64 " said no\n", asked.calls, asked.no);

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
