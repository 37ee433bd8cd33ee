/*
 * Limits inside of finish and next. In a large run a call looks at limits every so many elementary
 * steps, says what the execution came to when it is interrupted, and goes on where it was when it
 * is made again.
 *
 * A context reads the clock when it looks at limits, if there is one of time. The clock here counts
 * how much was done since it was read last, and can interrupt what reads it, so that every other
 * look ends its call.
 *
 * Also what finish costs where there is nothing to find, behind the last execution that may begin,
 * and where what could have been is found when steps are taken back, in elementary steps at two
 * sizes; a probe that is too large; and bytes of stores that follow many loads.
 */
#include "fixture.h"

#include <time.h>

#include "base/context.h"
#include "exploration/strategies/qpor/qpor.h"

enum { MOST_THREADS = 3000, BETWEEN = 10000 };

/* What the threads of a program do. */
enum deed {
  TURNS,     /* each takes the mutex in turn, and the last one takes it twice: a deadlock */
  EXCHANGES, /* each writes and reads one location: every two are in a race */
  PAIRS,     /* the same with a location of two cells, of which the first half write one only */
  ADDITIONS, /* each adds to one location: one trace */
  LOADS      /* all but the last load from one location, and that stores to it */
};

struct large {
  enum deed deed;
  unsigned threads_count, steps; /* operations of each thread, but for turns */
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread threads[MOST_THREADS];
  unf_object mutex, whole, half;
  unsigned done[MOST_THREADS];
};

/* ---- the clock ---- */

static struct {
  const struct large *of; /* NULL: nothing is counted */
  uint64_t looks, most_done, most_steps;
  uint64_t done, steps; /* at the last look */
  bool interrupts;
} watch;

/* What the explorer says that it did. */
static uint64_t done_by(const struct large *l) {
  unf_counts c;
  unf_explorer_counts(l->x, &c);
  return c.extensions + c.reversals + c.turns_tested + c.alternatives.read + c.alternatives.nodes;
}

static void watch_from_here(const struct large *l, bool interrupts) {
  memset(&watch, 0, sizeof watch);
  watch.of = l;
  watch.interrupts = interrupts;
  watch.done = done_by(l);
  watch.steps = l->context->work.steps;
}

/* In place of that of the C library. */
int clock_gettime(clockid_t clock, struct timespec *out) {
  (void)clock;
  *out = (struct timespec){0, 0};
  if (watch.of == NULL) return 0;
  uint64_t done = done_by(watch.of), steps = watch.of->context->work.steps;
  watch.looks++;
  if (done - watch.done > watch.most_done) watch.most_done = done - watch.done;
  if (steps - watch.steps > watch.most_steps) watch.most_steps = steps - watch.steps;
  watch.done = done;
  watch.steps = steps;
  if (watch.interrupts) unf_context_interrupt(watch.of->context);
  return 0;
}

/* ---- the run ---- */

static unf_operation next_of(const struct large *l, unsigned thread) {
  static const unf_operation_kind turn[] = {UNF_LOCK, UNF_UNLOCK, UNF_EXIT};
  unsigned done = l->done[thread];
  if (l->deed == TURNS) {
    bool stays = thread == l->threads_count - 1 && done > 0;
    unf_operation o = {.kind = stays ? UNF_LOCK : turn[done]};
    if (o.kind != UNF_EXIT) o.target = l->mutex;
    return o;
  }
  if (done == l->steps) return UNF_OP_EXIT();
  unf_object target = l->deed == PAIRS && thread < l->threads_count / 2 ? l->half : l->whole;
  if (l->deed == ADDITIONS) return UNF_OP_ADD(target, 1);
  if (l->deed == LOADS && thread + 1 < l->threads_count) return UNF_OP_LOAD(target);
  return UNF_OP_EXCHANGE(target, thread);
}

