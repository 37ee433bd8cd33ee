/* Configurations and their extensions: what calls answer, by hand on a small program; random use is
 * in test_sequences.c. */
#include "fixture.h"

static void offer(unf_configuration *c, unf_thread thread, unf_operation operation) {
  ok(unf_configuration_offer(c, thread, &operation));
}

static void performing(void **state) {
  struct fixture f, other;
  unf_configuration *c, *foreign;
  unf_event last;
  unf_thread owner;
  unf_operation operation = UNF_OP_EXIT();
  bool answer;
  (void)state;
  open_fixture(&f);
  open_fixture(&other);
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_new(other.u, &foreign));
  unf_action early = did(UNF_DID_LOCAL, f.left, 0, 0),
             release = did(UNF_DID_RELEASE, f.main, f.m, 0);
  unf_action nobody = did(UNF_DID_LOCAL, 99, 0, 0), join = did(UNF_DID_JOIN, f.main, f.left, 0);
  fails(UNF_DISABLED, unf_configuration_perform(c, &early, NULL));
  fails(UNF_DISABLED, unf_configuration_perform(c, &release, NULL));
  fails(UNF_UNKNOWN, unf_configuration_perform(c, &nobody, NULL));
  ok(unf_configuration_last(c, f.left, &last));
  assert_true(last == UNF_EVENT_NONE);
  unf_event create = perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  ok(unf_configuration_last(c, f.left, &last));
  assert_int_equal(last, create);
  unf_action twice = did(UNF_DID_CREATE, f.main, f.left, 0);
  fails(UNF_DISABLED, unf_configuration_perform(c, &twice, NULL));
  fails(UNF_DISABLED, unf_configuration_perform(c, &join, NULL));
  fails(UNF_MISSING, unf_configuration_next(c, f.left, &operation));
  fails(UNF_STATE, unf_configuration_next(c, f.right, &operation));
  fails(UNF_STATE, unf_configuration_offer(c, f.right, &operation));
  operation = unf_operation_make(UNF_LOCAL, 0, 2, 1);
  fails(UNF_INVALID, unf_configuration_offer(c, f.left, &operation));
  offer(c, f.left, UNF_OP_LOCK(f.m));
  ok(unf_configuration_next(c, f.left, &operation));
  assert_true(operation.kind == UNF_LOCK && operation.target == f.m);
  unf_action stray = did(UNF_DID_LOCAL, f.left, 0, 0);
  fails(UNF_DIVERGENCE, unf_configuration_perform(c, &stray, NULL));
  assert_string_equal(unf_context_detail(f.context)->expected, "lock mutex - 0");
  operation = UNF_OP_EXIT();
  fails(UNF_NONDETERMINISM, unf_configuration_offer(c, f.left, &operation));
  perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  ok(unf_configuration_owner(c, f.m, &owner));
  assert_int_equal(owner, f.left);
  ok(unf_configuration_owner(c, f.n, &owner));
  assert_true(owner == UNF_THREAD_NONE);
  fails(UNF_UNKNOWN, unf_configuration_owner(c, 77, &owner));
  fails(UNF_INVALID, unf_configuration_assign(c, foreign));
  fails(UNF_INVALID, unf_configuration_unite(c, foreign));
  fails(UNF_INVALID, unf_configuration_equal(c, foreign, &answer));
  fails(UNF_STATE, unf_configuration_extend(c, create));
  fails(UNF_UNKNOWN, unf_configuration_extend(c, 55));
  assert_int_equal(unf_configuration_size(c), 2);
  ok(unf_check_configuration(c));
  unf_configuration_free(c);
  unf_configuration_free(foreign);
  close_fixture(&f);
  close_fixture(&other);
}

/* 0 started both; 0.0 holds m; 0.1 wants it by trylock; 0 chooses one of two values. */
static unf_configuration *contended(struct fixture *f) {
  unf_configuration *c;
  ok(unf_configuration_new(f->u, &c));
  offer(c, f->main, UNF_OP_CREATE(f->left));
  perform(c, UNF_DID_CREATE, f->main, f->left, 0);
  offer(c, f->main, UNF_OP_CREATE(f->right));
  perform(c, UNF_DID_CREATE, f->main, f->right, 0);
  offer(c, f->main, UNF_OP_LOCAL(5, 6));
  offer(c, f->right, UNF_OP_TRYLOCK(f->m));
  offer(c, f->left, UNF_OP_LOCK(f->m));
  perform(c, UNF_DID_ACQUIRE, f->left, f->m, 0);
  return c;
}

