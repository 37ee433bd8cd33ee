/* What can be asked on the way: why a thread is blocked, what it is about to do, why a run is
 * redundant, what is left of limits. */
#include "fixture.h"

static void offer(unf_configuration *c, unf_thread thread, unf_operation operation) {
  ok(unf_configuration_offer(c, thread, &operation));
}

/* The events that a thread is told to wait behind. */
static struct events behind(unf_configuration *c, unf_thread thread, bool expected) {
  struct events events = {.count = 0};
  bool blocked = !expected;
  ok(unf_configuration_blocked(c, thread, &blocked, collect_event, &events));
  assert_int_equal(blocked, expected);
  ok(unf_configuration_blocked(c, thread, &blocked, NULL, NULL));
  assert_int_equal(blocked, expected);
  return events;
}

static void only(struct events events, unf_event event) {
  assert_int_equal(events.count, 1);
  assert_int_equal(events.event[0], event);
}

static void start_all(struct fixture *f, unf_configuration *c) {
  offer(c, f->main, UNF_OP_CREATE(f->left));
  perform(c, UNF_DID_CREATE, f->main, f->left, 0);
  offer(c, f->main, UNF_OP_CREATE(f->right));
  perform(c, UNF_DID_CREATE, f->main, f->right, 0);
}

static void blocked_at_locks(void **state) {
  struct fixture f;
  unf_configuration *c;
  unf_object lock;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_RWLOCK, UNF_THREAD_NONE, 0, &lock));
  ok(unf_configuration_new(f.u, &c));
  start_all(&f, c);
  offer(c, f.left, UNF_OP_LOCK(f.m));
  assert_int_equal(behind(c, f.left, false).count, 0);
  unf_event locked = perform(c, UNF_DID_ACQUIRE, f.left, f.m, 0);
  offer(c, f.right, UNF_OP_LOCK(f.m));
  only(behind(c, f.right, true), locked);
  offer(c, f.left, UNF_OP_UNLOCK(f.m));
  only(behind(c, f.left, false), locked);
  unf_event unlocked = perform(c, UNF_DID_RELEASE, f.left, f.m, 0);
  only(behind(c, f.right, false), unlocked);
  unf_event again = perform(c, UNF_DID_ACQUIRE, f.right, f.m, 0);
  offer(c, f.right, UNF_OP_RDLOCK(lock));
  offer(c, f.left, UNF_OP_RDLOCK(lock));
  unf_event one = perform(c, UNF_DID_RDLOCK, f.left, lock, 0);
  unf_event other = perform(c, UNF_DID_RDLOCK, f.right, lock, 0);
  offer(c, f.main, UNF_OP_WRLOCK(lock));
  struct events readers = behind(c, f.main, true);
  assert_int_equal(readers.count, 2);
  assert_true(readers.event[0] == one && readers.event[1] == other);
  offer(c, f.left, UNF_OP_LOCK(f.m));
  only(behind(c, f.left, true), again);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void blocked_elsewhere(void **state) {
  struct fixture f;
  unf_configuration *c;
  unf_object semaphore, location;
  bool blocked;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &semaphore));
  ok(unf_object_name(f.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &location));
  ok(unf_configuration_new(f.u, &c));
  fails(UNF_MISSING, unf_configuration_blocked(c, f.main, &blocked, NULL, NULL));
  fails(UNF_STATE, unf_configuration_blocked(c, f.left, &blocked, NULL, NULL));
  fails(UNF_UNKNOWN, unf_configuration_blocked(c, 99, &blocked, NULL, NULL));
  offer(c, f.main, UNF_OP_JOIN(f.left));
  assert_int_equal(behind(c, f.main, true).count, 0); /* it was never started */
  unf_configuration_free(c);
  unf_unfolding_free(f.u);
  ok(unf_unfolding_new(f.context, NULL, &f.u));
  ok(unf_thread_name(f.u, UNF_THREAD_NONE, 0, &f.main));
  ok(unf_thread_name(f.u, f.main, 0, &f.left));
  ok(unf_thread_name(f.u, f.main, 1, &f.right));
  ok(unf_thread_start(f.u, f.main));
  ok(unf_object_name(f.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &semaphore));
  ok(unf_object_name(f.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &location));
  ok(unf_configuration_new(f.u, &c));
  start_all(&f, c);
  offer(c, f.left, UNF_OP_SEM_WAIT(semaphore));
  assert_int_equal(behind(c, f.left, true).count, 0); /* nothing happened there yet */
  offer(c, f.right, UNF_OP_AWAIT(location, UNF_EQUAL, 2));
  offer(c, f.main, UNF_OP_STORE(location, 1));
  unf_event stored = perform(c, UNF_DID_WRITE, f.main, location, 0);
  only(behind(c, f.right, true), stored);
  offer(c, f.main, UNF_OP_JOIN(f.left));
  struct events joined = behind(c, f.main, true);
  assert_int_equal(joined.count, 1); /* the one that created it */
  unf_action action;
  ok(unf_event_action(f.u, joined.event[0], &action));
  assert_true(action.kind == UNF_DID_CREATE && action.target == f.left);
  unf_configuration_free(c);
  close_fixture(&f);
}

static void ended_threads(void **state) {
  struct fixture f;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  ok(unf_configuration_new(f.u, &c));
  offer(c, f.main, UNF_OP_HALT(UNF_HALT_ASSUME));
  assert_int_equal(behind(c, f.main, false).count, 0);
  unf_configuration_free(c);
  close_fixture(&f);
}

/* ---- on the way of a run ---- */

/* COUNT(3) of tests/golden: three threads that take a mutex of their own each, one that counts to
 * two, and one that takes the mutex whose number the counter has reached. */
enum { COUNTER = 3, MASTER, THREADS, GUARD = 3, OBJECTS };

