/* What finding the branches of an exploration costs, by counters: no order and no family makes it
 * grow faster than the work. */
#include "fixture.h"

/* What a thread does at a step of its own, in a program of a size; location is the first one. */
typedef unf_operation (*program)(uint32_t size, unf_object location, uint32_t thread,
                                 uint32_t step);

enum { MOST_THREADS = 9, LOCATIONS = 4 };

struct exploration {
  struct fixture f;
  unf_explorer *x;
  program next;
  unf_thread threads[MOST_THREADS];
  unf_object location;
  uint32_t size, count, steps[MOST_THREADS];
};

static void offer(struct exploration *e, uint32_t i) {
  unf_operation operation = e->next(e->size, e->location, i, e->steps[i]);
  ok(unf_explorer_offer(e->x, e->threads[i], &operation));
}

static bool run(struct exploration *e) {
  unf_run run;
  unf_step step;
  ok(unf_explorer_next(e->x, &run));
  if (run.finished) return false;
  memset(e->steps, 0, sizeof e->steps);
  for (uint32_t i = 0; i < e->count; i++)
    offer(e, i);
  for (;;) {
    uint32_t i = 0;
    ok(unf_explorer_step(e->x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    while (e->threads[i] != step.action.thread)
      i++;
    ok(unf_explorer_commit(e->x, NULL, 0));
    e->steps[i]++;
    offer(e, i);
  }
  ok(unf_explorer_finish(e->x, false, NULL));
  return true;
}

static void explore(program next, uint32_t size, uint32_t count, unf_order order, uint64_t traces,
                    unf_counts *counts) {
  struct exploration e = {.next = next, .size = size, .count = count};
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_object location;
  open_fixture(&e.f);
  e.threads[0] = e.f.main;
  for (uint32_t i = 1; i < count; i++) {
    ok(unf_thread_name(e.f.u, UNF_THREAD_NONE, i, &e.threads[i]));
    ok(unf_thread_start(e.f.u, e.threads[i]));
  }
  ok(unf_object_name(e.f.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &e.location));
  for (uint32_t i = 1; i < LOCATIONS; i++) {
    ok(unf_object_name(e.f.u, UNF_LOCATION, UNF_THREAD_NONE, i, &location));
    assert_int_equal(location, e.location + i);
  }
  options.order = order;
  options.seed = 7;
  ok(unf_explorer_new(e.f.u, &options, &e.x));
  while (run(&e))
    continue;
  unf_explorer_counts(e.x, counts);
  assert_int_equal(counts->traces, traces);
  assert_int_equal(counts->redundant, 0);
  unf_explorer_free(e.x);
  close_fixture(&e.f);
}

/* Pairs of threads that store to one location each, and one that reads all of these: six traces for
 * each pair. */
static unf_operation pairs_read(uint32_t pairs, unf_object location, uint32_t thread,
                                uint32_t step) {
  if (thread < 2 * pairs && step == 0)
    return unf_operation_make(UNF_STORE, location + thread / 2, thread, 0);
  if (thread == 2 * pairs && step < pairs)
    return unf_operation_make(UNF_LOAD, location + step, 0, 0);
  return unf_operation_make(UNF_EXIT, 0, 0, 0);
}

static void random_order_reads_no_more(void **state) {
  unf_counts breadth_first, random;
  (void)state;
  explore(pairs_read, 4, 9, UNF_ORDER_BREADTH_FIRST, 1296, &breadth_first);
  explore(pairs_read, 4, 9, UNF_ORDER_RANDOM, 1296, &random);
  assert_true(random.alternatives.read <= 3 * breadth_first.alternatives.read);
}

/* Two threads that add, which commutes. */
static unf_operation adders(uint32_t size, unf_object location, uint32_t thread, uint32_t step) {
  (void)thread;
  return step < size ? unf_operation_make(UNF_ADD, location, 1, 0)
                     : unf_operation_make(UNF_EXIT, 0, 0, 0);
}

static void commuting_additions_are_not_read(void **state) {
  unf_counts few, many;
  (void)state;
  explore(adders, 250, 2, UNF_ORDER_DEPTH_FIRST, 1, &few);
  explore(adders, 1000, 2, UNF_ORDER_DEPTH_FIRST, 1, &many);
  assert_true(many.alternatives.read <= 4 * few.alternatives.read + 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_order_reads_no_more),
      cmocka_unit_test(commuting_additions_are_not_read),
  };
  return cmocka_run_group_tests_name("branching", tests, NULL, NULL);
}
