/* Branches and their predicate: what is refused, with which words, and the simplest program. The
 * explorations are compared with the oracle by tests/random/inputs.c. */
#include "fixture.h"

/* Two tests of one input, 0 or 1: term 7 is x == 0, term 8 is x == 1. */
struct solver {
  unf_unfolding *u;
  unsigned calls, forgotten;
  bool silent; /* it never knows */
};

static bool holds(void *user, uint64_t witness, unf_event event) {
  const struct solver *s = user;
  unf_literal literal;
  ok(unf_event_literal(s->u, event, &literal));
  assert_int_equal(literal.outcomes, 2);
  uint64_t x = witness - 1;
  return ((x == 0) == (literal.term == 7)) == (literal.outcome == 1);
}

static unf_answer consistent(void *user, const unf_event *events, uint64_t count, uint64_t known,
                             unf_event *core, uint64_t *core_count, uint64_t *witness) {
  struct solver *s = user;
  s->calls++;
  assert_true(known < count || known == 0);
  if (s->silent) return UNF_ANSWER_UNKNOWN;
  for (uint64_t value = 1; value <= 2; value++) {
    uint64_t i = 0;
    while (i < count && holds(s, value, events[i]))
      i++;
    if (i < count) continue;
    *witness = value;
    return UNF_ANSWER_YES;
  }
  memcpy(core, events, count * sizeof *core);
  *core_count = count;
  return UNF_ANSWER_NO;
}

static void forget(void *user, uint64_t witness) {
  assert_true(witness != UNF_WITNESS_NONE);
  ((struct solver *)user)->forgotten++;
}

static unf_consistency predicate_of(struct solver *s) {
  unf_consistency c = UNF_CONSISTENCY_INIT;
  c.consistent = consistent;
  c.holds = holds;
  c.forget = forget;
  c.user = s;
  return c;
}

static unf_status offered(struct fixture *f, unf_operation operation) {
  unf_configuration *c;
  ok(unf_configuration_new(f->u, &c));
  unf_status status = unf_configuration_offer(c, f->main, &operation);
  unf_configuration_free(c);
  return status;
}

static void predicates_of_unfoldings(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_consistency_counts counts;
  (void)state;
  open_fixture(&f);
  fails(UNF_UNSUPPORTED, offered(&f, UNF_OP_BRANCH(7, 2)));
  assert_string_equal(unf_context_detail(f.context)->text,
                      "not supported: a branch without unf_unfolding_set_consistency()");
  c.size++;
  fails(UNF_INVALID, unf_unfolding_set_consistency(f.u, &c));
  c.size--;
  c.consistent = NULL;
  fails(UNF_INVALID, unf_unfolding_set_consistency(f.u, &c));
  c.consistent = consistent;
  ok(unf_unfolding_set_consistency(f.u, &c));
  fails(UNF_STATE, unf_unfolding_set_consistency(f.u, &c));
  fails(UNF_INVALID, offered(&f, UNF_OP_BRANCH(7, 0)));
  fails(UNF_INVALID, offered(&f, UNF_OP_BRANCH(7, UINT32_MAX)));
  ok(offered(&f, UNF_OP_BRANCH(7, 2)));
  fails(UNF_NONDETERMINISM, offered(&f, UNF_OP_BRANCH(8, 2)));
  unf_unfolding_consistency_counts(f.u, &counts);
  assert_int_equal(counts.questions, 0);
  close_fixture(&f);
  open_fixture(&f);
  ok(offered(&f, UNF_OP_EXIT()));
  fails(UNF_STATE, unf_unfolding_set_consistency(f.u, &c));
  close_fixture(&f);
}

