/* Search orders, bounds of the schedule, and states kept by a front-end: the calls
 * themselves. That every order finds everything is shown by tests/random/orders.c. */
#include "fixture.h"
#include "script.h"

static void open_all(struct session *s, const struct script *script,
                     const unf_explorer_options *options) {
  memset(s, 0, sizeof *s);
  ok(session_open(s, script, NULL));
  ok(session_explorer(s, options));
}

static void every_order_counts_the_same(void **state) {
  struct script script;
  uint64_t seed = 5;
  (void)state;
  for (unsigned i = 0; i < 40; i++) {
    unf_counts first = {0}, counts;
    script_random(&script, &seed);
    for (unsigned order = 0; order < UNF_ORDER_CHOSEN; order++) {
      struct session s;
      unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
      options.order = (unf_order)order;
      options.seed = i;
      open_all(&s, &script, &options);
      ok(order % 2 == 0 ? session_explore(&s) : session_explore_fed(&s));
      ok(unf_check_explorer(s.x));
      unf_explorer_counts(s.x, order == 0 ? &first : &counts);
      if (order == 0) counts = first;
      assert_int_equal(counts.traces, first.traces);
      assert_int_equal(counts.deadlocks, first.deadlocks);
      assert_int_equal(counts.events, first.events);
      assert_int_equal(counts.redundant, 0);
      session_close(&s);
    }
  }
}

/* ---- choosing ---- */

struct chooser {
  const struct session *session;
  uint64_t calls, most, highest;
  uint64_t steps; /* of a leaf that were visited */
  uint64_t answer; /* the index, or beyond */
};

/* The first call has the root alone, whose numbers are all 0. */
static bool is_root(const unf_leaf *leaf) {
  return leaf->number == 0 && leaf->run == 0 && leaf->fork == 0 && leaf->decided == 0;
}

static bool count_step(void *user, unf_event event) {
  struct chooser *c = user;
  unf_action action;
  ok(unf_event_action(c->session->u, event, &action));
  c->steps++;
  return true;
}

static bool stop_at_once(void *user, unf_event event) {
  struct chooser *c = user;
  (void)event;
  c->steps++;
  return false;
}

static void steps_of(struct chooser *c, uint64_t leaf, unf_event_visitor visit, uint64_t wanted) {
  c->steps = 0;
  unf_explorer_leaf_steps(c->session->x, leaf, visit, c);
  assert_int_equal(c->steps, wanted);
}

static uint64_t choose(void *user, const unf_leaf *leaves, uint64_t count) {
  struct chooser *c = user;
  assert_true(count > 0);
  if (c->calls == 0) assert_true(count == 1 && is_root(leaves));
  for (uint64_t i = 0; i < count; i++) {
    assert_true(leaves[i].fork <= leaves[i].decided);
    assert_true(leaves[i].run <= c->calls);
    assert_int_equal(is_root(&leaves[i]), c->calls == 0);
    assert_true((leaves[i].number == 0) == (leaves[i].run == 0));
    if (leaves[i].number > c->highest) c->highest = leaves[i].number;
    steps_of(c, i, count_step, leaves[i].decided - leaves[i].fork);
    steps_of(c, i, stop_at_once, c->calls > 0);
  }
  steps_of(c, count, count_step, 0);
  if (count > c->most) c->most = count;
  c->calls++;
  return c->answer;
}

static void the_caller_chooses(void **state) {
  static const uint64_t answers[] = {0, 1, UINT64_MAX};
  struct script script;
  (void)state;
  script_dispatcher(&script, 2, 2);
  for (unsigned i = 0; i < 3; i++) {
    struct session s;
    struct chooser chooser = {.session = &s, .answer = answers[i]};
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    options.order = UNF_ORDER_CHOSEN;
    options.choose = choose;
    options.choose_user = &chooser;
    open_all(&s, &script, &options);
    ok(session_explore(&s));
    assert_int_equal(s.runs, 32);
    assert_int_equal(chooser.calls, 32);
    assert_int_equal(chooser.highest, 31);
    assert_true(chooser.most > 3);
    steps_of(&chooser, 0, count_step, 0); /* nobody is asked */
    session_close(&s);
  }
}

