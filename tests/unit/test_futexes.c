/* Futexes: how many ways a wake has, their names, what a wait and a wake do not depend on, what is
 * refused, and the cost where many threads wait. */
#include "fixture.h"
#include "script.h"

enum { WAITERS = 4, MANY = 20 };

struct sleepers {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c;
  unf_thread waiter[MANY], waker, other;
  unf_object futex, word;
  unf_event last;
};

static void step(struct sleepers *s, unf_operation operation, unf_action action) {
  ok(unf_configuration_offer(s->c, action.thread, &operation));
  ok(unf_configuration_perform(s->c, &action, &s->last));
}

/* Some threads wait in the queue, and are about to return. */
static void open_sleepers(struct sleepers *s, uint32_t count) {
  memset(s, 0, sizeof *s);
  ok(unf_context_new(NULL, &s->context));
  ok(unf_unfolding_new(s->context, NULL, &s->u));
  for (uint32_t i = 0; i < count + 2; i++) {
    unf_thread *t = i < count ? &s->waiter[i] : i == count ? &s->waker : &s->other;
    ok(unf_thread_name(s->u, UNF_THREAD_NONE, i, t));
    ok(unf_thread_start(s->u, *t));
  }
  ok(unf_object_name(s->u, UNF_FUTEX, UNF_THREAD_NONE, 7, &s->futex));
  ok(unf_object_name(s->u, UNF_LOCATION, UNF_THREAD_NONE, 7, &s->word));
  ok(unf_object_set_initial(s->u, s->word, 3));
  ok(unf_configuration_new(s->u, &s->c));
  for (uint32_t i = 0; i < count; i++) {
    unf_operation back = UNF_OP_FUTEX_RETURN(s->futex);
    step(s, UNF_OP_FUTEX_WAIT(s->futex, s->word, 3),
         (unf_action){UNF_DID_FUTEX_WAIT, s->waiter[i], s->futex, s->word, 0});
    ok(unf_configuration_offer(s->c, s->waiter[i], &back));
  }
}

static void close_sleepers(struct sleepers *s) {
  unf_configuration_free(s->c);
  unf_unfolding_free(s->u);
  unf_context_free(s->context);
}

static int64_t set_of(struct sleepers *s, unf_thread a, unf_thread b) {
  const unf_thread members[] = {a, b};
  int64_t set;
  ok(unf_thread_set(s->u, members, a == b ? 1 : 2, &set));
  return set;
}

struct seen {
  struct sleepers *s;
  uint32_t count, limit;
  int64_t sets[64];
  uint64_t names[64];
  bool twice;
};

static bool see(void *user, unf_event event) {
  struct seen *seen = user;
  unf_action a;
  uint64_t name[2];
  ok(unf_event_action(seen->s->u, event, &a));
  ok(unf_event_fingerprint(seen->s->u, event, name));
  for (uint32_t i = 0; i < seen->count && seen->count < 64; i++)
    seen->twice = seen->twice || seen->names[i] == name[0];
  if (seen->count < 64) {
    seen->sets[seen->count] = a.value;
    seen->names[seen->count] = name[0];
  }
  return ++seen->count != seen->limit;
}

static void every_choice(void **state) {
  struct sleepers s;
  (void)state;
  open_sleepers(&s, WAITERS);
  unf_operation wake = UNF_OP_FUTEX_WAKE(s.futex, 2), end = UNF_OP_EXIT();
  ok(unf_configuration_offer(s.c, s.waker, &wake));
  ok(unf_configuration_offer(s.c, s.other, &end));
  /* Two of four: six ways, each with a name of its own although all have one set of causes where
   * the waker has seen all waits. */
  struct seen ways = {.s = &s};
  ok(unf_check_independence(s.c));
  ok(unf_extensions_enabled(s.c, see, &ways));
  assert_int_equal(ways.count, 6);
  assert_false(ways.twice);
  step(&s, wake,
       (unf_action){UNF_DID_FUTEX_WAKE, s.waker, s.futex, 0, set_of(&s, s.waiter[1], s.waiter[2])});
  ok(unf_configuration_offer(s.c, s.waker, &end));
  /* The other five, four that find one thread, and one that finds none. */
  struct seen others = {.s = &s};
  ok(unf_extensions_conflicting(s.c, see, &others));
  assert_int_equal(others.count, 10);
  assert_false(others.twice);
  /* Who was woken returns, and nobody else. */
  struct seen back = {.s = &s};
  ok(unf_extensions_enabled(s.c, see, &back));
  assert_int_equal(back.count, 2);
  ok(unf_check_configuration(s.c));
  ok(unf_check_unfolding(s.u));
  close_sleepers(&s);
}

