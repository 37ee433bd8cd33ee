/*
 * Limits inside of finish. Threads take one mutex in turn, and the last one takes it twice, so that
 * one execution is a deadlock with very many conflicting extensions. A call that is interrupted
 * says what the execution came to, looks at limits every so many extensions, and goes on where it
 * was when it is made again.
 */
#include "fixture.h"

enum { THREADS = 220, BETWEEN = 10000 };

struct turns {
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread threads[THREADS];
  unf_object mutex;
  unsigned done[THREADS]; /* operations performed by each */
};

static unf_operation next_of(const struct turns *s, unsigned thread) {
  static const unf_operation_kind kinds[] = {UNF_LOCK, UNF_UNLOCK, UNF_EXIT};
  bool stays = thread == THREADS - 1 && s->done[thread] > 0;
  unf_operation o = {.kind = stays ? UNF_LOCK : kinds[s->done[thread]]};
  if (o.kind != UNF_EXIT) o.target = s->mutex;
  return o;
}

static void offer(struct turns *s, unsigned thread) {
  unf_operation o = next_of(s, thread);
  ok(unf_explorer_offer(s->x, s->threads[thread], &o));
}

/* Everything up to the end of the first execution. */
static void begin(struct turns *s, unf_algorithm algorithm) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_run run;
  unf_step step;
  memset(s, 0, sizeof *s);
  options.algorithm = algorithm;
  ok(unf_context_new(NULL, &s->context));
  ok(unf_unfolding_new(s->context, NULL, &s->u));
  for (unsigned t = 0; t < THREADS; t++) {
    ok(unf_thread_name(s->u, UNF_THREAD_NONE, t, &s->threads[t]));
    ok(unf_thread_start(s->u, s->threads[t]));
  }
  ok(unf_object_name(s->u, UNF_MUTEX, UNF_THREAD_NONE, 0, &s->mutex));
  ok(unf_explorer_new(s->u, &options, &s->x));
  ok(unf_explorer_next(s->x, &run));
  for (unsigned t = 0; t < THREADS; t++)
    offer(s, t);
  for (;;) {
    ok(unf_explorer_step(s->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    unsigned t = 0;
    while (s->threads[t] != step.action.thread)
      t++;
    ok(unf_explorer_commit(s->x, NULL, 0));
    s->done[t]++;
    offer(s, t);
  }
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
}

static void end(struct turns *s) {
  unf_explorer_free(s->x);
  unf_unfolding_free(s->u);
  unf_context_free(s->context);
}

static uint64_t extensions(const struct turns *s) {
  unf_counts counts;
  unf_explorer_counts(s->x, &counts);
  return counts.extensions;
}

/* What an interrupted finish says, and how soon. */
static void finish_is_interrupted(void **state) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_SDPOR};
  (void)state;
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    struct turns s;
    unf_verdict verdict = {0};
    begin(&s, algorithms[i]);
    uint64_t before = extensions(&s);
    unf_context_interrupt(s.context);
    assert_int_equal(unf_explorer_finish(s.x, false, &verdict), UNF_INTERRUPTED);
    assert_true(verdict.deadlock && !verdict.complete && !verdict.error && !verdict.redundant);
    assert_int_equal(verdict.blocked, 1);
    assert_true(extensions(&s) - before <= BETWEEN);
    memset(&verdict, 0, sizeof verdict);
    ok(unf_explorer_finish(s.x, false, &verdict));
    assert_true(verdict.deadlock);
    end(&s);
  }
}

/* Each call goes on where the one before was: nearly all that it does between two looks at limits
 * is new. */
static void finish_goes_on(void **state) {
  struct turns s;
  unf_status status = UNF_INTERRUPTED;
  uint64_t calls = 0;
  (void)state;
  begin(&s, UNF_QPOR);
  while (status == UNF_INTERRUPTED) {
    unf_context_interrupt(s.context);
    status = unf_explorer_finish(s.x, false, NULL);
    calls++;
  }
  ok(status);
  uint64_t all = extensions(&s);
  assert_true(all > 2 * BETWEEN);
  assert_true(calls >= all / BETWEEN);
  assert_true((calls - 1) * (BETWEEN - 2 * THREADS) <= all);
  end(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finish_is_interrupted),
      cmocka_unit_test(finish_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