static void literals(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_configuration *C;
  unf_literal literal;
  unf_answer answer;
  struct events events = {{0}, 0};
  unf_event plain;
  unf_action action;
  unf_operation branch = UNF_OP_BRANCH(7, 2), lock = UNF_OP_LOCK(0), exit = UNF_OP_EXIT();
  (void)state;
  open_fixture(&f);
  s.u = f.u;
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_offer(C, f.main, &branch));
  ok(unf_check_independence(C));
  action = did(UNF_DID_BRANCH, f.main, 0, 2);
  fails(UNF_DIVERGENCE, unf_configuration_perform(C, &action, &plain));
  unf_event test = perform(C, UNF_DID_BRANCH, f.main, 0, 1);
  ok(unf_event_literal(f.u, test, &literal));
  assert_true(literal.term == 7 && literal.outcome == 1 && literal.outcomes == 2);
  fails(UNF_INVALID, unf_event_literal(f.u, UNF_EVENT_BOTTOM, &literal));
  fails(UNF_UNKNOWN, unf_event_literal(f.u, 99, &literal));
  lock.target = f.m;
  ok(unf_configuration_offer(C, f.main, &lock));
  plain = perform(C, UNF_DID_ACQUIRE, f.main, f.m, 0);
  fails(UNF_INVALID, unf_event_literal(f.u, plain, &literal));
  branch = UNF_OP_BRANCH(8, 2);
  ok(unf_configuration_offer(C, f.main, &branch));
  ok(unf_extensions_enabled(C, collect_event, &events));
  assert_int_equal(events.count, 1);
  ok(unf_event_literal(f.u, events.event[0], &literal));
  assert_true(literal.term == 8 && literal.outcome == 0);
  ok(unf_configuration_consistent(C, &answer));
  assert_int_equal(answer, UNF_ANSWER_YES);
  perform(C, UNF_DID_BRANCH, f.main, 0, 1);
  ok(unf_configuration_offer(C, f.main, &exit));
  ok(unf_configuration_consistent(C, &answer));
  assert_int_equal(answer, UNF_ANSWER_NO);
  unsigned calls = s.calls;
  ok(unf_configuration_consistent(C, &answer));
  assert_int_equal(answer, UNF_ANSWER_NO);
  assert_int_equal(s.calls, calls);
  ok(unf_check_configuration(C));
  ok(unf_check_unfolding(f.u));
  unf_configuration_free(C);
  close_fixture(&f);
  assert_true(s.forgotten > 0);
}

/* Without witnesses: what was answered with YES is not asked about again, just that and as often as
 * it comes; and after all sets were forgotten once there was no more room for them. */
static void what_is_remembered(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_consistency_counts counts;
  unf_configuration *C;
  unf_answer answer;
  (void)state;
  open_fixture(&f);
  s.u = f.u;
  c.holds = NULL;
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_configuration_new(f.u, &C));
  for (unsigned round = 0; round < 2; round++) {
    unf_configuration_clear(C);
    for (unsigned i = 0; i < 400; i++) {
      const unf_operation branch = UNF_OP_BRANCH(i % 2 == 0 ? 7 : 8, 2);
      ok(unf_configuration_offer(C, f.main, &branch));
      perform(C, UNF_DID_BRANCH, f.main, 0, i % 2);
      for (unsigned again = 0; again < 2; again++) {
        ok(unf_configuration_consistent(C, &answer));
        assert_int_equal(answer, UNF_ANSWER_YES);
      }
    }
  }
  unf_unfolding_consistency_counts(f.u, &counts);
  assert_int_equal(counts.questions, 1600);
  assert_int_equal(counts.remembered, 1600 - counts.calls);
  assert_true(counts.calls > 400 && counts.calls <= 800);
  unf_configuration_free(C);
  close_fixture(&f);
}

/* Terms 10 and 11 are switches over x and y, from 0 to 2 each; term 12 has outcome 0 where both are
 * 1, else 1 or 2 by whether x is 0. */
static unf_answer of_switches(void *user, const unf_event *events, uint64_t count, uint64_t known,
                              unf_event *core, uint64_t *core_count, uint64_t *witness) {
  struct solver *s = user;
  (void)known, (void)core, (void)core_count, (void)witness;
  s->calls++;
  for (uint32_t values = 0; values < 9; values++) {
    uint32_t x = values / 3, y = values % 3, i = 0;
    for (; i < count; i++) {
      unf_literal literal;
      ok(unf_event_literal(s->u, events[i], &literal));
      uint32_t both = x == 1 && y == 1 ? 0 : 1 + (x == 0);
      if (literal.outcome != (literal.term == 10 ? x : literal.term == 11 ? y : both)) break;
    }
    if (i == count) return UNF_ANSWER_YES;
  }
  return UNF_ANSWER_NO;
}

/* Outcome 0 of each is in D. With x = 1, the outcomes of the second and the third that are tried
 * first go with x each, and not together; that they failed so must not be remembered for others. */
