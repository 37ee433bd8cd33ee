/* Names of threads and objects, text of actions and operations, interning by causes, cookies,
 * fingerprints, dependence. */
#include "fixture.h"
#include "structure/effect.h"
#include "structure/index.h"
#include "structure/unfolding.h"

static void names_are_interned(void **state) {
  struct fixture f;
  unf_thread thread, parent;
  unf_object object;
  unf_object_class object_class;
  uint64_t key;
  uint32_t index;
  bool initial;
  (void)state;
  open_fixture(&f);
  ok(unf_thread_name(f.u, f.main, 1, &thread));
  assert_int_equal(thread, f.right);
  ok(unf_thread_describe(f.u, f.right, &parent, &index, &initial));
  assert_true(parent == f.main && index == 1 && !initial);
  ok(unf_thread_describe(f.u, f.main, &parent, NULL, &initial));
  assert_true(parent == UNF_THREAD_NONE && initial);
  fails(UNF_UNKNOWN, unf_thread_name(f.u, 99, 0, &thread));
  fails(UNF_UNKNOWN, unf_thread_start(f.u, 99));
  fails(UNF_UNKNOWN, unf_thread_describe(f.u, 99, NULL, NULL, NULL));
  /* All 64 bits of a key count, and so do class and creator. */
  unf_object seen[70];
  for (unsigned bit = 0; bit < 64; bit++) {
    ok(unf_object_name(f.u, UNF_MUTEX, f.left, (uint64_t)1 << bit, &seen[bit]));
    for (unsigned i = 0; i < bit; i++)
      assert_int_not_equal(seen[i], seen[bit]);
  }
  ok(unf_object_name(f.u, UNF_MUTEX, f.left, (uint64_t)1 << 63, &object));
  assert_int_equal(object, seen[63]);
  ok(unf_object_name(f.u, UNF_MUTEX, f.right, (uint64_t)1 << 63, &object));
  assert_int_not_equal(object, seen[63]);
  ok(unf_object_describe(f.u, object, &object_class, &thread, &key));
  assert_true(object_class == UNF_MUTEX && thread == f.right && key == (uint64_t)1 << 63);
  fails(UNF_INVALID, unf_object_name(f.u, UNF_OBJECT_CLASS_COUNT, f.left, 0, &object));
  fails(UNF_UNKNOWN, unf_object_name(f.u, UNF_MUTEX, 99, 0, &object));
  fails(UNF_UNKNOWN, unf_object_describe(f.u, 9999, NULL, NULL, NULL));
  assert_int_equal(unf_unfolding_threads(f.u), 3);
  assert_int_equal(unf_unfolding_objects(f.u), 2 + 64 + 1);
  close_fixture(&f);
}

static void names_as_text(void **state) {
  struct fixture f;
  char text[64];
  unf_thread deep;
  unf_object own;
  (void)state;
  open_fixture(&f);
  ok(unf_thread_name(f.u, f.right, 17, &deep));
  ok(unf_object_name(f.u, UNF_MUTEX, deep, 5, &own));
  assert_int_equal(unf_thread_text(f.u, deep, text, sizeof text), 6);
  assert_string_equal(text, "0.1.17");
  unf_thread_text(f.u, UNF_THREAD_NONE, text, sizeof text);
  assert_string_equal(text, "-");
  unf_action action = did(UNF_DID_ACQUIRE, deep, own, 0);
  assert_int_equal(unf_action_text(f.u, &action, NULL, 0), 25);
  unf_action_text(f.u, &action, text, sizeof text);
  assert_string_equal(text, "0.1.17 acq mutex 0.1.17 5");
  unf_action_text(f.u, &action, text, 8);
  assert_string_equal(text, "0.1.17 ");
  const struct {
    unf_operation operation;
    const char *text;
  } rows[] = {
      {UNF_OP_EXIT(), "exit"},
      {UNF_OP_HALT(UNF_HALT_BOUND), "halt bound"},
      {UNF_OP_LOCAL(-1, 2), "local -1 2"},
      {UNF_OP_CREATE(f.left), "create thread 0.0"},
      {UNF_OP_JOIN(f.right), "join thread 0.1"},
      {UNF_OP_LOCK(f.m), "lock mutex - 0"},
      {UNF_OP_TRYLOCK(f.n), "trylock mutex - 1"},
      {UNF_OP_UNLOCK(own), "unlock mutex 0.1.17 5"},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    unf_operation_text(f.u, &rows[i].operation, text, sizeof text);
    assert_string_equal(text, rows[i].text);
  }
  assert_string_equal(unf_action_kind_text(UNF_ACTION_COUNT), "?");
  assert_string_equal(unf_operation_kind_text((unf_operation_kind)-1), "?");
  close_fixture(&f);
}

