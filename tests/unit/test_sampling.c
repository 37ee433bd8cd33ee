/* Executions that are drawn: random walks and PCT. */
#include "fixture.h"

enum { THREADS = 4, STEPS = 4 };

/* Threads of straight-line code that run from the start. */
struct program {
  uint32_t threads, lengths[THREADS];
  unf_operation code[THREADS][STEPS];
};

struct made {
  unf_counts counts;
  unf_sampling sampling;
  uint64_t sequence;       /* of all steps, as a number */
  uint64_t bytes;          /* the most between two executions */
  int64_t least, greatest; /* value of an action */
};

static void one_run(const struct program *p, unf_explorer *x, struct made *out) {
  uint32_t at[THREADS] = {0};
  unf_operation end = UNF_OP_EXIT();
  unf_step step;
  unf_verdict verdict;
  for (uint32_t t = 0; t < p->threads; t++)
    ok(unf_explorer_offer(x, t, &p->code[t][0]));
  for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;
       ok(unf_explorer_step(x, &step))) {
    uint32_t t = step.action.thread;
    ok(unf_explorer_commit(x, NULL, 0));
    out->sequence = (out->sequence ^ t) * 0x100000001b3u + (uint64_t)step.action.value + 1;
    if (step.action.value < out->least) out->least = step.action.value;
    if (step.action.value > out->greatest) out->greatest = step.action.value;
    at[t]++;
    ok(unf_explorer_offer(x, t, at[t] < p->lengths[t] ? &p->code[t][at[t]] : &end));
  }
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  ok(unf_explorer_finish(x, false, &verdict));
  assert_false(verdict.redundant);
}

/* Explores with the objects 0 and 1: locations of eight bytes that have none in common; 2 and 3:
 * mutexes; 4: a location that shares them with 0. */
static void explore(const struct program *p, const unf_explorer_options *options,
                    struct made *out) {
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_object object[5];
  unf_thread thread;
  unf_run run;
  memset(out, 0, sizeof *out);
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  for (uint32_t i = 0; i < 5; i++)
    ok(unf_object_name(u, i == 2 || i == 3 ? UNF_MUTEX : UNF_LOCATION, UNF_THREAD_NONE, i,
                       &object[i]));
  ok(unf_location_place(u, object[4], object[0], 0, 8));
  ok(unf_location_place(u, object[0], object[0], 0, 8));
  for (uint32_t t = 0; t < p->threads; t++) {
    ok(unf_thread_name(u, UNF_THREAD_NONE, t, &thread));
    ok(unf_thread_start(u, thread));
  }
  ok(unf_explorer_new(u, options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    if (options->algorithm >= UNF_RANDOM) assert_int_equal(run.decided + run.shared, 0);
    uint64_t bytes = unf_context_bytes(context);
    if (bytes > out->bytes) out->bytes = bytes;
    one_run(p, x, out);
  }
  unf_explorer_counts(x, &out->counts);
  if (options->algorithm >= UNF_RANDOM) ok(unf_explorer_sampling(x, &out->sampling));
  unf_explorer_free(x);
  ok(unf_check_unfolding(u));
  unf_unfolding_free(u);
  unf_context_free(context);
}

static void add(struct program *p, uint32_t thread, unf_operation operation) {
  if (thread >= p->threads) p->threads = thread + 1;
  p->code[thread][p->lengths[thread]++] = operation;
}

/* Two threads with the two mutexes in two orders, one that stores and one that waits for it. */
static struct program mixed(void) {
  struct program p = {0};
  for (uint32_t t = 0; t < 2; t++) {
    add(&p, t, UNF_OP_LOCK(t == 0 ? 2 : 3));
    add(&p, t, UNF_OP_LOCK(t == 0 ? 3 : 2));
    add(&p, t, UNF_OP_UNLOCK(t == 0 ? 3 : 2));
    add(&p, t, UNF_OP_UNLOCK(t == 0 ? 2 : 3));
  }
  add(&p, 2, UNF_OP_STORE(0, 1));
  add(&p, 3, UNF_OP_AWAIT(4, UNF_EQUAL, 1));
  add(&p, 3, UNF_OP_LOAD(1));
  return p;
}

static unf_explorer_options drawing(unf_algorithm algorithm, uint64_t runs) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = algorithm;
  options.runs = runs;
  return options;
}