static void combs(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = UNF_CONSISTENCY_INIT;
  unf_configuration *C, *J;
  unf_event U[9], D[3];
  (void)state;
  open_fixture(&f);
  s.u = f.u;
  c.consistent = of_switches;
  c.user = &s;
  const unf_thread threads[] = {f.main, f.left, f.right};
  ok(unf_unfolding_set_consistency(f.u, &c));
  for (unsigned i = 1; i < 3; i++)
    ok(unf_thread_start(f.u, threads[i]));
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_new(f.u, &J));
  for (unsigned i = 0; i < 9; i++) {
    unf_operation branch = UNF_OP_BRANCH(10 + i / 3, 3);
    ok(unf_configuration_offer(J, threads[i / 3], &branch));
    unf_configuration_clear(J);
    U[i] = perform(J, UNF_DID_BRANCH, threads[i / 3], 0, i % 3);
    unf_configuration_clear(J);
    if (i % 3 == 0) D[i / 3] = U[i];
  }
  for (uint32_t k = 1; k <= 4; k++) {
    for (unsigned order = 0; order < 2; order++) {
      unf_alternative_options options = UNF_ALTERNATIVE_OPTIONS_INIT;
      unf_answer answer;
      bool found;
      options.k = k < 4 ? k : UNF_K_OPTIMAL;
      options.candidates = order == 0 ? UNF_CANDIDATES_NEWEST : UNF_CANDIDATES_OLDEST;
      ok(unf_alternative_find(f.u, U, 9, C, D, 3, &options, &found, J, NULL));
      assert_true(found);
      ok(unf_configuration_consistent(J, &answer));
      assert_int_equal(answer, UNF_ANSWER_YES);
      assert_true(unf_configuration_size(J) >= (k < 3 ? k : 3));
    }
  }
  /* Beside x = 1 the three outcomes 1 cannot be, and there are no others: no alternative. */
  const unf_event few[] = {U[1], U[4], U[7]};
  bool found;
  ok(unf_alternative_find(f.u, few, 3, C, D, 3, NULL, &found, J, NULL));
  assert_false(found);
  unf_configuration_free(J);
  unf_configuration_free(C);
  close_fixture(&f);
}

static bool count_outcome(void *user, const unf_reversal *reversal) {
  unsigned *seen = user;
  assert_int_equal(reversal->count, 1);
  assert_int_equal(reversal->sequence[0], reversal->event);
  seen[reversal->position]++;
  return true;
}

/* Main tests x == 0, then x == 1: the other outcome of the second test excludes the first one. */
static void reversals(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_configuration *C;
  unf_operation branch = UNF_OP_BRANCH(7, 2), end = UNF_OP_EXIT();
  unf_event execution[2];
  unsigned seen[2] = {0};
  (void)state;
  open_fixture(&f);
  s.u = f.u;
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_offer(C, f.main, &branch));
  execution[0] = perform(C, UNF_DID_BRANCH, f.main, 0, 1);
  branch = UNF_OP_BRANCH(8, 2);
  ok(unf_configuration_offer(C, f.main, &branch));
  execution[1] = perform(C, UNF_DID_BRANCH, f.main, 0, 0);
  ok(unf_configuration_offer(C, f.main, &end));
  ok(unf_execution_reversals(f.u, execution, 2, count_outcome, seen));
  assert_true(seen[0] == 1 && seen[1] == 0);
  unf_configuration_free(C);
  close_fixture(&f);
}

/* A table of cutoffs wants conditions where there is a predicate, and only there. Equal changes
 * under different conditions lead to different states. */
static void cutoffs_have_conditions(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_configuration *C;
  unf_cutoffs *table;
  unf_cutoff_verdict verdict;
  unf_operation branch = UNF_OP_BRANCH(7, 2);
  unf_fingerprint change = UNF_FINGERPRINT_INIT, one = UNF_FINGERPRINT_INIT, other = one;
  (void)state;
  open_fixture(&f);
  s.u = f.u;
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &one, 1, "1", 1));
  ok(unf_fingerprint_toggle(UNF_HASH_FAST, &other, 1, "2", 1));
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_cutoffs_new(f.u, UNF_CUTOFFS_ERV, &table));
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_offer(C, f.main, &branch));
  const unf_event yes = perform(C, UNF_DID_BRANCH, f.main, 0, 1);
  unf_configuration_clear(C);
  const unf_event no = perform(C, UNF_DID_BRANCH, f.main, 0, 0);
  fails(UNF_UNSUPPORTED, unf_cutoffs_add(table, yes, &change, NULL));
  fails(UNF_INVALID, unf_cutoffs_add_under(table, yes, &change, NULL, NULL));
  ok(unf_cutoffs_add_under(table, yes, &change, &one, &verdict));
  assert_int_equal(verdict, UNF_CUTOFF_KEPT);
  ok(unf_cutoffs_add_under(table, yes, &change, &one, NULL));
  fails(UNF_NONDETERMINISM, unf_cutoffs_add_under(table, yes, &change, &other, NULL));
  ok(unf_cutoffs_add_under(table, no, &change, &other, &verdict));
  assert_int_equal(verdict, UNF_CUTOFF_KEPT);
  ok(unf_check_cutoffs(table));
  unf_cutoffs_free(table);
  unf_configuration_free(C);
  close_fixture(&f);
  open_fixture(&f);
  ok(unf_cutoffs_new(f.u, UNF_CUTOFFS_ERV, &table));
  fails(UNF_UNSUPPORTED, unf_cutoffs_add_under(table, yes, &change, &one, NULL));
  unf_cutoffs_free(table);
  close_fixture(&f);
}