/* A target of the right sort for what a table of kinds says of it. */
static uint32_t target_of(struct fixture *f, const char *sort) {
  static const char *const classes[] = {
#define NAME(name, text) #name,
      UNF_OBJECT_TABLE(NAME)
#undef NAME
  };
  uint32_t object = 0;
  for (unsigned i = 0; i < UNF_OBJECT_CLASS_COUNT; i++)
    if (strcmp(classes[i], sort) == 0)
      ok(unf_object_name(f->u, (unf_object_class)i, f->main, 0, &object));
  return strcmp(sort, "THREAD") == 0 ? f->left : object;
}

static unf_status offered(const struct fixture *f, unf_operation operation) {
  unf_configuration *c;
  ok(unf_configuration_new(f->u, &c));
  unf_status status = unf_configuration_offer(c, f->main, &operation);
  unf_configuration_free(c);
  return status;
}

/* How many of its numbers each kind of operation carries; a choice needs an order of them, a round
 * of a barrier a positive one. */
static void numbers_of_operations(void **state) {
  static const struct {
    const char *target;
  } kinds[] = {
#define ROW(name, text, target) [UNF_##name] = {#target},
      UNF_OPERATION_TABLE(ROW)
#undef ROW
  };
  static const unf_operation_kind carry_one[] = {
      UNF_ARRIVE,    UNF_PASS,       UNF_STORE,     UNF_EXCHANGE,   UNF_FETCH_ADD,
      UNF_FETCH_AND, UNF_FETCH_OR,   UNF_FETCH_XOR, UNF_FETCH_NAND, UNF_ADD,
      UNF_AWAIT,     UNF_FUTEX_WAIT, UNF_FUTEX_WAKE};
  static const unf_operation_kind carry_two[] = {UNF_LOCAL, UNF_CAS, UNF_EXCHANGE_AWAIT};
  (void)state;
  for (unsigned i = 0; i < UNF_OPERATION_COUNT; i++) {
    struct fixture f;
    unf_operation_kind kind = (unf_operation_kind)i;
    bool low = false, high = false;
    /* Of registered families only; of unfoldings with a predicate only. */
    if (kind == UNF_OPERATE || kind == UNF_BRANCH) continue;
    for (unsigned j = 0; j < sizeof carry_two / sizeof *carry_two; j++)
      high = high || carry_two[j] == kind;
    for (unsigned j = 0; j < sizeof carry_one / sizeof *carry_one; j++)
      low = low || carry_one[j] == kind;
    low = low || high;
    open_fixture(&f);
    unf_operation operation = {kind, target_of(&f, kinds[i].target), 0, low, high};
    if (kind == UNF_WAIT || kind == UNF_WAKE || kind == UNF_TIMED_WAKE) operation.second = f.m;
    if (kind == UNF_FUTEX_WAIT) operation.second = target_of(&f, "LOCATION");
    if (low && !high) {
      operation.high = 1;
      fails(UNF_INVALID, offered(&f, operation));
      operation.high = 0;
    } else if (!low) {
      operation.low = 1;
      fails(UNF_INVALID, offered(&f, operation));
      operation.low = 0;
    }
    operation.target += 100;
    assert_int_not_equal(offered(&f, operation), UNF_OK);
    operation.target -= 100;
    ok(offered(&f, operation));
    close_fixture(&f);
  }
  struct fixture f;
  open_fixture(&f);
  fails(UNF_INVALID, offered(&f, UNF_OP_LOCAL(2, 1)));
  fails(UNF_INVALID, offered(&f, UNF_OP_ARRIVE(target_of(&f, "BARRIER"), 0)));
  fails(UNF_INVALID, offered(&f, UNF_OP_FUTEX_WAKE(target_of(&f, "FUTEX"), -1)));
  ok(offered(&f, UNF_OP_LOCAL(INT64_MIN, INT64_MAX)));
  close_fixture(&f);
}