static bool count_action(void *user, const unf_action *action) {
  (void)action;
  return ++*(unsigned *)user < 2;
}

/* Events that are known, performed where they may not be. */
static void performing_again(void **state) {
  struct fixture f;
  unf_configuration *c, *d;
  unf_object round;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_BARRIER, UNF_THREAD_NONE, 0, &round));
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_new(f.u, &d));
  perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  perform(c, UNF_DID_CREATE, f.main, f.right, 0);
  offer(c, f.left, UNF_OP_ARRIVE(round, 1));
  ok(unf_configuration_assign(d, c));
  unf_event right = perform(d, UNF_DID_ARRIVE, f.right, round, 0);
  perform(c, UNF_DID_ARRIVE, f.left, round, 0);
  unf_action again = did(UNF_DID_ARRIVE, f.right, round, 0);
  fails(UNF_UNSUPPORTED, unf_configuration_perform(c, &again, NULL));
  unf_event local = perform(c, UNF_DID_LOCAL, f.main, 0, 0);
  assert_int_equal(perform(d, UNF_DID_LOCAL, f.main, 0, 0), local);
  unf_configuration_clear(d);
  perform(d, UNF_DID_CREATE, f.main, f.left, 0);
  perform(d, UNF_DID_CREATE, f.main, f.right, 0);
  assert_int_equal(perform(d, UNF_DID_ARRIVE, f.right, round, 0), right);
  offer(d, f.main, UNF_OP_LOCK(f.m));
  unf_action stray = did(UNF_DID_LOCAL, f.main, 0, 0);
  fails(UNF_DIVERGENCE, unf_configuration_perform(d, &stray, NULL));
  unf_configuration_free(c);
  unf_configuration_free(d);
  close_fixture(&f);
}

/* Two reads of which neither knows the other, in one configuration: where the second is refused it
 * leaves there what there was, so that a write comes after both. */
static void refused_uses(void **state) {
  struct fixture f;
  unf_configuration *c, *d;
  unf_object x;
  unf_status status = UNF_LIMIT;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &x));
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_new(f.u, &d));
  perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  perform(c, UNF_DID_CREATE, f.main, f.right, 0);
  offer(c, f.main, UNF_OP_STORE(x, 1));
  offer(c, f.left, UNF_OP_LOAD(x));
  offer(c, f.right, UNF_OP_LOAD(x));
  ok(unf_configuration_assign(d, c));
  struct events both = {{perform(c, UNF_DID_READ, f.left, x, 0)}, 1}, follows = {{0}, 0};
  unf_action second = did(UNF_DID_READ, f.right, x, 0);
  both.event[both.count++] = perform(d, UNF_DID_READ, f.right, x, 0);
  uint64_t bytes = unf_context_bytes(f.context), refused = 0;
  for (; status == UNF_LIMIT; refused++) {
    unf_limits limits = {.bytes = bytes + refused};
    ok(unf_context_set_limits(f.context, &limits));
    status = unf_configuration_perform(c, &second, NULL);
  }
  ok(status);
  assert_true(refused > 1);
  ok(unf_context_set_limits(f.context, &(unf_limits){0}));
  unf_event write = perform(c, UNF_DID_WRITE, f.main, x, 0);
  ok(unf_event_predecessors(f.u, write, collect_event, &follows));
  assert_int_equal(follows.count, 2);
  assert_memory_equal(follows.event, both.event, 2 * sizeof *both.event);
  unf_configuration_free(c);
  unf_configuration_free(d);
  close_fixture(&f);
}