/* A branch in a schedule is its outcome; the term is not in it. */
static void schedules(void **state) {
  struct fixture f;
  struct collected text = {0};
  unf_schedule *written, *read;
  unf_action action = {UNF_DID_BRANCH, 0, 0, 0, 1}, back;
  (void)state;
  open_fixture(&f);
  action.thread = f.left;
  ok(unf_schedule_new(f.u, "p", &written));
  ok(unf_schedule_append(written, &action));
  ok(unf_schedule_write(written, collect, &text));
  assert_non_null(strstr(text.text, "0.0 branch 1\n"));
  ok(unf_schedule_read(f.u, text.text, text.size, &read));
  ok(unf_schedule_step(read, 0, &back));
  assert_memory_equal(&back, &action, sizeof back);
  unf_schedule_free(read);
  unf_schedule_free(written);
  free(text.text);
  close_fixture(&f);
}

static void refuses(unf_unfolding *u, const unf_explorer_options *options, const char *text) {
  unf_explorer *x;
  fails(UNF_UNSUPPORTED, unf_explorer_new(u, options, &x));
  assert_non_null(strstr(unf_context_detail(unf_unfolding_context(u))->text, text));
}

static bool visit_action(void *user, const unf_action *action) {
  (void)user, (void)action;
  return true;
}

static void what_is_not_combined(void **state) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = predicate_of(&s);
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *x;
  struct collected text = {0};
  (void)state;
  open_fixture(&f);
  ok(unf_unfolding_set_consistency(f.u, &c));
  options.probes = 2;
  refuses(f.u, &options, "probes 2 with unf_unfolding_set_consistency()");
  options.probes = 0;
  options.runs = 1;
  options.algorithm = UNF_RANDOM;
  refuses(f.u, &options, "algorithm random with unf_unfolding_set_consistency()");
  options.algorithm = UNF_PCT;
  refuses(f.u, &options, "algorithm pct with unf_unfolding_set_consistency()");
  options = (unf_explorer_options)UNF_EXPLORER_OPTIONS_INIT;
  ok(unf_explorer_new(f.u, &options, &x));
  fails(UNF_UNSUPPORTED, unf_explorer_write(x, collect, &text));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "unf_unfolding_set_consistency()"));
  ok(unf_explorer_prefix(x, visit_action, NULL, NULL));
  fails(UNF_UNSUPPORTED, unf_explorer_feed(x, NULL, 0, NULL, 0, false, NULL));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "unf_unfolding_set_consistency()"));
  unf_explorer_free(x);
  options.cutoffs = UNF_CUTOFFS_SIZE;
  ok(unf_explorer_new(f.u, &options, &x));
  fails(UNF_UNSUPPORTED, unf_pnml_prefix(unf_explorer_cutoffs(x), NULL, collect, &text));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "a net with literals"));
  assert_int_equal(text.size, 0);
  unf_explorer_free(x);
  close_fixture(&f);
}