static void interning_by_causes(void **state) {
  struct fixture f;
  unf_configuration *c, *other;
  unf_event event, again;
  (void)state;
  open_fixture(&f);
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_new(f.u, &other));
  unf_event left = perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  unf_event right = perform(c, UNF_DID_CREATE, f.main, f.right, 0);
  ok(unf_configuration_assign(other, c));
  unf_event acquire = perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  unf_event rival = perform(other, UNF_DID_ACQUIRE, f.right, f.m, 0);
  unf_event failed = perform(c, UNF_DID_TRYFAIL, f.right, f.m, 0);
  unf_event release = perform(c, UNF_DID_RELEASE, f.left, f.m, 0);
  unf_action fail = did(UNF_DID_TRYFAIL, f.right, f.m, 0);
  unf_event causes[] = {right, acquire, 0, left, acquire};
  ok(unf_event_intern(f.u, &fail, causes, 5, &event));
  assert_int_equal(event, failed);
  unf_action rel = did(UNF_DID_RELEASE, f.left, f.m, 0);
  unf_event both[] = {acquire, failed};
  ok(unf_event_intern(f.u, &rel, both, 2, &event));
  assert_int_equal(event, release);
  /* The same release without the failed trylock is another event. */
  ok(unf_event_intern(f.u, &rel, &acquire, 1, &again));
  assert_int_not_equal(again, release);
  unf_event contradiction[] = {acquire, rival}, idle[] = {right};
  fails(UNF_CONFLICT, unf_event_intern(f.u, &fail, contradiction, 2, &event));
  fails(UNF_DISABLED, unf_event_intern(f.u, &fail, idle, 1, &event));
  unf_action acq = did(UNF_DID_ACQUIRE, f.left, f.m, 0);
  fails(UNF_INVALID, unf_event_intern(f.u, &acq, &right, 1, &event));
  unf_event unknown = 99;
  fails(UNF_UNKNOWN, unf_event_intern(f.u, &acq, &unknown, 1, &event));
  struct events seen = {{0}, 0};
  ok(unf_event_predecessors(f.u, release, collect_event, &seen));
  assert_true(seen.count == 1 && seen.event[0] == failed);
  fails(UNF_STATE, unf_thread_start(f.u, f.left));
  ok(unf_check_unfolding(f.u));
  unf_configuration_free(c);
  unf_configuration_free(other);
  close_fixture(&f);
}

static void cookies(void **state) {
  struct fixture f;
  unf_configuration *c;
  uint64_t cookie = 7;
  (void)state;
  open_fixture(&f);
  ok(unf_configuration_new(f.u, &c));
  unf_event event = perform(c, UNF_DID_LOCAL, f.main, 0, 1);
  ok(unf_event_cookie(f.u, event, &cookie));
  assert_int_equal(cookie, 0);
  ok(unf_event_set_cookie(f.u, event, UINT64_MAX));
  ok(unf_event_cookie(f.u, event, &cookie));
  assert_true(cookie == UINT64_MAX);
  ok(unf_event_cookie(f.u, 0, &cookie));
  assert_int_equal(cookie, 0);
  unf_configuration_free(c);
  close_fixture(&f);
}

