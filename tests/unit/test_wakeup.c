/* Sleep sets, weak initials, wakeup trees, races and reversals on executions that fit in the head:
 * what each says, and what each refuses. */
#include "fixture.h"

/* Two threads from the start, and a location. */
struct parts {
  struct fixture f;
  unf_thread a, b;
  unf_object x;
  unf_configuration *c;
  unf_sleep_sets *sleep;
  unf_wakeup_trees *trees;
};

static int open_parts(void **state) {
  static struct parts p;
  open_fixture(&p.f);
  ok(unf_thread_name(p.f.u, UNF_THREAD_NONE, 1, &p.a));
  ok(unf_thread_name(p.f.u, UNF_THREAD_NONE, 2, &p.b));
  ok(unf_thread_start(p.f.u, p.a));
  ok(unf_thread_start(p.f.u, p.b));
  ok(unf_object_name(p.f.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &p.x));
  ok(unf_configuration_new(p.f.u, &p.c));
  ok(unf_sleep_new(p.f.u, &p.sleep));
  ok(unf_wakeup_new(p.f.u, &p.trees));
  *state = &p;
  return 0;
}

static int close_parts(void **state) {
  struct parts *p = *state;
  unf_sleep_free(p->sleep);
  unf_wakeup_free(p->trees);
  unf_configuration_free(p->c);
  close_fixture(&p->f);
  return 0;
}

static void offer(struct parts *p, unf_thread thread, unf_operation operation) {
  ok(unf_configuration_offer(p->c, thread, &operation));
}

/* The event of an action after the current execution, which stays as it is. */
static unf_event after(struct parts *p, unf_action_kind kind, unf_thread thread, uint32_t target,
                       int64_t value) {
  unf_configuration *copy;
  ok(unf_configuration_new(p->f.u, &copy));
  ok(unf_configuration_assign(copy, p->c));
  unf_event event = perform(copy, kind, thread, target, value);
  unf_configuration_free(copy);
  return event;
}

static void sleep_sets(void **state) {
  struct parts *p = *state;
  struct events events = {.count = 0};
  bool out;
  unf_event lock = after(p, UNF_DID_ACQUIRE, p->a, p->f.m, 0);
  unf_event rival = after(p, UNF_DID_ACQUIRE, p->b, p->f.m, 0);
  unf_event other = after(p, UNF_DID_ACQUIRE, p->b, p->f.n, 0);
  unf_event local = after(p, UNF_DID_LOCAL, p->f.main, 0, 0);
  assert_int_equal(unf_sleep_last(p->sleep), UNF_EVENT_BOTTOM);
  ok(unf_sleep_add(p->sleep, rival));
  ok(unf_sleep_add(p->sleep, local));
  ok(unf_sleep_push(p->sleep, lock));
  assert_int_equal(unf_sleep_last(p->sleep), lock);
  /* The lock wakes the other one of its mutex; the root keeps it. */
  ok(unf_sleep_contains(p->sleep, rival, &out));
  assert_false(out);
  ok(unf_sleep_contains(p->sleep, local, &out));
  assert_true(out);
  ok(unf_sleep_initial(p->sleep, 0, &rival, 1, &out));
  assert_true(out);
  ok(unf_sleep_initial(p->sleep, 1, &rival, 1, &out));
  assert_true(out); /* the local event sleeps there, and is independent of all */
  ok(unf_sleep_add(p->sleep, other));
  ok(unf_sleep_visit(p->sleep, 1, collect_event, &events));
  assert_int_equal(events.count, 2);
  assert_int_equal(events.event[0], local);
  assert_int_equal(events.event[1], other);
  ok(unf_sleep_pop(p->sleep));
  events.count = 0;
  ok(unf_sleep_visit(p->sleep, 0, collect_event, &events));
  assert_int_equal(events.count, 2);
  assert_int_equal(events.event[0], rival);
  fails(UNF_STATE, unf_sleep_pop(p->sleep));
  fails(UNF_UNKNOWN, unf_sleep_add(p->sleep, 1000));
  fails(UNF_INVALID, unf_sleep_push(p->sleep, UNF_EVENT_BOTTOM));
  fails(UNF_UNKNOWN, unf_sleep_contains(p->sleep, 1000, &out));
  fails(UNF_INVALID, unf_sleep_initial(p->sleep, 1, &rival, 1, &out));
  fails(UNF_INVALID, unf_sleep_visit(p->sleep, 1, collect_event, &events));
  fails_alone(UNF_INVALID, unf_sleep_new(NULL, &p->sleep));
}