static void every_trace_is_found(void **state) {
  (void)state;
  struct program p = mixed();
  struct made all, some;
  explore(&p, &(unf_explorer_options)UNF_EXPLORER_OPTIONS_INIT, &all);
  assert_int_equal(all.counts.traces, 3);
  assert_int_equal(all.counts.blocked, 1);
  for (unf_algorithm a = UNF_RANDOM; a <= UNF_PCT; a++) {
    unf_explorer_options options = drawing(a, 200);
    explore(&p, &options, &some);
    assert_int_equal(some.counts.traces, 3);
    assert_int_equal(some.counts.events, all.counts.events);
    uint64_t made = a == UNF_PCT ? 210 : 200;
    assert_int_equal(some.counts.executions, made);
    assert_int_equal(some.counts.redundant, made - 3);
    assert_int_equal(some.counts.complete + some.counts.blocked, made);
    assert_int_equal(some.counts.deadlocks, some.counts.blocked);
    assert_true(some.counts.blocked > 1);
    assert_int_equal(some.sampling.executions, made);
    assert_int_equal(some.sampling.measured, a == UNF_PCT ? 10 : 0);
    assert_int_equal(some.sampling.threads, 4);
    assert_int_equal(some.sampling.longest, 11);
    assert_false(some.sampling.drawn);
  }
}

static void the_seed_decides(void **state) {
  (void)state;
  struct program p = mixed();
  struct made one, other;
  for (unf_algorithm a = UNF_RANDOM; a <= UNF_PCT; a++) {
    unf_explorer_options options = drawing(a, 30);
    explore(&p, &options, &one);
    explore(&p, &options, &other);
    assert_int_equal(one.sequence, other.sequence);
    options.seed = 1;
    explore(&p, &options, &other);
    assert_int_not_equal(one.sequence, other.sequence);
    options.collect = 1;
    options.collect_percent = 0;
    explore(&p, &options, &one);
    assert_int_equal(one.sequence, other.sequence);
  }
}

/* Beside the names of actions, all of which are met by then. */
static void memory_is_that_of_one_run(void **state) {
  (void)state;
  struct program p = mixed();
  struct made few, many;
  add(&p, 2, UNF_OP_LOCAL(0, 3));
  add(&p, 2, UNF_OP_STORE(1, 1));
  for (unf_algorithm a = UNF_RANDOM; a <= UNF_PCT; a++) {
    unf_explorer_options options = drawing(a, 100);
    options.collect = 1;
    options.collect_percent = 0;
    explore(&p, &options, &few);
    options.runs = 3000;
    explore(&p, &options, &many);
    assert_int_equal(few.bytes, many.bytes);
  }
}

/* Where the values of a choice are drawn executions differ by more than their schedules. */
static void values_are_drawn(void **state) {
  (void)state;
  struct program p = {0};
  struct made made;
  add(&p, 0, UNF_OP_LOCAL(INT64_MIN, INT64_MAX));
  unf_explorer_options options = drawing(UNF_PCT, 100);
  explore(&p, &options, &made);
  assert_true(made.sampling.drawn);
  assert_true(made.sampling.bound < 0);
  assert_true(made.least < INT64_MIN / 2 && made.greatest > INT64_MAX / 2);
  assert_int_equal(made.counts.traces, 110);
  p.code[0][0] = UNF_OP_LOCAL(-1, 1);
  explore(&p, &options, &made);
  assert_true(made.sampling.drawn);
  assert_int_equal(made.least, -1);
  assert_int_equal(made.greatest, 1);
  assert_int_equal(made.counts.traces, 3);
  p.code[0][0] = UNF_OP_LOCAL(7, 7);
  explore(&p, &options, &made);
  assert_false(made.sampling.drawn);
}

static void the_bound(void **state) {
  (void)state;
  struct program p = mixed();
  struct made made;
  unf_explorer_options options = drawing(UNF_PCT, 20);
  explore(&p, &options, &made);
  assert_int_equal(made.sampling.steps, 11);
  assert_int_equal(made.sampling.depth, 3);
  assert_true(made.sampling.bound == 1.0 / 4 / 11 / 11);
  options.steps = 20;
  options.depth = 1;
  explore(&p, &options, &made);
  assert_int_equal(made.sampling.measured, 0);
  assert_int_equal(made.counts.executions, 20);
  assert_true(made.sampling.bound == 1.0 / 4);
  options.depth = UNF_MAX_DEPTH;
  options.steps = 10; /* fewer than there are */
  explore(&p, &options, &made);
  assert_true(made.sampling.bound < 0);
  explore(&p, &(unf_explorer_options)UNF_EXPLORER_OPTIONS_INIT, &made);
}

