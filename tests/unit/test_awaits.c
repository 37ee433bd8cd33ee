/*
 * Awaits beside commuting additions, which have many subsets and few executions; and the programs
 * by which the published algorithm loses executions, under both strategies and in every order of
 * the threads.
 */
#include "fixture.h"

enum { MOST = 65, STEPS = 4 };

/* Threads of straight-line code over two locations. */
struct program {
  unf_operation code[MOST][STEPS];
  uint32_t threads, lengths[MOST];
  uint64_t calls;
};

static void *count_calls(void *user, void *block, size_t old_size, size_t new_size) {
  (void)old_size;
  ++*(uint64_t *)user;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_ODPOR, UNF_EAGER};

static unf_counts explore_collecting(struct program *p, const uint32_t *order,
                                     unf_algorithm algorithm, uint64_t collect) {
  unf_context_options context_options = UNF_CONTEXT_OPTIONS_INIT;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread thread[MOST];
  unf_object location;
  unf_counts counts;
  unf_run run;
  p->calls = 0;
  context_options.allocator = (unf_allocator){count_calls, &p->calls};
  ok(unf_context_new(&context_options, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  for (uint32_t i = 0; i < 2; i++) /* handles 0 and 1, which the code names */
    ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, i, &location));
  for (uint32_t t = 0; t < p->threads; t++) {
    ok(unf_thread_name(u, UNF_THREAD_NONE, t, &thread[t]));
    ok(unf_thread_start(u, thread[t]));
  }
  options.algorithm = algorithm;
  options.collect = collect;
  options.collect_percent = 0;
  ok(unf_explorer_new(u, &options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    uint32_t pc[MOST] = {0};
    unf_operation end = UNF_OP_EXIT();
    unf_step step;
    for (uint32_t t = 0; t < p->threads; t++)
      ok(unf_explorer_offer(x, thread[t], &p->code[order[t]][0]));
    for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;
         ok(unf_explorer_step(x, &step))) {
      uint32_t t = step.action.thread, o = order[t];
      ok(unf_explorer_commit(x, NULL, 0));
      pc[t]++;
      ok(unf_explorer_offer(x, t, pc[t] < p->lengths[o] ? &p->code[o][pc[t]] : &end));
    }
    ok(unf_explorer_finish(x, false, NULL));
  }
  unf_explorer_counts(x, &counts);
  unf_explorer_free(x);
  unf_unfolding_free(u);
  unf_context_free(context);
  return counts;
}

static unf_counts explore(struct program *p, const uint32_t *order, unf_algorithm algorithm) {
  return explore_collecting(p, order, algorithm, 0);
}

static void add(struct program *p, uint32_t thread, unf_operation operation) {
  if (thread >= p->threads) p->threads = thread + 1;
  p->code[thread][p->lengths[thread]++] = operation;
}