static void extending(void **state) {
  struct fixture f;
  struct events seen = {{0}, 0};
  unsigned count = 0;
  bool answer;
  (void)state;
  open_fixture(&f);
  unf_configuration *c = contended(&f);
  fails(UNF_MISSING, unf_extensions_enabled(c, collect_event, &seen));
  assert_int_equal(unf_context_detail(f.context)->thread, f.left);
  fails(UNF_MISSING, unf_extensions_conflicting(c, collect_event, &seen));
  offer(c, f.left, UNF_OP_UNLOCK(f.m));
  uint32_t events = unf_unfolding_events(f.u);
  ok(unf_configuration_actions(c, count_action, &count));
  assert_int_equal(count, 2);
  assert_int_equal(unf_unfolding_events(f.u), events);
  /* Two values, the release, the failed trylock. */
  ok(unf_extensions_enabled(c, collect_event, &seen));
  assert_int_equal(seen.count, 4);
  for (unsigned i = 0; i < seen.count; i++) {
    ok(unf_configuration_extends(c, seen.event[i], &answer));
    assert_true(answer);
    ok(unf_configuration_conflicts(c, seen.event[i], &answer));
    assert_false(answer);
  }
  /* The trylock that came first. */
  seen.count = 0;
  ok(unf_extensions_conflicting(c, collect_event, &seen));
  assert_int_equal(seen.count, 1);
  unf_action action;
  ok(unf_event_action(f.u, seen.event[0], &action));
  assert_true(action.kind == UNF_DID_ACQUIRE && action.thread == f.right);
  ok(unf_configuration_conflicts_immediately(c, seen.event[0], &answer));
  assert_true(answer);
  seen.count = 0;
  ok(unf_extensions_all(c, collect_event, &seen));
  assert_int_equal(seen.count, 5);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void listing(void **state) {
  struct fixture f;
  struct events seen = {{0}, 0};
  (void)state;
  open_fixture(&f);
  unf_configuration *c = contended(&f);
  ok(unf_configuration_linearize(c, collect_event, &seen));
  assert_true(seen.count == 3 && seen.event[0] == 1 && seen.event[1] == 2 && seen.event[2] == 3);
  seen.count = 0;
  ok(unf_configuration_maximal(c, collect_event, &seen));
  assert_true(seen.count == 2 && seen.event[0] == 2 && seen.event[1] == 3);
  unf_configuration_clear(c);
  seen.count = 0;
  ok(unf_configuration_linearize(c, collect_event, &seen));
  ok(unf_configuration_maximal(c, collect_event, &seen));
  assert_int_equal(seen.count, 0);
  unf_configuration_free(c);
  close_fixture(&f);
}

static bool is_second(void *user, unf_event event) {
  (void)event;
  return ++*(unsigned *)user < 2;
}

/* Right has the mutex between two times that left has it, so that left cannot go through at once;
 * what left does beside that needs no switch of its own. */
static void switches(void **state) {
  struct fixture f;
  struct events seen = {{0}, 0};
  unf_switches found;
  unsigned visited = 0;
  (void)state;
  open_fixture(&f);
  unf_configuration *c;
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_fewest_switches(c, 0, collect_event, &seen, &found));
  assert_true(seen.count == 0 && found.switches == 0 && found.least == 0);
  perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  perform(c, UNF_DID_CREATE, f.main, f.right, 0);
  perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  perform(c, UNF_DID_LOCAL, f.right, 0, 0);
  perform(c, UNF_DID_LOCAL, f.left, 0, 0);
  perform(c, UNF_DID_LOCAL, f.right, 0, 1);
  perform(c, UNF_DID_RELEASE, f.left, f.m, 0);
  perform(c, UNF_DID_ACQUIRE, f.right, f.m, 0);
  perform(c, UNF_DID_RELEASE, f.right, f.m, 0);
  ok(unf_configuration_fewest_switches(c, 0, collect_event, &seen, &found));
  assert_true(seen.count == 9 && found.switches == 2 && found.least == 2);
  perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  seen.count = 0;
  ok(unf_configuration_fewest_switches(c, UINT64_MAX, collect_event, &seen, &found));
  assert_true(seen.count == 10 && found.switches == 3 && found.least == 3);
  assert_int_equal(seen.event[9], 10);
  ok(unf_configuration_fewest_switches(c, UINT64_MAX, is_second, &visited, &found));
  assert_int_equal(visited, 2);
  unf_configuration_free(c);
  close_fixture(&f);
}

