/* Operations where data choose a value of a range: values are drawn one by one, in every strategy
 * and order, and what a run costs does not grow with their number. */
#include "fixture.h"

/* Threads that each choose values of a range, one after the other. */
struct choosers {
  unf_thread threads[3];
  uint32_t count, choices;
  int64_t low, high;
};

struct exploration {
  struct fixture f;
  unf_explorer *x;
  const struct choosers *program;
  uint32_t done[3];
};

static unf_operation next_operation(const struct exploration *e, uint32_t i) {
  unf_operation choice = {UNF_LOCAL, 0, 0, e->program->low, e->program->high};
  unf_operation end = {UNF_EXIT, 0, 0, 0, 0};
  return e->done[i] < e->program->choices ? choice : end;
}

static void open_exploration(struct exploration *e, struct choosers *program,
                             unf_algorithm algorithm, unf_order order) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  memset(e, 0, sizeof *e);
  open_fixture(&e->f);
  e->program = program;
  program->threads[0] = e->f.main;
  for (uint32_t i = 1; i < program->count; i++) {
    ok(unf_thread_name(e->f.u, UNF_THREAD_NONE, i, &program->threads[i]));
    ok(unf_thread_start(e->f.u, program->threads[i]));
  }
  options.algorithm = algorithm;
  options.order = order;
  ok(unf_explorer_new(e->f.u, &options, &e->x));
}

static void close_exploration(struct exploration *e) {
  unf_explorer_free(e->x);
  close_fixture(&e->f);
}

static void offer(struct exploration *e, uint32_t i) {
  unf_operation operation = next_operation(e, i);
  ok(unf_explorer_offer(e->x, e->program->threads[i], &operation));
}

/* One execution; *last is the value that was chosen last. */
static bool run(struct exploration *e, int64_t *last) {
  unf_run run;
  unf_step step;
  ok(unf_explorer_next(e->x, &run));
  if (run.finished) return false;
  memset(e->done, 0, sizeof e->done);
  for (uint32_t i = 0; i < e->program->count; i++)
    offer(e, i);
  for (;;) {
    uint32_t i = 0;
    ok(unf_explorer_step(e->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    while (e->program->threads[i] != step.action.thread)
      i++;
    assert_true(step.action.value >= e->program->low && step.action.value <= e->program->high);
    *last = step.action.value;
    ok(unf_explorer_commit(e->x, NULL, 0));
    e->done[i]++;
    offer(e, i);
  }
  ok(unf_explorer_finish(e->x, false, NULL));
  return true;
}

static bool has_orders(unf_algorithm algorithm) {
  return algorithm != UNF_ODPOR && algorithm != UNF_EAGER;
}

static void explore(struct choosers *program, unf_algorithm algorithm, unf_order order,
                    uint64_t traces, unf_counts *counts) {
  struct exploration e;
  int64_t last;
  open_exploration(&e, program, algorithm, order);
  while (run(&e, &last))
    continue;
  ok(unf_check_explorer(e.x));
  unf_explorer_counts(e.x, counts);
  assert_int_equal(counts->traces, traces);
  if (algorithm != UNF_DFS) assert_int_equal(counts->redundant, 0);
  close_exploration(&e);
}

static void every_value_once(void **state) {
  struct choosers program = {.count = 1, .choices = 1, .low = -3, .high = 40};
  unf_counts counts;
  (void)state;
  for (unsigned a = 0; a < UNF_RANDOM; a++)
    for (unsigned o = 0; o < UNF_ORDER_CHOSEN && (o == 0 || has_orders((unf_algorithm)a)); o++) {
      explore(&program, (unf_algorithm)a, (unf_order)o, 44, &counts);
      assert_int_equal(counts.executions, 44);
      assert_int_equal(counts.extensions, 44);
    }
}

static void every_combination_once(void **state) {
  struct choosers program = {.count = 3, .choices = 2, .low = 0, .high = 1};
  struct choosers wide = {.count = 2, .choices = 1, .low = 0, .high = 19};
  unf_counts counts;
  (void)state;
  for (unsigned a = 0; a < UNF_RANDOM; a++)
    for (unsigned o = 0; o < UNF_ORDER_CHOSEN && (o == 0 || has_orders((unf_algorithm)a)); o++) {
      explore(&program, (unf_algorithm)a, (unf_order)o, 64, &counts);
      explore(&wide, (unf_algorithm)a, (unf_order)o, 400, &counts);
    }
}

/* What finding the branches costs is counted, not timed: four times the values, four times the
 * cost, but for what little there is at the end. */
static void cost_follows_the_values(void **state) {
  struct choosers few = {.count = 1, .choices = 1, .low = 0, .high = 499};
  struct choosers many = {.count = 1, .choices = 1, .low = 0, .high = 1999};
  unf_counts small, large;
  (void)state;
  for (unsigned a = 0; a < UNF_RANDOM; a++) {
    explore(&few, (unf_algorithm)a, UNF_ORDER_DEPTH_FIRST, 500, &small);
    explore(&many, (unf_algorithm)a, UNF_ORDER_DEPTH_FIRST, 2000, &large);
    assert_true(large.alternatives.read <= 5 * small.alternatives.read);
    assert_true(large.alternatives.spikes <= 5 * small.alternatives.spikes);
    assert_true(large.alternatives.searches <= 5 * small.alternatives.searches);
    assert_true(large.reversals <= 5 * small.reversals);
    assert_true(large.turns_tested <= 5 * small.turns_tested);
    assert_true(large.extensions <= 2001);
  }
}

/* 2^64 values; those that are asked for are made. */
static void the_whole_range(void **state) {
  struct choosers program = {.count = 1, .choices = 1, .low = INT64_MIN, .high = INT64_MAX};
  struct choosers two = {.count = 2, .choices = 1, .low = INT64_MIN, .high = INT64_MAX};
  (void)state;
  for (unsigned a = 0; a < UNF_RANDOM; a++)
    for (unsigned o = 0; o < UNF_ORDER_CHOSEN && (o == 0 || has_orders((unf_algorithm)a)); o++) {
      struct exploration e;
      int64_t last = 0, before = INT64_MIN;
      unf_counts counts;
      open_exploration(&e, &program, (unf_algorithm)a, (unf_order)o);
      for (uint32_t i = 0; i < 300; i++, before = last) {
        assert_true(run(&e, &last));
        assert_true(i == 0 || last != before);
      }
      unf_explorer_counts(e.x, &counts);
      assert_int_equal(counts.traces, 300);
      assert_true(unf_unfolding_events(e.f.u) < 400);
      close_exploration(&e);
      open_exploration(&e, &two, (unf_algorithm)a, (unf_order)o);
      for (uint32_t i = 0; i < 300; i++)
        assert_true(run(&e, &last));
      close_exploration(&e);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_once),
      cmocka_unit_test(every_combination_once),
      cmocka_unit_test(cost_follows_the_values),
      cmocka_unit_test(the_whole_range),
  };
  return cmocka_run_group_tests_name("siblings", tests, NULL, NULL);
}