/* A thread that knows of all waits chooses among them: the events have the same causes. */
static void names_of_choices(void **state) {
  struct sleepers s;
  (void)state;
  open_sleepers(&s, 2);
  unf_operation wake = UNF_OP_FUTEX_WAKE(s.futex, 1), end = UNF_OP_EXIT();
  step(&s, UNF_OP_STORE(s.word, 4), did(UNF_DID_WRITE, s.waker, s.word, 0));
  ok(unf_configuration_offer(s.c, s.waker, &wake));
  ok(unf_configuration_offer(s.c, s.other, &end));
  struct seen ways = {.s = &s};
  ok(unf_extensions_enabled(s.c, see, &ways));
  assert_int_equal(ways.count, 2);
  assert_false(ways.twice);
  close_sleepers(&s);
}

static bool concurrent(struct sleepers *s, unf_event a, unf_event b) {
  bool before, after, conflict;
  ok(unf_event_precedes(s->u, a, b, &before));
  ok(unf_event_precedes(s->u, b, a, &after));
  ok(unf_event_conflicts(s->u, a, b, &conflict));
  return !before && !after && !conflict;
}

static void what_commutes(void **state) {
  struct sleepers s;
  (void)state;
  open_sleepers(&s, WAITERS);
  step(&s, UNF_OP_FUTEX_WAKE(s.futex, 1),
       (unf_action){UNF_DID_FUTEX_WAKE, s.waker, s.futex, 0, set_of(&s, s.waiter[0], s.waiter[0])});
  unf_event one = s.last;
  step(&s, UNF_OP_FUTEX_WAKE(s.futex, 1),
       (unf_action){UNF_DID_FUTEX_WAKE, s.other, s.futex, 0, set_of(&s, s.waiter[1], s.waiter[1])});
  assert_true(concurrent(&s, one, s.last));
  step(&s, UNF_OP_STORE(s.word, 4), did(UNF_DID_WRITE, s.waker, s.word, 0));
  step(&s, UNF_OP_FUTEX_WAKE(s.futex, 9),
       (unf_action){UNF_DID_FUTEX_WAKE_ALL, s.other, s.futex, 0,
                    set_of(&s, s.waiter[2], s.waiter[3])});
  unf_event all = s.last;
  bool before;
  ok(unf_event_precedes(s.u, one, all, &before));
  assert_true(before);
  step(&s, UNF_OP_FUTEX_RETURN(s.futex), did(UNF_DID_FUTEX_RETURN, s.waiter[0], s.futex, 0));
  ok(unf_event_precedes(s.u, one, s.last, &before));
  assert_true(before);
  assert_true(concurrent(&s, all, s.last));
  close_sleepers(&s);
}

static void text_and_schedule(void **state) {
  struct sleepers s;
  char text[80];
  struct collected out = {0}, again = {0};
  unf_schedule *schedule, *read;
  (void)state;
  open_sleepers(&s, 2);
  ok(unf_schedule_new(s.u, "sleepers", &schedule));
  const unf_action steps[] = {
      {UNF_DID_FUTEX_WAIT, s.waiter[0], s.futex, s.word, 0},
      {UNF_DID_FUTEX_AGAIN, s.waiter[1], s.futex, s.word, 0},
      {UNF_DID_FUTEX_TIMEOUT, s.waiter[0], s.futex, 0, 0},
      {UNF_DID_FUTEX_RETURN, s.waiter[1], s.futex, 0, 0},
      {UNF_DID_FUTEX_WAKE, s.waker, s.futex, 0, set_of(&s, s.waiter[1], s.waiter[0])},
      {UNF_DID_FUTEX_WAKE_ALL, s.waker, s.futex, 0, 0}};
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
    ok(unf_schedule_append(schedule, &steps[i]));
  ok(unf_schedule_write(schedule, collect, &out));
  const char *expected = "unfold-schedule 1\nprogram sleepers\n0 fwait futex - 7 location - 7\n"
                         "1 fagain futex - 7 location - 7\n0 ftimeout futex - 7\n"
                         "1 fwoken futex - 7\n2 fwake futex - 7 {0 1}\n2 fwakeall futex - 7 {}\n"
                         "checksum ";
  assert_memory_equal(out.text, expected, strlen(expected));
  ok(unf_schedule_read(s.u, out.text, out.size, &read));
  ok(unf_schedule_write(read, collect, &again));
  assert_string_equal(out.text, again.text);
  unf_operation wait = UNF_OP_FUTEX_WAIT(s.futex, s.word, -3);
  unf_operation_text(s.u, &wait, text, sizeof text);
  assert_string_equal(text, "futexwait futex - 7 location - 7 -3");
  unf_operation wake = UNF_OP_FUTEX_WAKE(s.futex, 2);
  unf_operation_text(s.u, &wake, text, sizeof text);
  assert_string_equal(text, "futexwake futex - 7 2");
  unf_schedule_free(read);
  unf_schedule_free(schedule);
  free(out.text);
  free(again.text);
  close_sleepers(&s);
}