/* Of the events of a configuration those that come before no other. */
static void maximal_by_definition(const unf_unfolding *u, const unf_configuration *c) {
  struct events all = {{0}, 0}, seen = {{0}, 0};
  unsigned maximal = 0;
  ok(unf_configuration_linearize(c, collect_event, &all));
  assert_int_equal(all.count, unf_configuration_size(c));
  ok(unf_configuration_maximal(c, collect_event, &seen));
  for (unsigned i = 0; i < all.count; i++) {
    bool before = false;
    assert_true(i == 0 || all.event[i - 1] < all.event[i]);
    for (unsigned j = i + 1; !before && j < all.count; j++)
      ok(unf_event_precedes(u, all.event[i], all.event[j], &before));
    if (before) continue;
    assert_true(maximal < seen.count);
    assert_int_equal(seen.event[maximal++], all.event[i]);
  }
  assert_int_equal(maximal, seen.count);
}

/* What a thread does next depends on how often it did something. */
static void do_next(struct fixture *f, unf_configuration *c, unf_thread thread, uint32_t done,
                    const unf_object *locations) {
  uint32_t random = ((thread + 1) * 7919 + done * 104729) * 2654435761u;
  unf_object location = locations[random >> 16 & 3];
  const unf_operation operations[] = {UNF_OP_STORE(location, 1), UNF_OP_LOAD(location),
                                      UNF_OP_ADD(location, 1)};
  static const unf_action_kind kinds[] = {UNF_DID_WRITE, UNF_DID_READ, UNF_DID_ADD};
  uint32_t kind = (random >> 24) % 3;
  ok(unf_configuration_offer(c, thread, &operations[kind]));
  perform(c, kinds[kind], thread, location, 0);
  maximal_by_definition(f->u, c);
}

/* Many threads of few events, and few threads of many; the first one creates them all. */
static void maximal_events(void **state) {
  enum { THREADS = 9, LOCATIONS = 4 };
  struct fixture f;
  unf_object locations[LOCATIONS];
  unf_thread threads[THREADS];
  uint32_t random = 1;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  for (uint32_t i = 0; i < LOCATIONS; i++)
    ok(unf_object_name(f.u, UNF_LOCATION, UNF_THREAD_NONE, i, &locations[i]));
  for (uint32_t i = 0; i < THREADS; i++)
    ok(unf_thread_name(f.u, f.main, i, &threads[i]));
  ok(unf_configuration_new(f.u, &c));
  for (unsigned round = 0; round < 20; round++) {
    uint32_t done[THREADS] = {0};
    unf_configuration_clear(c);
    for (uint32_t i = 0; i < THREADS; i++) {
      perform(c, UNF_DID_CREATE, f.main, threads[i], 0);
      maximal_by_definition(f.u, c);
    }
    for (unsigned i = 0; i < 30; i++) {
      random = random * 1664525 + 1013904223;
      uint32_t chosen = (random >> 16) % (round % 2 ? THREADS : 2);
      do_next(&f, c, threads[chosen], done[chosen]++, locations);
    }
  }
  unf_configuration_free(c);
  close_fixture(&f);
}

/* Whole traces that are wrong: each answer with its step, and the right trace can
 * be fed afterwards. */
static bool ignore(void *user, const unf_action *action) {
  (void)user;
  (void)action;
  return true;
}