/* Main tests x == 0, then x == 1: two executions. */
static void explore(unf_algorithm algorithm, bool silent, unf_counts *counts) {
  struct fixture f;
  struct solver s = {.silent = silent};
  unf_consistency c = predicate_of(&s);
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *x;
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  open_fixture(&f);
  s.u = f.u;
  options.algorithm = algorithm;
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_explorer_new(f.u, &options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    const unf_operation program[] = {UNF_OP_BRANCH(7, 2), UNF_OP_BRANCH(8, 2), UNF_OP_EXIT()};
    unsigned at = 0;
    ok(unf_explorer_offer(x, f.main, &program[0]));
    for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;) {
      ok(unf_explorer_commit(x, &step.action, 0));
      ok(unf_explorer_offer(x, f.main, &program[++at]));
      ok(unf_explorer_step(x, &step));
    }
    ok(unf_explorer_finish(x, false, &verdict));
    assert_true(verdict.complete);
    assert_int_equal(verdict.undecided, silent);
  }
  ok(unf_check_explorer(x));
  unf_explorer_counts(x, counts);
  unf_explorer_free(x);
  close_fixture(&f);
}

static void decided_and_undecided(void **state) {
  (void)state;
  for (unsigned i = 0; i < UNF_RANDOM; i++) {
    unf_counts counts;
    explore((unf_algorithm)i, false, &counts);
    assert_int_equal(counts.traces, 2);
    assert_int_equal(counts.complete, 2);
    assert_int_equal(counts.executions, 2);
    assert_int_equal(counts.undecided + counts.infeasible, 0);
    explore((unf_algorithm)i, true, &counts);
    assert_int_equal(counts.traces, 0);
    assert_int_equal(counts.complete, 0);
    assert_int_equal(counts.undecided, 4);
    assert_int_equal(counts.executions, 4);
  }
}

/* Outcome 1 is possible; of outcome 0 nothing is ever known. */
static unf_answer of_one_outcome(void *user, const unf_event *events, uint64_t count,
                                 uint64_t known, unf_event *core, uint64_t *core_count,
                                 uint64_t *witness) {
  const struct solver *s = user;
  unf_literal literal;
  (void)known, (void)core, (void)core_count, (void)witness;
  for (uint64_t i = 0; i < count; i++) {
    ok(unf_event_literal(s->u, events[i], &literal));
    if (literal.outcome == 0) return UNF_ANSWER_UNKNOWN;
  }
  return UNF_ANSWER_YES;
}

/* Main tests, and left and right lock one mutex. */
static unf_counts explore_beside_locks(unf_algorithm algorithm, unf_order order) {
  struct fixture f;
  struct solver s = {0};
  unf_consistency c = UNF_CONSISTENCY_INIT;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_explorer *x;
  unf_run run;
  unf_step step;
  unf_counts counts;
  open_fixture(&f);
  s.u = f.u;
  c.consistent = of_one_outcome;
  c.user = &s;
  options.algorithm = algorithm;
  options.order = order;
  ok(unf_thread_start(f.u, f.left));
  ok(unf_thread_start(f.u, f.right));
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_explorer_new(f.u, &options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    const unf_operation test = UNF_OP_BRANCH(7, 2), lock = UNF_OP_LOCK(f.m), end = UNF_OP_EXIT();
    ok(unf_explorer_offer(x, f.main, &test));
    ok(unf_explorer_offer(x, f.left, &lock));
    ok(unf_explorer_offer(x, f.right, &lock));
    for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;) {
      ok(unf_explorer_commit(x, &step.action, 0));
      ok(unf_explorer_offer(x, step.action.thread, &end));
      ok(unf_explorer_step(x, &step));
    }
    ok(unf_explorer_finish(x, false, NULL));
  }
  unf_explorer_counts(x, &counts);
  unf_explorer_free(x);
  close_fixture(&f);
  return counts;
}

/* What was said of the other outcome, when it was looked for, is not said of this one. */
static void undecided_in_every_order(void **state) {
  (void)state;
  for (unsigned i = 0; i < UNF_RANDOM; i++) {
    bool orders = i != UNF_ODPOR && i != UNF_EAGER;
    for (unsigned order = 0; order < (orders ? UNF_ORDER_CHOSEN : 1); order++) {
      unf_counts counts = explore_beside_locks((unf_algorithm)i, (unf_order)order);
      assert_int_equal(counts.traces, 2);
      assert_int_equal(counts.undecided, 2);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(predicates_of_unfoldings),
      cmocka_unit_test(literals),
      cmocka_unit_test(what_is_remembered),
      cmocka_unit_test(combs),
      cmocka_unit_test(cutoffs_have_conditions),
      cmocka_unit_test(reversals),
      cmocka_unit_test(schedules),
      cmocka_unit_test(what_is_not_combined),
      cmocka_unit_test(decided_and_undecided),
      cmocka_unit_test(undecided_in_every_order),
  };
  return cmocka_run_group_tests_name("consistency", tests, NULL, NULL);
}
