/*
 * Additions in a row, by one thread and by several in turn: what they sum up to is kept, so that a
 * step costs the same however many there were before. With a walk over those, the larger size would
 * not come to its end; bytes are compared at two sizes.
 */
#include "fixture.h"

enum { MOST = 8, FEW = 10000, MANY = 160000 };
#ifdef UNF_PLAIN_ARENAS /* where every record is an allocation, and has more blocks */
enum { STEP_BYTES = 1200 };
#else
enum { STEP_BYTES = 400 };
#endif

/* A configuration that steps are performed in, without an explorer. */
struct run {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c;
  uint32_t threads;
  unf_thread thread[MOST];
  unf_object object;
};

static void begin(struct run *r, unf_object_class object_class, uint32_t threads) {
  r->threads = threads;
  ok(unf_context_new(NULL, &r->context));
  ok(unf_unfolding_new(r->context, NULL, &r->u));
  ok(unf_configuration_new(r->u, &r->c));
  ok(unf_object_name(r->u, object_class, UNF_THREAD_NONE, 0, &r->object));
  for (uint32_t t = 0; t < threads; t++) {
    ok(unf_thread_name(r->u, UNF_THREAD_NONE, t, &r->thread[t]));
    ok(unf_thread_start(r->u, r->thread[t]));
  }
}

static void end(struct run *r) {
  unf_configuration_free(r->c);
  unf_unfolding_free(r->u);
  unf_context_free(r->context);
}

/* The operation becomes an action, if that is possible. */
static bool can(struct run *r, uint32_t t, unf_operation_kind kind, int64_t low,
                unf_action_kind action) {
  unf_operation operation = unf_operation_make(kind, r->object, low, 0);
  unf_action wanted = did(action, r->thread[t], r->object, 0);
  ok(unf_configuration_offer(r->c, r->thread[t], &operation));
  unf_status status = unf_configuration_perform(r->c, &wanted, NULL);
  assert_true(status == UNF_OK || status == UNF_DISABLED);
  return status == UNF_OK;
}

static void does(struct run *r, uint32_t t, unf_operation_kind kind, int64_t low,
                 unf_action_kind action) {
  assert_true(can(r, t, kind, low, action));
}

/* n posts, which are all taken again, and no more than these. */
static void posts(struct run *r, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    does(r, i % r->threads, UNF_POST, 0, UNF_DID_POST);
  for (uint32_t i = 0; i < n; i++)
    does(r, i % r->threads, UNF_SEM_WAIT, 0, UNF_DID_SEM_WAIT);
  assert_false(can(r, n % r->threads, UNF_SEM_WAIT, 0, UNF_DID_SEM_WAIT));
}

/* Every thread holds the lock for reading n / threads times before it gives it back. */
static void holds(struct run *r, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    does(r, i % r->threads, UNF_RDLOCK, 0, UNF_DID_RDLOCK);
  for (uint32_t i = 0; i < n; i++)
    does(r, i % r->threads, UNF_RWUNLOCK, 0, UNF_DID_RDUNLOCK);
  does(r, 0, UNF_TRYWRLOCK, 0, UNF_DID_WRLOCK);
  does(r, 0, UNF_RWUNLOCK, 0, UNF_DID_WRUNLOCK);
  assert_false(can(r, 0, UNF_RWUNLOCK, 0, UNF_DID_RDUNLOCK));
}

/* Each hold is given back at once, but for one of the first thread, which writers fail at. */
static void readers(struct run *r, uint32_t n) {
  does(r, 0, UNF_RDLOCK, 0, UNF_DID_RDLOCK);
  for (uint32_t i = 0; i < n; i++) {
    bool gives_back = i / r->threads % 2 == 1;
    does(r, i % r->threads, gives_back ? UNF_RWUNLOCK : UNF_RDLOCK, 0,
         gives_back ? UNF_DID_RDUNLOCK : UNF_DID_RDLOCK);
  }
  does(r, r->threads - 1, UNF_TRYWRLOCK, 0, UNF_DID_WRFAIL);
  does(r, 0, UNF_RWUNLOCK, 0, UNF_DID_RDUNLOCK);
  does(r, r->threads - 1, UNF_TRYWRLOCK, 0, UNF_DID_WRLOCK);
}

/* Reads stand between the additions of a second half. */
static void additions(struct run *r, uint32_t n) {
  int64_t value;
  for (uint32_t i = 0; i < n; i++)
    does(r, i % r->threads, UNF_ADD, 3, UNF_DID_ADD);
  ok(unf_configuration_value(r->c, r->object, &value));
  assert_int_equal(value, 3 * (int64_t)n);
  for (uint32_t i = 0; i < n; i++) {
    bool reads = i / r->threads % 2 == 1;
    does(r, i % r->threads, reads ? UNF_LOAD : UNF_ADD, reads ? 0 : -1,
         reads ? UNF_DID_READ : UNF_DID_ADD);
    ok(unf_configuration_value(r->c, r->object, &value));
    assert_true(value <= 3 * (int64_t)n && value >= 2 * (int64_t)n);
  }
  assert_int_equal(value, 3 * (int64_t)n - n / 2);
  does(r, 0, UNF_FETCH_ADD, 5, UNF_DID_WRITE);
  ok(unf_configuration_value(r->c, r->object, &value));
  assert_int_equal(value, 3 * (int64_t)n - n / 2 + 5);
}

static void sums(unf_object_class object_class, void (*steps)(struct run *r, uint32_t n)) {
  for (uint32_t threads = 1; threads <= MOST; threads += MOST - 1)
    for (uint32_t n = FEW; n <= MANY; n += MANY - FEW) {
      struct run r;
      begin(&r, object_class, threads);
      steps(&r, n);
      assert_true(unf_context_bytes(r.context) / unf_unfolding_events(r.u) < STEP_BYTES);
      end(&r);
    }
}

static void posts_are_counted(void **state) {
  (void)state;
  sums(UNF_SEMAPHORE, posts);
}

static void holds_are_counted(void **state) {
  (void)state;
  sums(UNF_RWLOCK, holds);
}

static void readers_are_counted(void **state) {
  (void)state;
  sums(UNF_RWLOCK, readers);
}

static void additions_are_counted(void **state) {
  (void)state;
  sums(UNF_LOCATION, additions);
}

static bool no_event(void *user, unf_event event) {
  (void)user;
  fail_msg("event %u could not have been", event);
  return false;
}

/* What steps could have been instead is looked for among those that they are not ordered with, of
 * which there are none here. */
static void nothing_else_could_have_been(void **state) {
  static const unf_object_class classes[] = {UNF_RWLOCK, UNF_SEMAPHORE, UNF_LOCATION};
  static const unf_operation_kind kinds[] = {UNF_RDLOCK, UNF_POST, UNF_ADD};
  static const unf_action_kind actions[] = {UNF_DID_RDLOCK, UNF_DID_POST, UNF_DID_ADD};
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct run r;
    const unf_operation over = UNF_OP_EXIT();
    begin(&r, classes[i], 2);
    for (uint32_t n = 0; n < MANY; n++)
      does(&r, n % 2, kinds[i], kinds[i] == UNF_ADD, actions[i]);
    for (uint32_t t = 0; t < 2; t++)
      ok(unf_configuration_offer(r.c, r.thread[t], &over));
    ok(unf_extensions_conflicting(r.c, no_event, NULL));
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(posts_are_counted),
      cmocka_unit_test(holds_are_counted),
      cmocka_unit_test(readers_are_counted),
      cmocka_unit_test(additions_are_counted),
      cmocka_unit_test(nothing_else_could_have_been),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