struct program {
  uint32_t done[THREADS]; /* operations */
  uint32_t count, read;   /* the counter, and what the master read */
};

static unf_operation operation_of(const struct program *p, uint32_t thread) {
  uint32_t done = p->done[thread], own = thread < COUNTER ? thread : done < 2 ? GUARD : p->read;
  if (thread == COUNTER) own = GUARD;
  if (done == (thread < COUNTER ? 2 : 4)) return UNF_OP_EXIT();
  return done % 2 == 0 ? UNF_OP_LOCK(own) : UNF_OP_UNLOCK(own);
}

static void did_one(struct program *p, uint32_t thread) {
  p->done[thread]++;
  if (thread == COUNTER && p->done[thread] % 2 == 0) p->count++;
  if (thread == MASTER && p->done[thread] == 2) p->read = p->count;
}

static bool is_operation(const unf_operation *a, const unf_operation *b) {
  return a->kind == b->kind && a->target == b->target;
}

static void one_run(unf_explorer *x, unf_step_kind *end) {
  struct program p = {{0}, 0, 0};
  unf_operation seen, expected;
  unf_step step;
  for (uint32_t t = 0; t < THREADS; t++) {
    expected = operation_of(&p, t);
    ok(unf_explorer_offer(x, t, &expected));
  }
  for (;;) {
    for (uint32_t t = 0; t < THREADS; t++) {
      expected = operation_of(&p, t);
      ok(unf_explorer_operation(x, t, &seen));
      assert_true(is_operation(&seen, &expected));
    }
    ok(unf_explorer_step(x, &step));
    if (step.kind != UNF_STEP_ACTION) break;
    ok(unf_explorer_commit(x, NULL, 0));
    did_one(&p, step.action.thread);
    expected = operation_of(&p, step.action.thread);
    ok(unf_explorer_offer(x, step.action.thread, &expected));
  }
  *end = step.kind;
}

/* All that sleeps at the end of a redundant run could be done there. */
static void check_sleepers(unf_unfolding *u, unf_explorer *x, bool redundant) {
  struct events asleep = {.count = 0};
  unf_configuration *c;
  ok(unf_explorer_asleep(x, collect_event, &asleep));
  assert_int_equal(asleep.count > 0, redundant);
  for (unsigned i = 0; i < asleep.count; i++) {
    ok(unf_configuration_new(u, &c));
    ok(unf_explorer_configuration(x, c));
    ok(unf_configuration_extend(c, asleep.event[i]));
    unf_configuration_free(c);
  }
}

static void runs(void **state) {
  (void)state;
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread thread;
  unf_object object;
  unf_operation seen;
  unf_run run;
  unf_step_kind end;
  uint64_t redundant = 0;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = UNF_SDPOR;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  for (uint32_t i = 0; i < OBJECTS; i++)
    ok(unf_object_name(u, UNF_MUTEX, UNF_THREAD_NONE, i, &object));
  for (uint32_t t = 0; t < THREADS; t++) {
    ok(unf_thread_name(u, UNF_THREAD_NONE, t, &thread));
    ok(unf_thread_start(u, thread));
  }
  ok(unf_explorer_new(u, &options, &x));
  fails_alone(UNF_STATE, unf_explorer_operation(x, 0, &seen));
  fails_alone(UNF_STATE, unf_explorer_asleep(x, collect_event, NULL));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    if (run.number == 1) fails_alone(UNF_MISSING, unf_explorer_operation(x, 0, &seen));
    fails_alone(UNF_UNKNOWN, unf_explorer_operation(x, 99, &seen));
    one_run(x, &end);
    redundant += end == UNF_STEP_REDUNDANT;
    check_sleepers(u, x, end == UNF_STEP_REDUNDANT);
    ok(unf_explorer_finish(x, false, NULL));
    check_sleepers(u, x, end == UNF_STEP_REDUNDANT);
  }
  fails_alone(UNF_STATE, unf_explorer_asleep(x, collect_event, NULL));
  assert_int_equal(redundant, 12);
  unf_explorer_free(x);
  unf_unfolding_free(u);
  unf_context_free(context);
}

static void limits(void **state) {
  struct fixture f;
  unf_left left;
  unf_limits limits = {0};
  (void)state;
  open_fixture(&f);
  ok(unf_context_left(f.context, &left));
  assert_true(left.runs == UINT64_MAX && left.events == UINT64_MAX && left.bytes == UINT64_MAX);
  assert_true(left.seconds < 0);
  limits = (unf_limits){
      .events = 3, .bytes = unf_context_bytes(f.context) + 1000000, .runs = 7, .seconds = 1e9};
  ok(unf_context_set_limits(f.context, &limits));
  ok(unf_context_left(f.context, &left));
  assert_int_equal(left.events, 3);
  assert_int_equal(left.runs, 7);
  assert_int_equal(left.bytes, 1000000);
  assert_true(left.seconds > 1e8 && left.seconds <= 1e9);
  unf_configuration *c;
  ok(unf_configuration_new(f.u, &c));
  start_all(&f, c);
  ok(unf_context_left(f.context, &left));
  assert_int_equal(left.events, 1);
  assert_true(left.bytes < 1000000);
  limits = (unf_limits){.events = 1, .bytes = 1, .seconds = 1e-12};
  ok(unf_context_set_limits(f.context, &limits));
  ok(unf_context_left(f.context, &left));
  assert_true(left.events == 0 && left.bytes == 0 && left.runs == UINT64_MAX);
  assert_true(left.seconds == 0);
  unf_configuration_free(c);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocked_at_locks), cmocka_unit_test(blocked_elsewhere),
      cmocka_unit_test(ended_threads),    cmocka_unit_test(runs),
      cmocka_unit_test(limits),
  };
  return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}