static void weak_initials(void **state) {
  struct parts *p = *state;
  bool out;
  unf_event lock = after(p, UNF_DID_ACQUIRE, p->a, p->f.m, 0);
  unf_event rival = after(p, UNF_DID_ACQUIRE, p->b, p->f.m, 0);
  unf_event other = after(p, UNF_DID_ACQUIRE, p->b, p->f.n, 0);
  unf_event local = after(p, UNF_DID_LOCAL, p->f.main, 0, 0);
  const unf_event sequence[3] = {local, lock, rival};
  ok(unf_weak_initial(p->f.u, lock, sequence, 3, &out));
  assert_true(out); /* local comes before it, and is independent */
  ok(unf_weak_initial(p->f.u, rival, sequence, 3, &out));
  assert_false(out); /* the lock comes before it */
  ok(unf_weak_initial(p->f.u, other, sequence, 2, &out));
  assert_true(out); /* not there, and independent of all that is */
  ok(unf_weak_initial(p->f.u, other, sequence, 3, &out));
  assert_false(out); /* its thread does something else */
  ok(unf_weak_initial(p->f.u, other, NULL, 0, &out));
  assert_true(out);
  fails(UNF_UNKNOWN, unf_weak_initial(p->f.u, 1000, sequence, 3, &out));
  fails(UNF_INVALID, unf_weak_initial(p->f.u, UNF_EVENT_BOTTOM, sequence, 3, &out));
}

struct drawn {
  unf_event event[16];
  uint32_t level[16], count, stop;
};

static bool draw(void *user, unf_event event, uint32_t level) {
  struct drawn *d = user;
  d->event[d->count] = event;
  d->level[d->count++] = level;
  return d->count != d->stop;
}

static void trees(void **state) {
  struct parts *p = *state;
  struct drawn d = {.count = 0};
  bool changed;
  unf_event out;
  unf_event lock = after(p, UNF_DID_ACQUIRE, p->a, p->f.m, 0);
  unf_event rival = after(p, UNF_DID_ACQUIRE, p->b, p->f.m, 0);
  unf_event local = after(p, UNF_DID_LOCAL, p->f.main, 0, 0);
  unf_event low = after(p, UNF_DID_LOCAL, p->f.main, 0, 1);
  const unf_event first[2] = {lock, local}, swapped[2] = {local, lock};
  const unf_event second[2] = {rival, low}, third[2] = {lock, low};
  ok(unf_wakeup_take(p->trees, 3, &out));
  assert_int_equal(out, UNF_EVENT_NONE);
  ok(unf_wakeup_insert(p->trees, 3, first, 2, &changed));
  assert_true(changed);
  ok(unf_wakeup_insert(p->trees, 3, swapped, 2, &changed));
  assert_false(changed); /* the same trace */
  ok(unf_wakeup_insert(p->trees, 3, &lock, 1, &changed));
  assert_false(changed); /* covered */
  ok(unf_wakeup_insert(p->trees, 3, second, 2, NULL));
  ok(unf_wakeup_insert(p->trees, 3, third, 2, &changed));
  assert_true(changed); /* under the lock that is there */
  assert_int_equal(unf_wakeup_size(p->trees), 5);
  ok(unf_wakeup_visit(p->trees, 3, draw, &d));
  const unf_event events[5] = {lock, local, low, rival, low};
  const uint32_t levels[5] = {0, 1, 1, 0, 1};
  assert_int_equal(d.count, 5);
  assert_memory_equal(d.event, events, sizeof events);
  assert_memory_equal(d.level, levels, sizeof levels);
  d.count = 0;
  d.stop = 2;
  ok(unf_wakeup_visit(p->trees, 3, draw, &d));
  assert_int_equal(d.count, 2);
  ok(unf_wakeup_take(p->trees, 3, &out));
  assert_int_equal(out, lock);
  /* What was below it is the tree of the next node. */
  fails(UNF_STATE, unf_wakeup_take(p->trees, 3, &out));
  ok(unf_wakeup_take(p->trees, 4, &out));
  assert_int_equal(out, local);
  ok(unf_wakeup_take(p->trees, 5, &out));
  assert_int_equal(out, UNF_EVENT_NONE);
  ok(unf_wakeup_take(p->trees, 4, &out));
  assert_int_equal(out, low);
  ok(unf_wakeup_take(p->trees, 3, &out));
  assert_int_equal(out, rival);
  assert_int_equal(unf_wakeup_size(p->trees), 1);
  fails(UNF_INVALID, unf_wakeup_insert(p->trees, 0, first, 0, NULL));
  fails(UNF_INVALID, unf_wakeup_insert(p->trees, 0, (unf_event[]){0}, 1, NULL));
  fails(UNF_UNKNOWN, unf_wakeup_insert(p->trees, 0, (unf_event[]){1000}, 1, NULL));
  fails_alone(UNF_INVALID, unf_wakeup_new(NULL, &p->trees));
  uint64_t bytes = unf_context_bytes(p->f.context);
  fails(UNF_INVALID, unf_wakeup_insert(p->trees, (uint64_t)1 << 30, first, 1, NULL));
  assert_non_null(strstr(unf_context_detail(p->f.context)->text, "depth 1073741824"));
  assert_int_equal(unf_context_bytes(p->f.context), bytes);
}