/* The same event, interned after others and over other handles, has the same fingerprint. */
static void fingerprints(void **state) {
  struct fixture f, g;
  unf_configuration *c, *d;
  uint64_t one[2], two[2];
  unf_object spare;
  (void)state;
  open_fixture(&f);
  open_fixture(&g);
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_new(g.u, &d));
  ok(unf_object_name(g.u, UNF_MUTEX, g.main, 12345, &spare));
  unf_event a = perform(c, UNF_DID_CREATE, f.main, f.left, 0);
  a = perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  perform(d, UNF_DID_LOCAL, g.main, 0, 4);
  unf_configuration_clear(d);
  perform(d, UNF_DID_CREATE, g.main, g.left, 0);
  unf_event b = perform(d, UNF_DID_ACQUIRE, g.left, g.m, 0);
  assert_int_not_equal(a, b);
  ok(unf_event_fingerprint(f.u, a, one));
  ok(unf_event_fingerprint(g.u, b, two));
  assert_true(one[0] == two[0] && one[1] == two[1]);
  ok(unf_event_fingerprint(g.u, 1, two));
  assert_true(one[0] != two[0] && one[1] != two[1]);
  unf_configuration_free(c);
  unf_configuration_free(d);
  close_fixture(&f);
  close_fixture(&g);
}

static void dependence(void **state) {
  struct fixture f;
  (void)state;
  open_fixture(&f);
  const struct {
    unf_action a, b;
    bool dependent;
  } rows[] = {
      {did(UNF_DID_LOCAL, f.left, 0, 1), did(UNF_DID_LOCAL, f.left, 0, 2), true},
      {did(UNF_DID_LOCAL, f.left, 0, 1), did(UNF_DID_LOCAL, f.right, 0, 1), false},
      {did(UNF_DID_ACQUIRE, f.left, f.m, 0), did(UNF_DID_RELEASE, f.right, f.m, 0), true},
      {did(UNF_DID_ACQUIRE, f.left, f.m, 0), did(UNF_DID_ACQUIRE, f.right, f.n, 0), false},
      {did(UNF_DID_TRYFAIL, f.left, f.m, 0), did(UNF_DID_TRYFAIL, f.right, f.m, 0), false},
      {did(UNF_DID_TRYFAIL, f.left, f.m, 0), did(UNF_DID_ACQUIRE, f.right, f.m, 0), true},
      {did(UNF_DID_CREATE, f.main, f.left, 0), did(UNF_DID_LOCAL, f.left, 0, 0), true},
      {did(UNF_DID_CREATE, f.main, f.left, 0), did(UNF_DID_LOCAL, f.right, 0, 0), false},
      {did(UNF_DID_JOIN, f.main, f.left, 0), did(UNF_DID_RELEASE, f.left, f.m, 0), true},
      {did(UNF_DID_JOIN, f.main, f.left, 0), did(UNF_DID_JOIN, f.right, f.left, 0), false},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool one, two;
    ok(unf_actions_dependent(f.u, &rows[i].a, &rows[i].b, &one));
    ok(unf_actions_dependent(f.u, &rows[i].b, &rows[i].a, &two));
    assert_true(one == rows[i].dependent && two == one);
  }
  close_fixture(&f);
}

/* Posts to a semaphore with a maximum depend on each other, and one at the maximum leaves it. */
static void maximum_of_a_semaphore(void **state) {
  struct fixture f;
  unf_object s, other;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &s));
  ok(unf_object_name(f.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 1, &other));
  fails(UNF_UNKNOWN, unf_object_set_maximum(f.u, other + 1, 1));
  fails(UNF_INVALID, unf_object_set_maximum(f.u, f.m, 1));
  fails(UNF_INVALID, unf_object_set_maximum(f.u, s, 0));
  ok(unf_object_set_initial(f.u, other, 3));
  fails(UNF_INVALID, unf_object_set_maximum(f.u, other, 2));
  ok(unf_object_set_maximum(f.u, s, 1));
  ok(unf_object_set_maximum(f.u, s, 1));
  fails(UNF_STATE, unf_object_set_maximum(f.u, s, 2));
  fails(UNF_INVALID, unf_object_set_initial(f.u, s, 2));
  for (int i = 0; i < 2; i++) {
    unf_action a = did(UNF_DID_POST, f.left, i == 0 ? s : other, 0);
    unf_action b = did(UNF_DID_POST, f.right, i == 0 ? s : other, 0);
    bool dependent;
    ok(unf_actions_dependent(f.u, &a, &b, &dependent));
    assert_int_equal(dependent, i == 0);
  }
  fails(UNF_STATE, unf_object_set_maximum(f.u, other, 4));
  ok(unf_configuration_new(f.u, &c));
  perform(c, UNF_DID_POST, f.main, s, 0);
  perform(c, UNF_DID_POST, f.main, s, 0);
  perform(c, UNF_DID_SEM_WAIT, f.main, s, 0);
  unf_action again = did(UNF_DID_SEM_WAIT, f.main, s, 0);
  fails(UNF_DISABLED, unf_configuration_perform(c, &again, NULL));
  perform(c, UNF_DID_SEM_FAIL, f.main, s, 0);
  ok(unf_check_unfolding(f.u));
  unf_configuration_free(c);
  close_fixture(&f);
}