static void offer(struct large *l, unsigned thread) {
  unf_operation o = next_of(l, thread);
  ok(unf_explorer_offer(l->x, l->threads[thread], &o));
}

static void name_all(struct large *l) {
  for (unsigned t = 0; t < l->threads_count; t++) {
    ok(unf_thread_name(l->u, UNF_THREAD_NONE, t, &l->threads[t]));
    ok(unf_thread_start(l->u, l->threads[t]));
  }
  ok(unf_object_name(l->u, UNF_MUTEX, UNF_THREAD_NONE, 0, &l->mutex));
  ok(unf_object_name(l->u, UNF_LOCATION, UNF_THREAD_NONE, 0, &l->whole));
  ok(unf_object_name(l->u, UNF_LOCATION, UNF_THREAD_NONE, 1, &l->half));
  if (l->deed != PAIRS) return;
  ok(unf_location_place(l->u, l->whole, l->whole, 0, 8));
  ok(unf_location_place(l->u, l->half, l->whole, 0, 4));
}

/* The steps of an execution. */
static void perform_all(struct large *l) {
  unf_step step;
  memset(l->done, 0, sizeof l->done);
  for (unsigned t = 0; t < l->threads_count; t++)
    offer(l, t);
  for (;;) {
    ok(unf_explorer_step(l->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    unsigned t = 0;
    while (l->threads[t] != step.action.thread)
      t++;
    ok(unf_explorer_commit(l->x, NULL, 0));
    l->done[t]++;
    offer(l, t);
  }
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
}

/* Everything up to the end of the first execution, of so many that may begin. */
static void begin_with(struct large *l, const unf_explorer_options *options, uint64_t runs) {
  unf_limits limits = {.seconds = 1e9, .runs = runs};
  unf_run run;
  ok(unf_context_new(NULL, &l->context));
  ok(unf_context_set_limits(l->context, &limits));
  ok(unf_unfolding_new(l->context, NULL, &l->u));
  name_all(l);
  ok(unf_explorer_new(l->u, options, &l->x));
  ok(unf_explorer_next(l->x, &run));
  perform_all(l);
}

static void begin(struct large *l, unf_algorithm algorithm, uint64_t runs) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = algorithm;
  begin_with(l, &options, runs);
}

static void end(struct large *l) {
  watch.of = NULL;
  unf_explorer_free(l->x);
  unf_unfolding_free(l->u);
  unf_context_free(l->context);
}

/* ---- the tests ---- */

static const struct {
  unf_algorithm algorithm;
  enum deed deed;
  unsigned threads, steps;
} cases[] = {{UNF_QPOR, TURNS, 220, 0},        {UNF_SDPOR, TURNS, 220, 0},
             {UNF_ODPOR, TURNS, 100, 0},       {UNF_EAGER, TURNS, 130, 0},
             {UNF_QPOR, EXCHANGES, 3, 7000},   {UNF_ODPOR, EXCHANGES, 3, 1600},
             {UNF_EAGER, EXCHANGES, 3, 60},    {UNF_QPOR, PAIRS, 8, 600},
             {UNF_ODPOR, PAIRS, 4, 600},       {UNF_QPOR, ADDITIONS, 2, 20000},
             {UNF_SDPOR, ADDITIONS, 2, 20000}, {UNF_ODPOR, ADDITIONS, 2, 20000},
             {UNF_EAGER, ADDITIONS, 2, 15000}, {UNF_DFS, ADDITIONS, 200, 200}};

struct cost {
  uint64_t steps, calls, looks;
};

/* Finishes the run, or goes on to the next one, in calls as long as they are interrupted. What an
 * interrupted call of finish says of the run is what it came to. */
static struct cost complete(struct large *l, bool finish, bool interrupts) {
  struct cost cost = {.steps = l->context->work.steps};
  unf_status status = UNF_INTERRUPTED;
  watch_from_here(l, interrupts);
  for (; status == UNF_INTERRUPTED; cost.calls++) {
    unf_verdict v = {0};
    unf_run run;
    status = finish ? unf_explorer_finish(l->x, false, &v) : unf_explorer_next(l->x, &run);
    bool deadlock = l->deed == TURNS;
    if (!finish) continue;
    assert_true(v.deadlock == deadlock && v.complete == !deadlock && !v.error && !v.redundant);
    assert_int_equal(v.blocked, deadlock);
  }
  ok(status);
  cost.steps = l->context->work.steps - cost.steps;
  cost.looks = watch.looks;
  if (!interrupts) assert_true(watch.most_done <= BETWEEN && watch.most_steps <= BETWEEN);
  watch.of = NULL;
  return cost;
}

static void calls_go_on(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct cost alone[2], interrupted[2];
    unf_counts counts[2];
    for (unsigned interrupts = 0; interrupts < 2; interrupts++) {
      struct large l = {
          .deed = cases[i].deed, .threads_count = cases[i].threads, .steps = cases[i].steps};
      begin(&l, cases[i].algorithm, 0);
      for (unsigned next = 0; next < 2; next++)
        (interrupts ? interrupted : alone)[next] = complete(&l, !next, interrupts);
      unf_explorer_counts(l.x, &counts[interrupts]);
      end(&l);
    }
    for (unsigned next = 0; next < 2; next++) {
      assert_true(alone[next].looks >= alone[next].steps / BETWEEN);
      assert_true(interrupted[next].steps <= 2 * alone[next].steps);
      assert_true(interrupted[next].calls >= alone[next].steps / BETWEEN / 3);
    }
    assert_true(alone[0].steps + alone[1].steps > 2 * BETWEEN);
    assert_int_equal(counts[0].traces, counts[1].traces);
    assert_int_equal(counts[0].extensions, counts[1].extensions);
  }
}