struct pairs {
  uint64_t first[8], second[8];
  uint32_t count, stop;
};

static bool note(void *user, uint64_t first, uint64_t second) {
  struct pairs *pairs = user;
  pairs->first[pairs->count] = first;
  pairs->second[pairs->count++] = second;
  return pairs->count != pairs->stop;
}

struct reported {
  unf_event event[8], last[8];
  uint64_t position[8], count[8];
  uint32_t reversals, stop;
};

static bool note_reversal(void *user, const unf_reversal *r) {
  struct reported *reported = user;
  uint32_t i = reported->reversals++;
  reported->event[i] = r->event;
  reported->position[i] = r->position;
  reported->count[i] = r->count;
  reported->last[i] = r->sequence[r->count - 1];
  return reported->reversals != reported->stop;
}

/* main creates left and writes x; left locks m and never unlocks; a locks m too, and is blocked. */
static void executions(void **state) {
  struct parts *p = *state;
  struct pairs pairs = {.count = 0};
  struct reported reported = {.reversals = 0};
  unf_event e[4];
  offer(p, p->f.main, UNF_OP_CREATE(p->f.left));
  offer(p, p->a, UNF_OP_LOCK(p->f.m));
  offer(p, p->b, UNF_OP_LOAD(p->x));
  e[0] = perform(p->c, UNF_DID_CREATE, p->f.main, p->f.left, 0);
  offer(p, p->f.main, UNF_OP_STORE(p->x, 1));
  offer(p, p->f.left, UNF_OP_LOCK(p->f.m));
  e[1] = perform(p->c, UNF_DID_ACQUIRE, p->f.left, p->f.m, 0);
  e[2] = perform(p->c, UNF_DID_WRITE, p->f.main, p->x, 0);
  fails(UNF_MISSING, unf_execution_reversals(p->f.u, e, 3, note_reversal, &reported));
  offer(p, p->f.left, UNF_OP_EXIT());
  offer(p, p->f.main, UNF_OP_EXIT());
  e[3] = perform(p->c, UNF_DID_READ, p->b, p->x, 0);
  offer(p, p->b, UNF_OP_EXIT());
  ok(unf_execution_races(p->f.u, e, 4, note, &pairs));
  assert_int_equal(pairs.count, 1); /* not the creation and what left does first */
  assert_int_equal(pairs.first[0], 2);
  assert_int_equal(pairs.second[0], 3);
  ok(unf_execution_reversals(p->f.u, e, 4, note_reversal, &reported));
  assert_int_equal(reported.reversals, 2);
  for (uint32_t i = 0; i < 2; i++) {
    unf_action action;
    ok(unf_event_action(p->f.u, reported.event[i], &action));
    assert_int_equal(reported.last[i], reported.event[i]);
    if (action.kind == UNF_DID_READ) { /* before the store: alone */
      assert_int_equal(reported.position[i], 2);
      assert_int_equal(reported.count[i], 1);
    } else { /* the blocked thread: store and load are independent of it */
      assert_int_equal(action.kind, UNF_DID_ACQUIRE);
      assert_int_equal(action.thread, p->a);
      assert_int_equal(reported.position[i], 1);
      assert_int_equal(reported.count[i], 3);
    }
  }
  reported.reversals = 0;
  reported.stop = 1;
  ok(unf_execution_reversals(p->f.u, e, 4, note_reversal, &reported));
  assert_int_equal(reported.reversals, 1);
  const unf_event twice[2] = {e[0], e[0]}, early[1] = {e[1]}, unknown[1] = {1000};
  fails(UNF_STATE, unf_execution_races(p->f.u, twice, 2, note, &pairs));
  fails(UNF_STATE, unf_execution_races(p->f.u, early, 1, note, &pairs));
  fails(UNF_UNKNOWN, unf_execution_reversals(p->f.u, unknown, 1, note_reversal, &reported));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(sleep_sets, open_parts, close_parts),
      cmocka_unit_test_setup_teardown(weak_initials, open_parts, close_parts),
      cmocka_unit_test_setup_teardown(trees, open_parts, close_parts),
      cmocka_unit_test_setup_teardown(executions, open_parts, close_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