/* Forty events belong to each group of the table, so that most are in another. */
static uint32_t weak_hash(uint32_t event) {
  return event / 40;
}

/* What an event of the test follows: many follow the first, and some each of others. */
static uint32_t weakly_followed(uint32_t event) {
  return event % 2 == 0 ? 0 : 20 * event;
}

static bool is_in_group(const struct index_group *group, uint32_t event) {
  for (uint32_t i = 0; i < INDEX_GROUP; i++)
    if (group->events[i] == event && group->hashes[i] == weak_hash(event)) return true;
  return false;
}

/* Whether a place that a search comes to has an event. */
static bool is_reached(const struct index *index, uint32_t event) {
  const struct index_group *group = index_near(index, weakly_followed(event));
  for (uint32_t at = weak_hash(event); !is_in_group(group, event); at++) {
    if (!index_group_is_full(group)) return false;
    group = &index->groups[at & index->mask];
  }
  return true;
}

static void index_of_events(void **state) {
  enum { EVENTS = 3000 };
  unf_context *context;
  struct index index;
  (void)state;
  ok(unf_context_new(NULL, &context));
  size_t alone = unf_context_bytes(context);
  assert_true(unfi_index_begin(context, &index));
  for (uint32_t event = 1; event <= EVENTS; event++) {
    uint32_t follows = weakly_followed(event);
    assert_true(index_reserve(context, &index, follows));
    index_put(&index, follows, weak_hash(event), event);
    assert_false(index_group_lacks(index_near(&index, follows), weak_hash(event)));
    assert_true(index.count <= ((uint64_t)index.mask + 1) * 6);
  }
  for (uint32_t event = 1; event <= EVENTS; event++)
    assert_true(is_reached(&index, event));
  /* All but the first that follow the first event are in the table, and of the others none. */
  assert_int_equal(index.count, EVENTS / 2 - (INDEX_GROUP - 1));
  assert_true(index_group_lacks(&index.groups[index.mask], index.mask));
  assert_null(index_near(&index, 20 * EVENTS + NEAR_BLOCK));
  unfi_index_free(context, &index);
  assert_int_equal(unf_context_bytes(context), alone);
  unf_context_free(context);
}

/* What is called without a look whether it is there. */
static void families_are_whole(void **state) {
  struct fixture f;
  (void)state;
  open_fixture(&f);
  for (uint32_t i = 0; i < f.u->effects->count; i++) {
    const struct effect_family *family = f.u->effects->families[i];
    assert_true(family->actions.count > 0 || family->operations.count > 0);
    assert_true(family->outcomes != NULL && family->possible != NULL);
    assert_true((family->conflicting != NULL) != (family->shapes != NULL));
    assert_true((family->blockers != NULL) != (family->concerns != NULL));
  }
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_interned),
      cmocka_unit_test(names_as_text),
      cmocka_unit_test(numbers_of_operations),
      cmocka_unit_test(interning_by_causes),
      cmocka_unit_test(cookies),
      cmocka_unit_test(fingerprints),
      cmocka_unit_test(dependence),
      cmocka_unit_test(maximum_of_a_semaphore),
      cmocka_unit_test(index_of_events),
      cmocka_unit_test(families_are_whole),
  };
  return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
