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

static int done[THREADS];
static int64_t outcome[THREADS];

static unf_status restart(void *user, const unf_run *run) {
  (void)user;
  for (uint32_t who = 0; who < THREADS; who++) {
    done[who] = 0;
    outcome[who] = who == THREADS - 1;
  }
  printf("run %" PRIu64 ":", run->number);
  return UNF_OK;
}

/* Threads were named in the order of their numbers. */
static unf_status next(void *user, unf_thread who, unf_operation *operation) {
  (void)user;
  *operation = about_to(who, done[who], outcome[who]);
  return UNF_OK;
}

static unf_status perform(void *user, const unf_step *step, unf_performed *performed) {
  unf_thread who = step->action.thread;
  (void)user, (void)performed;
  if (step->action.kind == UNF_DID_BRANCH) {
    outcome[who] = step->action.value;
    printf(" %s%s", outcome[who] == 1 ? "" : "not ", who == 0 ? "x < y;" : "y < x;");
  } else if (step->action.kind == UNF_DID_ACQUIRE) {
    printf(" thread %" PRIu32 " locks;", who);
  }
  done[who]++;
  return UNF_OK;
}

static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *explorer) {
  (void)user, (void)explorer;
  printf(" %s\n", verdict->complete ? "complete" : "not complete");
  return UNF_OK;
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

  unf_engine engine = UNF_ENGINE_INIT;
  unf_counts counts;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform;
  engine.ended = ended;
  MUST(unf_explore(explorer, &engine, &counts));

  unf_consistency_counts asked;
  unf_unfolding_consistency_counts(unfolding, &asked);
  printf("%" PRIu64 " traces, %" PRIu64 " redundant, %" PRIu64 " infeasible\n", counts.traces,
         counts.redundant, counts.infeasible);
  printf("%" PRIu64 " calls of the solver, of which %" PRIu64 " said no\n", asked.calls, asked.no);

  unf_explorer_free(explorer);
  unf_unfolding_free(unfolding);
  unf_context_free(context);
  return EXIT_SUCCESS;
}