static void without_steps(void **state) {
  (void)state;
  struct program p = {.threads = 1};
  struct made made;
  unf_explorer_options options = drawing(UNF_PCT, 5);
  p.code[0][0] = UNF_OP_EXIT();
  explore(&p, &options, &made);
  assert_int_equal(made.counts.traces, 1);
  assert_int_equal(made.counts.executions, 15);
  assert_true(made.sampling.bound == 1);
}

static void what_is_refused(void **state) {
  (void)state;
  struct fixture f;
  unf_explorer *x;
  unf_sampling sampling;
  unf_estimate estimate;
  unf_run run;
  open_fixture(&f);
  for (unf_algorithm a = UNF_RANDOM; a <= UNF_PCT; a++) {
    unf_explorer_options options = drawing(a, 0);
    fails(UNF_INVALID, unf_explorer_new(f.u, &options, &x));
    options = drawing(a, 1);
    options.depth = UNF_MAX_DEPTH + 1;
    fails(UNF_INVALID, unf_explorer_new(f.u, &options, &x));
    options.depth = 0;
    fails(UNF_INVALID, unf_explorer_new(f.u, &options, &x));
    options = drawing(a, 1);
    options.order = UNF_ORDER_RANDOM;
    fails(UNF_UNSUPPORTED, unf_explorer_new(f.u, &options, &x));
    options = drawing(a, 1);
    options.max_switches = 3;
    fails(UNF_UNSUPPORTED, unf_explorer_new(f.u, &options, &x));
    options = drawing(a, 1);
    ok(unf_explorer_new(f.u, &options, &x));
    ok(unf_explorer_sampling(x, &sampling));
    assert_true(sampling.executions == 0 && sampling.bound < 0);
    ok(unf_explorer_next(x, &run));
    fails(UNF_UNSUPPORTED, unf_explorer_block(x, f.main, true));
    unf_explorer_estimate(x, &estimate);
    assert_true(estimate.left < 0);
    unf_explorer_free(x);
  }
  ok(unf_explorer_new(f.u, NULL, &x));
  fails(UNF_UNSUPPORTED, unf_explorer_sampling(x, &sampling));
  unf_explorer_free(x);
  close_fixture(&f);
}

/* The run is made again as it was. */
static void abandoned_runs(void **state) {
  (void)state;
  struct fixture f;
  unf_explorer *x;
  unf_run run;
  unf_step step[2];
  unf_estimate estimate;
  unf_operation end = UNF_OP_EXIT();
  open_fixture(&f);
  for (unf_algorithm a = UNF_RANDOM; a <= UNF_PCT; a++) {
    unf_explorer_options options = drawing(a, 3);
    options.steps = 1;
    ok(unf_explorer_new(f.u, &options, &x));
    unsigned made = 0;
    for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
      unf_operation values = UNF_OP_LOCAL(0, 1000000);
      for (unsigned i = 0; i < 2; i++) {
        if (i > 0) unf_explorer_abandon(x);
        if (i > 0) ok(unf_explorer_next(x, &run));
        ok(unf_explorer_offer(x, f.main, &values));
        ok(unf_explorer_step(x, &step[i]));
      }
      assert_int_equal(step[0].action.value, step[1].action.value);
      ok(unf_explorer_commit(x, NULL, 0));
      ok(unf_explorer_offer(x, f.main, &end));
      ok(unf_explorer_step(x, &step[0]));
      ok(unf_explorer_finish(x, false, NULL));
      made++;
    }
    assert_int_equal(made, 3);
    unf_explorer_estimate(x, &estimate);
    assert_true(estimate.left < 0);
    unf_explorer_free(x);
  }
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_trace_is_found),
      cmocka_unit_test(the_seed_decides),
      cmocka_unit_test(memory_is_that_of_one_run),
      cmocka_unit_test(values_are_drawn),
      cmocka_unit_test(the_bound),
      cmocka_unit_test(without_steps),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(abandoned_runs),
  };
  return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