static void wrong_traces(void **state) {
  struct fixture f;
  unf_explorer *x;
  unf_verdict verdict;
  unf_run run;
  (void)state;
  open_fixture(&f);
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_prefix(x, ignore, NULL, &run));
  unf_traced good[] = {{did(UNF_DID_CREATE, f.main, f.left, 0), UNF_OP_CREATE(f.left), 1},
                       {did(UNF_DID_ACQUIRE, f.left, f.m, 0), UNF_OP_LOCK(f.m), 2},
                       {did(UNF_DID_RELEASE, f.left, f.m, 0), UNF_OP_UNLOCK(f.m), 3}};
  unf_pending ends[] = {{f.main, UNF_OP_EXIT()}, {f.left, UNF_OP_EXIT()}};
  unf_traced bad[3];
  memcpy(bad, good, sizeof bad);
  bad[1].action.kind = UNF_DID_RELEASE;
  assert_int_not_equal(unf_explorer_feed(x, bad, 3, ends, 2, false, &verdict), UNF_OK);
  assert_int_equal(unf_context_detail(f.context)->step, 2);
  memcpy(bad, good, sizeof bad);
  bad[1].action.thread = 99;
  fails(UNF_UNKNOWN, unf_explorer_feed(x, bad, 3, ends, 2, false, &verdict));
  unf_pending nobody[] = {{f.main, UNF_OP_EXIT()}, {99, UNF_OP_EXIT()}};
  fails(UNF_UNKNOWN, unf_explorer_feed(x, good, 3, nobody, 2, false, &verdict));
  fails(UNF_MISSING, unf_explorer_feed(x, good, 3, ends, 1, false, &verdict));
  unf_pending more[] = {{f.main, UNF_OP_EXIT()}, {f.left, UNF_OP_LOCAL(0, 0)}};
  fails(UNF_DIVERGENCE, unf_explorer_feed(x, good, 2, ends, 1, false, &verdict));
  assert_int_equal(unf_context_detail(f.context)->step, 3);
  fails(UNF_STATE, unf_explorer_prefix(x, ignore, NULL, &run));
  ok(unf_explorer_feed(x, good, 3, ends, 2, true, &verdict));
  assert_true(verdict.complete && verdict.error && !verdict.redundant);
  fails(UNF_STATE, unf_explorer_feed(x, good, 3, ends, 2, false, &verdict));
  ok(unf_explorer_prefix(x, ignore, NULL, &run));
  assert_true(run.finished);
  unf_explorer_free(x);
  /* Another explorer over the same unfolding finds the contradiction with what is known. */
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_prefix(x, ignore, NULL, &run));
  fails(UNF_NONDETERMINISM, unf_explorer_feed(x, good, 3, more, 2, false, &verdict));
  ok(unf_explorer_feed(x, good, 3, ends, 2, false, &verdict));
  unf_explorer_free(x);
  close_fixture(&f);
}

static unf_event read_once(unf_configuration *c, unf_thread thread, unf_object x) {
  const unf_operation load = UNF_OP_LOAD(x);
  ok(unf_configuration_offer(c, thread, &load));
  return perform(c, UNF_DID_READ, thread, x, 0);
}

/* What one thread loaded last is among what many loaded, or it is later than what they know. */
static void loads_of_many_threads(void **state) {
  enum { THREADS = 20 };
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *many, *one;
  unf_thread threads[THREADS];
  unf_object x;
  unf_event first, second, store;
  (void)state;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 0, &x));
  for (uint32_t i = 0; i < THREADS; i++) {
    ok(unf_thread_name(u, UNF_THREAD_NONE, i, &threads[i]));
    ok(unf_thread_start(u, threads[i]));
  }
  const unf_operation write = UNF_OP_STORE(x, 1);
  for (uint32_t reader = 0; reader < THREADS - 1; reader += 6)
    for (unsigned twice = 0; twice < 2; twice++) {
      bool follows;
      ok(unf_configuration_new(u, &many));
      ok(unf_configuration_new(u, &one));
      for (uint32_t i = 0; i < THREADS - 1; i++)
        read_once(many, threads[i], x);
      first = read_once(one, threads[reader], x);
      second = twice ? read_once(one, threads[reader], x) : first;
      ok(twice ? unf_configuration_unite(many, one) : unf_configuration_unite(one, many));
      unf_configuration *both = twice ? many : one;
      ok(unf_configuration_offer(both, threads[THREADS - 1], &write));
      const unf_action action = {UNF_DID_WRITE, threads[THREADS - 1], x, 0, 0};
      ok(unf_configuration_perform(both, &action, &store));
      ok(unf_event_precedes(u, second, store, &follows));
      assert_true(follows);
      assert_int_equal(unf_configuration_size(both), THREADS + twice);
      unf_configuration_free(one);
      unf_configuration_free(many);
    }
  unf_unfolding_free(u);
  unf_context_free(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_of_many_threads),
      cmocka_unit_test(performing),
      cmocka_unit_test(performing_again),
      cmocka_unit_test(extending),
      cmocka_unit_test(listing),
      cmocka_unit_test(switches),
      cmocka_unit_test(maximal_events),
      cmocka_unit_test(wrong_traces),
      cmocka_unit_test(refused_uses),
  };
  return cmocka_run_group_tests_name("configuration", tests, NULL, NULL);
}
