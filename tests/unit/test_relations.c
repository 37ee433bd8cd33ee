/* Causality, conflict, immediate conflict, concurrency, histories of all pairs against their
 * definitions, with and without skip pointers. */
#include "fixture.h"
#include "model.h"
#include "script.h"

static struct model model;

static void compare_pairs(unf_unfolding *u) {
  bool answer;
  for (uint32_t a = 0; a < model.count; a++)
    for (uint32_t b = 0; b < model.count; b++) {
      bool before = has(&model.history[b], a), after = has(&model.history[a], b);
      bool conflict = has(&model.conflict[a], b);
      ok(unf_event_precedes(u, a, b, &answer));
      assert_int_equal(answer, before);
      ok(unf_event_conflicts(u, a, b, &answer));
      assert_int_equal(answer, conflict);
      ok(unf_event_conflicts_immediately(u, a, b, &answer));
      assert_int_equal(answer, has(&model.immediate[a], b));
      ok(unf_event_concurrent(u, a, b, &answer));
      assert_int_equal(answer, !before && !after && !conflict);
    }
}

struct listed {
  set events;
  uint32_t last;
};

static bool list(void *user, unf_event event) {
  struct listed *l = user;
  assert_true(event > l->last);
  l->last = event;
  put(&l->events, event);
  return true;
}

static void compare_histories(unf_unfolding *u) {
  for (uint32_t e = 0; e < model.count; e++) {
    struct listed l = {{{0}}, 0};
    put(&l.events, 0);
    ok(unf_event_history(u, e, list, &l));
    put(&model.history[e], 0);
    assert_true(within(&l.events, &model.history[e]) && within(&model.history[e], &l.events));
  }
}

static void against_definitions(void **state) {
  uint64_t seed = 3;
  unsigned pairs = 0, conflicts = 0;
  (void)state;
  for (unsigned i = 0; i < 40; i++) {
    struct script script;
    struct session s = {0};
    if (i == 0)
      script_dispatcher(&script, 2, 2);
    else if (i == 1)
      script_choosing(&script);
    else if (i == 2)
      script_rivals(&script);
    else
      script_random(&script, &seed);
    ok(session_open(&s, &script, NULL));
    ok(session_explorer(&s, NULL));
    ok(session_explore(&s));
    if (unf_unfolding_events(s.u) < 300) {
      assert_true(model_make(&model, s.u));
      compare_pairs(s.u);
      compare_histories(s.u);
      ok(unf_check_unfolding(s.u));
      pairs += model.count * model.count;
      for (uint32_t e = 0; e < model.count; e++)
        conflicts += size_of(&model.conflict[e]);
    }
    session_close(&s);
  }
  print_message("%u pairs, %u of them in conflict\n", pairs, conflicts);
  assert_true(pairs > 50000 && conflicts > 10000);
}

/* A chain of forks: thread 0 chooses one of two values, many times, and the other value each time
 * is a branch. */
static void deep_trees(void **state) {
  static const uint32_t steps[] = {0, 2, 3, 8};
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    unf_context *context;
    unf_unfolding *u;
    unf_thread t;
    unf_configuration *c, *side;
    unf_unfolding_options options = UNF_UNFOLDING_OPTIONS_INIT;
    options.skip_step = steps[i];
    ok(unf_context_new(NULL, &context));
    ok(unf_unfolding_new(context, &options, &u));
    ok(unf_thread_name(u, UNF_THREAD_NONE, 0, &t));
    ok(unf_thread_start(u, t));
    ok(unf_configuration_new(u, &c));
    ok(unf_configuration_new(u, &side));
    for (int64_t depth = 0; depth < 200; depth++) {
      ok(unf_configuration_assign(side, c));
      perform(side, UNF_DID_LOCAL, t, 0, 0);
      perform(c, UNF_DID_LOCAL, t, 0, 1);
    }
    /* Event 2k + 1 is the side branch at depth k, 2k + 2 goes on. */
    for (uint32_t a = 1; a <= 400; a++)
      for (uint32_t b = a; b <= 400; b++) {
        bool answer, before = a == b || (a % 2 == 0 && (b - 1) / 2 > (a - 1) / 2);
        ok(unf_event_precedes(u, a, b, &answer));
        assert_int_equal(answer, before);
        ok(unf_event_conflicts(u, a, b, &answer));
        assert_int_equal(answer, !before);
      }
    unf_configuration_free(c);
    unf_configuration_free(side);
    unf_unfolding_free(u);
    unf_context_free(context);
  }
}

static void unknown_events(void **state) {
  struct fixture f;
  bool answer;
  unf_action action;
  uint64_t cookie, fingerprint[2];
  struct events events = {{0}, 0};
  (void)state;
  open_fixture(&f);
  fails(UNF_UNKNOWN, unf_event_precedes(f.u, 0, 1, &answer));
  fails(UNF_UNKNOWN, unf_event_conflicts(f.u, UNF_EVENT_NONE, 0, &answer));
  fails(UNF_UNKNOWN, unf_event_conflicts_immediately(f.u, 1, 0, &answer));
  fails(UNF_UNKNOWN, unf_event_concurrent(f.u, 1, 0, &answer));
  fails(UNF_UNKNOWN, unf_event_action(f.u, 1, &action));
  fails(UNF_INVALID, unf_event_action(f.u, 0, &action));
  fails(UNF_UNKNOWN, unf_event_cookie(f.u, 1, &cookie));
  fails(UNF_UNKNOWN, unf_event_set_cookie(f.u, 1, 5));
  fails(UNF_UNKNOWN, unf_event_fingerprint(f.u, 1, fingerprint));
  fails(UNF_UNKNOWN, unf_event_history(f.u, 1, collect_event, &events));
  fails(UNF_UNKNOWN, unf_event_predecessors(f.u, 1, collect_event, &events));
  ok(unf_event_predecessors(f.u, 0, collect_event, &events));
  assert_int_equal(events.count, 0);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_definitions),
      cmocka_unit_test(deep_trees),
      cmocka_unit_test(unknown_events),
  };
  return cmocka_run_group_tests_name("relations", tests, NULL, NULL);
}