/* Elementary steps of finish after one trace in which nothing could be otherwise. */
static uint64_t cost_of_one_trace(unf_algorithm algorithm, unsigned steps) {
  struct large l = {.deed = ADDITIONS, .threads_count = 2, .steps = steps};
  begin(&l, algorithm, 0);
  const struct cost cost = complete(&l, true, false);
  end(&l);
  return cost.steps;
}

static void one_trace(void **state) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_SDPOR, UNF_ODPOR, UNF_EAGER, UNF_DFS};
  (void)state;
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++) {
    uint64_t few = cost_of_one_trace(algorithms[i], 2000);
    uint64_t many = cost_of_one_trace(algorithms[i], 16000);
    assert_true(many <= 10 * few);
  }
}

/* Elementary steps of a call behind the last execution that may begin. What it came to is known
 * all the same. `goes_on`: another one may begin then. */
static uint64_t cost_behind_last(struct large *l, unf_algorithm algorithm, bool goes_on) {
  const unf_limits more = {.runs = 2};
  unf_verdict v;
  unf_run run;
  unf_counts counts;
  begin(l, algorithm, 1);
  l->context->work.behind = 1000;
  uint64_t before = l->context->work.steps;
  ok(unf_explorer_finish(l->x, false, &v));
  assert_true(v.deadlock && v.blocked == 1);
  uint64_t finish = l->context->work.steps - before;
  assert_int_equal(unf_explorer_next(l->x, &run), UNF_LIMIT);
  assert_non_null(strstr(unf_context_detail(l->context)->text, "1 runs allowed, 1 begun"));
  uint64_t next = l->context->work.steps - before - finish;
  ok(unf_context_set_limits(l->context, &more));
  if (goes_on) {
    ok(unf_explorer_next(l->x, &run));
    perform_all(l);
    ok(unf_explorer_finish(l->x, false, &v));
  }
  unf_explorer_counts(l->x, &counts);
  assert_int_equal(counts.executions, 1 + goes_on);
  assert_int_equal(counts.traces, 1 + goes_on);
  assert_int_equal(counts.deadlocks, 1 + goes_on);
  end(l);
  return finish > next ? finish : next;
}