static bool next_order(uint32_t *order, uint32_t count) {
  uint32_t i = count - 1, j = count - 1;
  while (i > 0 && order[i - 1] > order[i])
    i--;
  if (i == 0) return false;
  while (order[j] < order[i - 1])
    j--;
  uint32_t swap = order[i - 1];
  order[i - 1] = order[j];
  order[j] = swap;
  for (j = count - 1; i < j; i++, j--) {
    swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
  return true;
}

static void expect(struct program *p, uint64_t complete, uint64_t blocked) {
  uint32_t order[MOST];
  for (uint32_t i = 0; i < p->threads; i++)
    order[i] = i;
  do {
    for (int i = 0; i < 3; i++) {
      unf_counts c = explore(p, order, algorithms[i]);
      assert_int_equal(c.complete, complete);
      assert_int_equal(c.blocked, blocked);
      assert_int_equal(c.redundant, 0);
    }
  } while (next_order(order, p->threads));
}

enum { X, Y };

static void stopping_rule(void **state) {
  struct program p = {.threads = 0};
  (void)state;
  add(&p, 0, UNF_OP_ADD(X, 2));
  add(&p, 0, UNF_OP_STORE(X, 0));
  add(&p, 1, UNF_OP_ADD(X, 2));
  add(&p, 2, UNF_OP_AWAIT(X, UNF_EQUAL, 2));
  expect(&p, 4, 1);
}

static void reads_race_with_exchange_awaits(void **state) {
  struct program p = {.threads = 0};
  (void)state;
  add(&p, 0, UNF_OP_LOAD(X));
  add(&p, 0, UNF_OP_LOAD(X));
  add(&p, 1, UNF_OP_EXCHANGE_AWAIT(X, UNF_EQUAL, 0, 1));
  expect(&p, 3, 0);
}

static void values_where_they_stand(void **state) {
  struct program p = {.threads = 0}, q = {.threads = 0};
  (void)state;
  add(&p, 0, UNF_OP_ADD(X, 1));
  add(&p, 1, UNF_OP_ADD(X, 1));
  add(&p, 1, UNF_OP_EXCHANGE_AWAIT(X, UNF_EQUAL, 2, 1));
  add(&p, 2, UNF_OP_EXCHANGE_AWAIT(X, UNF_UNEQUAL, 2, 0));
  expect(&p, 2, 2);
  add(&q, 0, UNF_OP_ADD(X, 2));
  add(&q, 0, UNF_OP_EXCHANGE_AWAIT(X, UNF_AT_LEAST, 0, 1));
  add(&q, 1, UNF_OP_EXCHANGE_AWAIT(X, UNF_AT_MOST, 2, 2));
  add(&q, 2, UNF_OP_ADD(X, 2));
  expect(&q, 7, 1);
}

static void blocked_for_ever(void **state) {
  struct program p = {.threads = 0};
  (void)state;
  for (uint32_t t = 0; t < 2; t++) {
    add(&p, t, UNF_OP_STORE(t, 1));
    add(&p, t, UNF_OP_AWAIT(1 - t, UNF_EQUAL, 0));
    add(&p, t, UNF_OP_STORE(t, 0));
  }
  expect(&p, 2, 1);
}

static struct program additions(uint32_t count, unf_relation relation, int64_t value) {
  struct program p = {.threads = 0};
  for (uint32_t t = 0; t < count; t++)
    add(&p, t, UNF_OP_ADD(X, 1));
  add(&p, count, UNF_OP_AWAIT(X, relation, value));
  return p;
}

static uint64_t choose(uint64_t n, uint64_t k) {
  return k == 0 ? 1 : choose(n - 1, k - 1) * n / k;
}

/* The awaiting thread comes first or last. */
static void half_of_the_additions(void **state) {
  (void)state;
  for (uint32_t n = 4; n <= 10; n += 2) {
    struct program p = additions(n, UNF_EQUAL, n / 2);
    for (uint32_t shift = 0; shift < 2; shift++) {
      uint32_t order[MOST];
      for (uint32_t i = 0; i <= n; i++)
        order[i] = (i + shift * n) % (n + 1);
      for (int i = 0; i < 3; i++) {
        unf_counts c = explore(&p, order, algorithms[i]);
        assert_int_equal(c.complete, choose(n, n / 2));
        assert_int_equal(c.blocked, 1);
        assert_int_equal(c.redundant, 0);
      }
    }
  }
}

static void other_relations(void **state) {
  struct program p = additions(6, UNF_AT_LEAST, 3);
  (void)state;
  uint32_t order[MOST] = {0, 1, 2, 3, 4, 5, 6};
  assert_int_equal(explore(&p, order, UNF_ODPOR).complete, 42);
  p = additions(6, UNF_AT_MOST, 2);
  unf_counts c = explore(&p, order, UNF_ODPOR);
  assert_true(c.complete == 22 && c.blocked == 1);
  p = additions(6, UNF_UNEQUAL, 3);
  assert_int_equal(explore(&p, order, UNF_ODPOR).complete, 44);
}

/* Eager reversal keeps a bounded number of turns of a run, and finds the others again, also when
 * the events were freed in the meantime. */
static void more_turns_than_are_kept(void **state) {
  (void)state;
  for (uint64_t collect = 0; collect <= 100; collect += 100) {
    struct program p = additions(13, UNF_EQUAL, 6);
    uint32_t order[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    unf_counts c = explore_collecting(&p, order, UNF_EAGER, collect);
    assert_int_equal(c.complete, 1716);
    assert_int_equal(c.blocked, 1);
    assert_int_equal(c.redundant, 0);
    assert_true(c.waiting < 1100);
  }
}

/* One execution; the work grows with the square of the number, not with that of the subsets. */
static void all_of_many_additions(void **state) {
  uint64_t extensions[2], calls[2];
  (void)state;
  for (int a = 0; a < 3; a++) {
    for (int i = 0; i < 2; i++) {
      uint32_t n = i == 0 ? 32 : 64, order[MOST];
      struct program p = additions(n, UNF_EQUAL, n);
      for (uint32_t j = 0; j <= n; j++)
        order[j] = j;
      unf_counts c = explore(&p, order, algorithms[a]);
      assert_int_equal(c.complete, 1);
      assert_int_equal(c.executions, 1);
      extensions[i] = c.extensions;
      calls[i] = p.calls;
    }
    assert_true(extensions[1] <= 2 * extensions[0] + 2);
    assert_true(calls[1] <= 4 * calls[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopping_rule),           cmocka_unit_test(reads_race_with_exchange_awaits),
      cmocka_unit_test(values_where_they_stand), cmocka_unit_test(blocked_for_ever),
      cmocka_unit_test(half_of_the_additions),   cmocka_unit_test(other_relations),
      cmocka_unit_test(all_of_many_additions),   cmocka_unit_test(more_turns_than_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