/* A front-end reads a schedule before it knows how wide the words are. */
static void placed_after_reading(void **state) {
  unf_context *context;
  unf_unfolding *u;
  unf_object word;
  unf_thread thread;
  unf_schedule *schedule, *written;
  struct collected out = {0};
  struct sleepers s;
  (void)state;
  open_sleepers(&s, 2);
  ok(unf_schedule_new(s.u, "p", &written));
  const unf_action steps[] = {{UNF_DID_FUTEX_WAIT, s.waiter[0], s.futex, s.word, 0},
                              {UNF_DID_FUTEX_AGAIN, s.waiter[1], s.futex, s.word, 0}};
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
    ok(unf_schedule_append(written, &steps[i]));
  ok(unf_schedule_write(written, collect, &out));
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  for (uint32_t i = 0; i < 2; i++)
    ok(unf_thread_name(u, UNF_THREAD_NONE, i, &thread));
  ok(unf_schedule_read(u, out.text, out.size, &schedule));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 7, &word));
  ok(unf_location_place(u, word, word, 0, 4));
  ok(unf_object_set_initial(u, word, 3));
  unf_schedule_free(schedule);
  unf_unfolding_free(u);
  unf_context_free(context);
  unf_schedule_free(written);
  free(out.text);
  close_sleepers(&s);
}

static void what_is_refused(void **state) {
  struct sleepers s;
  (void)state;
  open_sleepers(&s, 1);
  unf_operation wrong[] = {UNF_OP_FUTEX_WAKE(s.futex, -1), UNF_OP_FUTEX_WAKE(s.word, 1),
                           UNF_OP_FUTEX_WAIT(s.futex, s.futex, 0),
                           UNF_OP_FUTEX_WAIT(s.word, s.word, 0)};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
    fails_alone(UNF_INVALID, unf_configuration_offer(s.c, s.waker, &wrong[i]));
  /* A wait used the value that the location has at first. */
  fails_alone(UNF_STATE, unf_object_set_initial(s.u, s.word, 5));
  /* Not of the number that the wake is to wake; not all; a thread that does not wait. */
  unf_operation wake = UNF_OP_FUTEX_WAKE(s.futex, 2);
  ok(unf_configuration_offer(s.c, s.waker, &wake));
  unf_action a = {UNF_DID_FUTEX_WAKE, s.waker, s.futex, 0, set_of(&s, s.waiter[0], s.waiter[0])};
  fails_alone(UNF_DISABLED, unf_configuration_perform(s.c, &a, NULL));
  a.kind = UNF_DID_FUTEX_WAKE_ALL;
  a.value = 0;
  fails_alone(UNF_DISABLED, unf_configuration_perform(s.c, &a, NULL));
  a.value = set_of(&s, s.waiter[0], s.other);
  fails_alone(UNF_DISABLED, unf_configuration_perform(s.c, &a, NULL));
  a.value = 1000;
  fails_alone(UNF_UNKNOWN, unf_configuration_perform(s.c, &a, NULL));
  a.value = set_of(&s, s.waiter[0], s.waiter[0]);
  ok(unf_configuration_perform(s.c, &a, NULL));
  close_sleepers(&s);
}

static void many_waiters(void **state) {
  struct sleepers s;
  (void)state;
  open_sleepers(&s, MANY);
  unf_operation one = UNF_OP_FUTEX_WAKE(s.futex, 1), all = UNF_OP_FUTEX_WAKE(s.futex, INT64_MAX);
  unf_operation end = UNF_OP_EXIT();
  step(&s, one,
       (unf_action){UNF_DID_FUTEX_WAKE, s.waker, s.futex, 0, set_of(&s, s.waiter[7], s.waiter[7])});
  ok(unf_configuration_offer(s.c, s.waker, &end));
  ok(unf_configuration_offer(s.c, s.other, &end));
  /* To each of the others, and one that comes before everybody. */
  struct seen others = {.s = &s};
  ok(unf_extensions_conflicting(s.c, see, &others));
  assert_int_equal(others.count, MANY);
  close_sleepers(&s);
  open_sleepers(&s, MANY);
  ok(unf_configuration_offer(s.c, s.waker, &all));
  ok(unf_configuration_offer(s.c, s.other, &end));
  struct seen everybody = {.s = &s};
  ok(unf_extensions_enabled(s.c, see, &everybody));
  assert_int_equal(everybody.count, 1);
  /* There are 2^20 - 1, one for each smaller set of threads: whoever wants a hundred pays for
   * these. */
  struct seen hundred = {.s = &s, .limit = 100};
  ok(unf_extensions_conflicting(s.c, see, &hundred));
  assert_int_equal(hundred.count, 100);
  close_sleepers(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_choice),         cmocka_unit_test(names_of_choices),
      cmocka_unit_test(what_commutes),        cmocka_unit_test(text_and_schedule),
      cmocka_unit_test(placed_after_reading), cmocka_unit_test(what_is_refused),
      cmocka_unit_test(many_waiters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