static void wrong_options(void **state) {
  struct fixture f;
  unf_explorer *x = NULL;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  (void)state;
  open_fixture(&f);
  options.order = UNF_ORDER_CHOSEN;
  fails(UNF_INVALID, unf_explorer_new(f.u, &options, &x));
  options.order = UNF_ORDER_COUNT;
  fails(UNF_INVALID, unf_explorer_new(f.u, &options, &x));
  close_fixture(&f);
}

/* ---- bounds ---- */

enum { MOST = 64 };

struct histogram {
  uint64_t switches[MOST], preemptions[MOST];
};

struct walk {
  unf_unfolding *u;
  unf_configuration *c;
  unf_thread last;
  unsigned switches, preemptions;
};

static bool same_thread(void *user, const unf_action *action) {
  struct walk *w = user;
  if (action->thread != w->last) return true;
  w->preemptions++;
  return false;
}

static bool walk_step(void *user, unf_event event) {
  struct walk *w = user;
  unf_action action;
  ok(unf_event_action(w->u, event, &action));
  if (w->last != UNF_THREAD_NONE && w->last != action.thread) {
    w->switches++;
    ok(unf_configuration_actions(w->c, same_thread, w));
  }
  ok(unf_configuration_perform(w->c, &action, NULL));
  w->last = action.thread;
  return true;
}

/* By the definition: the schedule of the current run, one step after the other. */
static void count_run(struct session *s, const unf_verdict *verdict) {
  struct histogram *h = s->finished_user;
  struct walk w = {.u = s->u, .last = UNF_THREAD_NONE};
  (void)verdict;
  ok(unf_configuration_new(s->u, &w.c));
  unf_explorer_path(s->x, walk_step, &w);
  unf_configuration_free(w.c);
  assert_true(w.switches < MOST);
  h->switches[w.switches]++;
  h->preemptions[w.preemptions]++;
}

static void bounds_of_all_interleavings(void **state) {
  struct script script;
  (void)state;
  script_crossing(&script, true);
  for (unsigned order = 0; order < 3; order++) {
    struct histogram h = {{0}, {0}};
    struct session s;
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    options.algorithm = UNF_DFS;
    options.order = (unf_order)order;
    open_all(&s, &script, &options);
    s.finished = count_run;
    s.finished_user = &h;
    ok(session_explore(&s));
    session_close(&s);
    uint64_t switching = 0, preempting = 0;
    for (unsigned n = 0; n < 12; n++) {
      unf_counts c;
      options.max_switches = n;
      open_all(&s, &script, &options);
      ok(session_explore(&s));
      unf_explorer_counts(s.x, &c);
      assert_int_equal(c.traces + c.redundant, switching += h.switches[n]);
      assert_int_equal(c.bounds, c.truncated > 0 ? UNF_BOUND_SWITCHES : UNF_BOUND_NONE);
      session_close(&s);
      options.max_switches = UNF_UNBOUNDED;
      options.max_preemptions = n;
      open_all(&s, &script, &options);
      ok(session_explore(&s));
      unf_explorer_counts(s.x, &c);
      assert_int_equal(c.traces + c.redundant, preempting += h.preemptions[n]);
      assert_int_equal(c.bounds, c.truncated > 0 ? UNF_BOUND_PREEMPTIONS : UNF_BOUND_NONE);
      session_close(&s);
      options.max_preemptions = UNF_UNBOUNDED;
    }
  }
}

static void bounds_in_whole_traces(void **state) {
  struct script script;
  struct session s;
  unf_counts c;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  (void)state;
  script_dispatcher(&script, 2, 2);
  options.max_switches = 6;
  open_all(&s, &script, &options);
  ok(session_explore_fed(&s));
  unf_explorer_counts(s.x, &c);
  assert_true(c.truncated > 0 && c.traces < 32);
  assert_int_equal(c.executions, c.traces + c.redundant + c.truncated);
  session_close(&s);
}

/* ---- states of the front-end ---- */

static void forget(void *user, uint64_t name) {
  bool *kept = user;
  assert_true(name > 0 && kept[name]);
  kept[name] = false;
}

