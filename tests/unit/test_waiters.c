/* Extensions of notifications with many waiters: one at a time, never all subsets
 * of the waiters. */
#include "fixture.h"

enum { WAITERS = 20 };

struct counted {
  uint64_t calls;
};

static void *count_calls(void *user, void *block, size_t old_size, size_t new_size) {
  struct counted *counted = user;
  (void)old_size;
  counted->calls++;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

struct many {
  struct counted counted;
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c;
  unf_thread waiter[WAITERS], notifier;
  unf_object condition, mutex[WAITERS];
};

static void step(struct many *m, const unf_operation *operation, unf_action action) {
  ok(unf_configuration_offer(m->c, action.thread, operation));
  ok(unf_configuration_perform(m->c, &action, NULL));
}

/* Every waiter waits, each with a mutex of its own, and what the notifier is about to
 * do is known. */
static void open_many(struct many *m, const unf_operation *last) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  memset(m, 0, sizeof *m);
  options.allocator = (unf_allocator){count_calls, &m->counted};
  ok(unf_context_new(&options, &m->context));
  ok(unf_unfolding_new(m->context, NULL, &m->u));
  ok(unf_object_name(m->u, UNF_CONDITION, UNF_THREAD_NONE, 0, &m->condition));
  for (uint32_t i = 0; i <= WAITERS; i++) {
    unf_thread *t = i < WAITERS ? &m->waiter[i] : &m->notifier;
    ok(unf_thread_name(m->u, UNF_THREAD_NONE, i, t));
    ok(unf_thread_start(m->u, *t));
  }
  ok(unf_configuration_new(m->u, &m->c));
  for (uint32_t i = 0; i < WAITERS; i++) {
    ok(unf_object_name(m->u, UNF_MUTEX, UNF_THREAD_NONE, i, &m->mutex[i]));
    unf_operation lock = UNF_OP_LOCK(m->mutex[i]);
    unf_operation wait = UNF_OP_WAIT(m->condition, m->mutex[i]);
    unf_operation wake = UNF_OP_WAKE(m->condition, m->mutex[i]);
    step(m, &lock, did(UNF_DID_ACQUIRE, m->waiter[i], m->mutex[i], 0));
    unf_action w1 = {UNF_DID_WAIT, m->waiter[i], m->condition, m->mutex[i], 0};
    step(m, &wait, w1);
    ok(unf_configuration_offer(m->c, m->waiter[i], &wake));
  }
  unf_operation notify = *last;
  notify.target = m->condition;
  ok(unf_configuration_offer(m->c, m->notifier, &notify));
}

static void close_many(struct many *m) {
  unf_configuration_free(m->c);
  unf_unfolding_free(m->u);
  unf_context_free(m->context);
}

struct seen {
  struct many *m;
  uint64_t limit, events, lost, others;
};

static bool see(void *user, unf_event event) {
  struct seen *seen = user;
  unf_action action;
  ok(unf_event_action(seen->m->u, event, &action));
  seen->events++;
  seen->lost += (action.kind == UNF_DID_SIGNAL && action.value == UNF_LOST) ||
                (action.kind == UNF_DID_BROADCAST && action.value == 0);
  seen->others += action.thread != seen->m->notifier;
  return seen->events != seen->limit;
}

static bool first(void *user, const unf_action *action) {
  *(unf_action *)user = *action;
  return false;
}

static void one_signal(void **state) {
  struct many m;
  unf_operation signal = UNF_OP_SIGNAL(0), end = UNF_OP_EXIT();
  (void)state;
  open_many(&m, &signal);
  /* One action for each waiter. */
  struct seen enabled = {&m, UINT64_MAX, 0, 0, 0};
  ok(unf_extensions_enabled(m.c, see, &enabled));
  assert_int_equal(enabled.events, WAITERS);
  ok(unf_configuration_perform(
      m.c, &(unf_action){UNF_DID_SIGNAL, m.notifier, m.condition, 0, m.waiter[7]}, NULL));
  ok(unf_configuration_offer(m.c, m.notifier, &end));
  /* The signal to each of the others, and the one that came before everybody. */
  struct seen conflicting = {&m, UINT64_MAX, 0, 0, 0};
  uint64_t before = m.counted.calls;
  ok(unf_extensions_conflicting(m.c, see, &conflicting));
  assert_int_equal(conflicting.events, WAITERS);
  assert_int_equal(conflicting.lost, 1);
  assert_int_equal(conflicting.others, 0);
  assert_true(m.counted.calls - before < 40 * WAITERS);
  close_many(&m);
}

static void one_broadcast(void **state) {
  struct many m;
  unf_operation broadcast = UNF_OP_BROADCAST(0), end = UNF_OP_EXIT();
  unf_action all;
  (void)state;
  open_many(&m, &broadcast);
  ok(unf_configuration_actions(m.c, first, &all));
  ok(unf_configuration_perform(m.c, &all, NULL));
  ok(unf_configuration_offer(m.c, m.notifier, &end));
  /* There are 2^20 - 1, one for each smaller set of waiters. Whoever wants a hundred pays
   * for a hundred. */
  struct seen hundred = {&m, 100, 0, 0, 0};
  uint64_t before = m.counted.calls;
  ok(unf_extensions_conflicting(m.c, see, &hundred));
  assert_int_equal(hundred.events, 100);
#ifndef UNF_PLAIN_ARENAS /* where every record is an allocation */
  assert_true(m.counted.calls - before < 100 * 2 * WAITERS + 200);
#else
  (void)before;
#endif
  close_many(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_signal),
      cmocka_unit_test(one_broadcast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