static void behind_the_last_run(void **state) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_SDPOR, UNF_ODPOR, UNF_EAGER};
  (void)state;
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
    for (unsigned threads = 100; threads <= 200; threads += 100) {
      struct large l = {.deed = TURNS, .threads_count = threads};
      uint64_t cost = cost_behind_last(&l, algorithms[i], threads == 100);
      assert_true(cost <= 1000 + 2 * 3 * threads);
    }
}

/* The locks of a long execution could have been at a place each behind every unlock before them.
 * Finish looks for those of the first steps, next for those of the steps that it takes back. */
static void extended_when_left(void **state) {
  enum { AT_ONCE = 40 };
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_SDPOR};
  (void)state;
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
    for (unsigned threads = 100; threads <= 400; threads *= 2) {
      struct large l = {.deed = TURNS, .threads_count = threads};
      begin(&l, algorithms[i], 0);
      qpor_of(l.x)->extended_at_once = AT_ONCE;
      uint64_t before = l.context->work.steps;
      ok(unf_explorer_finish(l.x, false, NULL));
      assert_true(l.context->work.steps - before <= AT_ONCE * AT_ONCE + 10 * threads);
      for (unsigned run = 0; run < 10; run++) {
        unf_run ignored;
        before = l.context->work.steps;
        ok(unf_explorer_next(l.x, &ignored));
        perform_all(&l);
        ok(unf_explorer_finish(l.x, false, NULL));
        assert_true(l.context->work.steps - before <= 20 * threads);
      }
      end(&l);
    }
}

/* Its value would need four million threads that could act. It ends all the same, and the
 * exploration goes on without probes. */
static void a_probe_too_large(void **state) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  struct large l = {.deed = TURNS, .threads_count = MOST_THREADS};
  unf_estimate estimate;
  unf_counts counts;
  unf_verdict v;
  unf_run run;
  (void)state;
  options.probes = 100;
  begin_with(&l, &options, 0);
  ok(unf_explorer_finish(l.x, false, &v));
  uint64_t bytes = unf_context_bytes(l.context);
  ok(unf_explorer_next(l.x, &run));
  assert_true(run.probe);
  perform_all(&l);
  ok(unf_explorer_finish(l.x, false, &v));
  assert_true(v.probe && v.deadlock && v.blocked > 0);
  assert_true(unf_context_bytes(l.context) - bytes < 150u << 20);
  unf_explorer_estimate(l.x, &estimate);
  assert_true(estimate.samples == 0 && estimate.left == -1 && estimate.error == -1);
  ok(unf_explorer_next(l.x, &run));
  assert_false(run.probe);
  unf_explorer_counts(l.x, &counts);
  assert_true(counts.probes == 1 && counts.executions == 1);
  end(&l);
}

/* A store is reversed with each of n loads before it, and then follows all others: their names are
 * n long, and so is what is held for each of them. */
static void stores_after_loads(void **state) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_ODPOR};
  (void)state;
  for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
    for (uint64_t threads = 200; threads <= 400; threads *= 2) {
      struct large l = {.deed = LOADS, .threads_count = (unsigned)threads, .steps = 1};
      unf_counts counts;
      begin(&l, algorithms[i], 0);
      uint64_t bytes = unf_context_bytes(l.context);
      ok(unf_explorer_finish(l.x, false, NULL));
      assert_true(unf_context_bytes(l.context) - bytes <= 400 * threads * threads);
      unf_explorer_counts(l.x, &counts);
      assert_int_equal(counts.extensions, 2 * threads - 1);
      end(&l);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(calls_go_on),         cmocka_unit_test(one_trace),
      cmocka_unit_test(behind_the_last_run), cmocka_unit_test(extended_when_left),
      cmocka_unit_test(a_probe_too_large),   cmocka_unit_test(stores_after_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