static void states_are_reported_and_forgotten(void **state) {
  struct script script;
  script_crossing(&script, true);
  (void)state;
  for (unsigned order = 0; order < UNF_ORDER_CHOSEN; order++) {
    struct session s;
    static bool kept[4096];
    uint64_t names = 0;
    unf_run run;
    unf_step step;
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    memset(kept, 0, sizeof kept);
    options.order = (unf_order)order;
    options.forget = forget;
    options.forget_user = kept;
    open_all(&s, &script, &options);
    fails(UNF_STATE, unf_explorer_save(s.x, 1));
    s.saves = false;
    for (;;) {
      ok(unf_explorer_next(s.x, &run));
      if (run.finished) break;
      assert_true(run.saved <= run.decided && run.shared <= run.decided);
      assert_true(run.saved == 0 || kept[run.state]);
      if (run.saved > 0) assert_true(run.saved >= run.shared || order == 0);
      fails(UNF_INVALID, unf_explorer_resume(s.x, run.decided + 1));
      session_reset(&s);
      unf_operation operation = session_next(&s, 0);
      ok(unf_explorer_offer(s.x, s.threads[0], &operation));
      for (;;) {
        ok(unf_explorer_step(s.x, &step));
        if (step.kind != UNF_STEP_ACTION) break;
        ok(unf_explorer_commit(s.x, NULL, 0));
        session_did(&s, &step.action);
        for (unsigned t = 0; t < script.threads; t++) {
          unf_status offered;
          operation = session_next(&s, t);
          offered = unf_explorer_offer(s.x, s.threads[t], &operation);
          assert_true(offered == UNF_OK || offered == UNF_STATE); /* not started */
        }
        kept[++names] = true;
        ok(unf_explorer_save(s.x, names));
      }
      ok(unf_explorer_finish(s.x, false, NULL));
    }
    session_close(&s);
    for (uint64_t i = 1; i <= names; i++)
      assert_false(kept[i]);
  }
}

/* Each algorithm and order has a word, and is found by it. */
static void words(void **state) {
  unf_algorithm algorithm;
  unf_order order;
  unf_cutoff_order cutoffs;
  (void)state;
  for (unsigned i = 0; i < UNF_ALGORITHM_COUNT; i++) {
    ok(unf_algorithm_from_text(unf_algorithm_text((unf_algorithm)i), &algorithm));
    assert_int_equal(algorithm, i);
  }
  for (unsigned i = 0; i < UNF_ORDER_COUNT; i++) {
    ok(unf_order_from_text(unf_order_text((unf_order)i), &order));
    assert_int_equal(order, i);
  }
  for (unsigned i = 0; i < UNF_CUTOFF_ORDER_COUNT; i++) {
    ok(unf_cutoff_order_from_text(unf_cutoff_order_text((unf_cutoff_order)i), &cutoffs));
    assert_int_equal(cutoffs, i);
  }
  assert_string_equal(unf_algorithm_text(UNF_SDPOR), "sdpor");
  assert_string_equal(unf_order_text(UNF_ORDER_DEEPEST), "deepest-first");
  assert_string_equal(unf_cutoff_order_text(UNF_CUTOFFS_ERV), "erv");
  assert_string_equal(unf_algorithm_text(UNF_ALGORITHM_COUNT), "?");
  assert_string_equal(unf_order_text(UNF_ORDER_COUNT), "?");
  assert_string_equal(unf_cutoff_order_text(UNF_CUTOFF_ORDER_COUNT), "?");
  fails(UNF_UNKNOWN, unf_algorithm_from_text("QPOR", &algorithm));
  fails(UNF_UNKNOWN, unf_order_from_text("", &order));
  fails(UNF_UNKNOWN, unf_cutoff_order_from_text("erv-strong", &cutoffs));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_order_counts_the_same),
                                     cmocka_unit_test(the_caller_chooses),
                                     cmocka_unit_test(wrong_options),
                                     cmocka_unit_test(bounds_of_all_interleavings),
                                     cmocka_unit_test(bounds_in_whole_traces),
                                     cmocka_unit_test(states_are_reported_and_forgotten),
                                     cmocka_unit_test(words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
