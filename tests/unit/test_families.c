/* The ready families of families.h, with counts made by hand, and what effect.h offers for them:
 * parts of objects, the last write, what hinders an outcome, reasons for a refusal. */
#include "fixture.h"

enum { MOST_THREADS = 8 };

/* A program: what each thread does, one after the other; and the library's part of it. */
struct world {
  unf_context *context;
  unf_unfolding *u;
  uint32_t channels, mailboxes, futures;
  uint32_t threads;
  unf_thread thread[MOST_THREADS];
  const unf_operation *code[MOST_THREADS];
  size_t length[MOST_THREADS], at[MOST_THREADS];
};

static void open_world(struct world *w, uint32_t threads) {
  memset(w, 0, sizeof *w);
  w->threads = threads;
  ok(unf_context_new(NULL, &w->context));
  *watched() = w->context;
  ok(unf_unfolding_new(w->context, NULL, &w->u));
  ok(unf_channel_register(w->u, &w->channels));
  ok(unf_mailbox_register(w->u, &w->mailboxes));
  ok(unf_future_register(w->u, &w->futures));
  for (uint32_t t = 0; t < threads; t++) {
    ok(unf_thread_name(w->u, UNF_THREAD_NONE, t, &w->thread[t]));
    ok(unf_thread_start(w->u, w->thread[t]));
  }
}

static void close_world(struct world *w) {
  *watched() = NULL;
  unf_unfolding_free(w->u);
  unf_context_free(w->context);
}

static unf_channel channel_of(const struct world *w, uint64_t key, uint32_t capacity) {
  unf_channel channel;
  ok(unf_channel_name(w->u, w->channels, key, capacity, &channel));
  return channel;
}

static unf_status restart(void *user, const unf_run *run) {
  struct world *w = user;
  memset(w->at, 0, sizeof w->at);
  return UNF_OK;
}

static unf_status next(void *user, unf_thread thread, unf_operation *operation) {
  struct world *w = user;
  *operation = w->at[thread] < w->length[thread] ? w->code[thread][w->at[thread]] : UNF_OP_EXIT();
  return UNF_OK;
}

static unf_status move(void *user, const unf_step *step, unf_performed *performed) {
  struct world *w = user;
  performed->action = step->action;
  w->at[step->action.thread]++;
  return UNF_OK;
}

/* Explores with each algorithm, which must agree. */
static unf_counts explore(struct world *w) {
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_ODPOR, UNF_EAGER, UNF_SDPOR};
  unf_engine engine = UNF_ENGINE_INIT;
  unf_counts counts, first = {0};
  engine.user = w;
  engine.restart = restart;
  engine.next = next;
  engine.perform = move;
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    unf_explorer *x;
    options.algorithm = algorithms[i];
    ok(unf_explorer_new(w->u, &options, &x));
    ok(unf_explore(x, &engine, &counts));
    unf_explorer_free(x);
    if (i == 0) first = counts;
    assert_int_equal(counts.traces, first.traces);
    assert_int_equal(counts.blocked, first.blocked);
  }
  return first;
}

#define PROGRAM(w, t, ...)                                                                         \
  const unf_operation code_##t[] = {__VA_ARGS__};                                                  \
  (w)->code[t] = code_##t;                                                                         \
  (w)->length[t] = sizeof code_##t / sizeof *code_##t

/* Two senders of two messages, and a receiver of four: only the order of the sends is open. */
static void test_senders(void **state) {
  static const uint32_t capacities[] = {1, 2, 3, 4, 100, UNF_CHANNEL_UNBOUNDED};
  for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
    struct world w;
    open_world(&w, 3);
    unf_channel c = channel_of(&w, 0, capacities[i]);
    PROGRAM(&w, 0, unf_channel_send(c, 1), unf_channel_send(c, 2));
    PROGRAM(&w, 1, unf_channel_send(c, 3), unf_channel_send(c, 4));
    PROGRAM(&w, 2, unf_channel_receive(c), unf_channel_receive(c), unf_channel_receive(c),
            unf_channel_receive(c));
    unf_counts counts = explore(&w);
    assert_int_equal(counts.traces, 6);
    assert_int_equal(counts.blocked, 0);
    close_world(&w);
  }
}

/* One sender and one receiver: one trace, whatever the capacity, and as many events as steps. */
static void test_one_trace(void **state) {
  static const uint32_t capacities[] = {1, 2, 7, 60, UNF_CHANNEL_UNBOUNDED};
  enum { MESSAGES = 60 };
  unf_operation sends[MESSAGES], receives[MESSAGES];
  for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
    struct world w;
    open_world(&w, 2);
    unf_channel c = channel_of(&w, 0, capacities[i]);
    for (int m = 0; m < MESSAGES; m++) {
      sends[m] = unf_channel_send(c, m);
      receives[m] = unf_channel_receive(c);
    }
    w.code[0] = sends;
    w.code[1] = receives;
    w.length[0] = w.length[1] = MESSAGES;
    unf_counts counts = explore(&w);
    assert_int_equal(counts.traces, 1);
    assert_int_equal(counts.events, 2 * MESSAGES);
    close_world(&w);
  }
}

static size_t call_it_c(void *user, unf_object object, char *buffer, size_t size) {
  if (size > 1) memcpy(buffer, "c", 2);
  return 1;
}

/* For people an action is in words, also cut short; in schedules it is a number. */
static void test_labels(void **state) {
  struct world w;
  unf_names names = UNF_NAMES_INIT;
  char text[40];
  open_world(&w, 1);
  unf_channel c = channel_of(&w, 9, 2);
  names.object = call_it_c;
  unf_action action = {UNF_DID_CUSTOM, w.thread[0], c.object, c.family, 1 + 8 * 1234};
  unf_action_label(w.u, &names, &action, text, sizeof text);
  assert_string_equal(text, "c received 1234");
  assert_int_equal(unf_action_label(w.u, &names, &action, text, 9), strlen("c received 1234"));
  assert_string_equal(text, "c receiv");
  unf_action_label(w.u, NULL, &action, text, sizeof text);
  assert_string_equal(text, "custom custom - 9 channel 9873");
  action.second = w.futures;
  action.value = UNF_FUTURE_AGAIN;
  unf_action_label(w.u, &names, &action, text, sizeof text);
  assert_string_equal(text, "c set again");
  action.second = w.mailboxes;
  action.value = 4 * (5 + 32 * (77 + (INT64_C(1) << 24) * 12));
  unf_action_label(w.u, &names, &action, text, sizeof text);
  assert_string_equal(text, "c sent 12 number 77");
  close_world(&w);
}

struct seen {
  unf_unfolding *u;
  uint64_t outcomes[UNF_CHANNEL_OUTCOMES];
};

static bool see(void *user, unf_event event) {
  struct seen *seen = user;
  unf_action action;
  uint64_t number;
  ok(unf_event_action(seen->u, event, &action));
  seen->outcomes[unf_channel_did(&action, &number)]++;
  return true;
}

/* Each outcome of a channel of one place, in one run of one thread. */
static void test_outcomes(void **state) {
  struct world w;
  unf_step step;
  unf_run run;
  unf_explorer *x;
  open_world(&w, 1);
  unf_channel c = channel_of(&w, 9, 1);
  PROGRAM(&w, 0, unf_channel_try_receive(c), unf_channel_try_send(c, 1), unf_channel_try_send(c, 2),
          unf_channel_close(c), unf_channel_close(c), unf_channel_send(c, 3),
          unf_channel_try_send(c, 4), unf_channel_receive(c), unf_channel_receive(c),
          unf_channel_try_receive(c));
  ok(unf_explorer_new(w.u, NULL, &x));
  ok(unf_explorer_next(x, &run));
  for (size_t i = 0; i < w.length[0]; i++) {
    ok(unf_explorer_offer(x, w.thread[0], &w.code[0][i]));
    ok(unf_explorer_step(x, &step));
    assert_int_equal(step.kind, UNF_STEP_ACTION);
    ok(unf_explorer_commit(x, NULL, 0));
  }
  struct seen seen = {w.u, {0}};
  unf_explorer_path(x, see, &seen);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_EMPTY], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_SENT], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_FULL], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_CLOSED], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_CLOSE_CLOSED], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_SEND_CLOSED], 2);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_RECEIVED], 1);
  assert_int_equal(seen.outcomes[UNF_CHANNEL_ENDED], 2);
  unf_explorer_free(x);
  close_world(&w);
}

/* n messages of different senders to one mailbox: n! orders for who takes any, one for who takes
 * them by their tags; a try finds nothing, or one of them. */
static void test_mailboxes(void **state) {
  static const uint64_t traces[] = {6, 1, 4};
  for (int i = 0; i < 3; i++) {
    struct world w;
    unf_mailbox b;
    open_world(&w, 4);
    ok(unf_mailbox_name(w.u, w.mailboxes, w.thread[3], 0, &b));
    PROGRAM(&w, 0, unf_mailbox_send(b, 0, 0));
    PROGRAM(&w, 1, unf_mailbox_send(b, 1, 1));
    PROGRAM(&w, 2, unf_mailbox_send(b, 2, 2));
    const unf_operation any[] = {unf_mailbox_receive(b, UNF_MAILBOX_ANY),
                                 unf_mailbox_receive(b, UNF_MAILBOX_ANY),
                                 unf_mailbox_receive(b, UNF_MAILBOX_ANY)};
    const unf_operation tagged[] = {unf_mailbox_receive(b, 4), unf_mailbox_receive(b, 1),
                                    unf_mailbox_receive(b, 2)};
    const unf_operation tries[] = {unf_mailbox_try_receive(b, UNF_MAILBOX_ANY)};
    w.code[3] = i == 0 ? any : i == 1 ? tagged : tries;
    w.length[3] = i < 2 ? 3 : 1;
    assert_int_equal(explore(&w).traces, traces[i]);
    close_world(&w);
  }
}

static void test_futures(void **state) {
  struct world w;
  unf_future f;
  open_world(&w, 4);
  ok(unf_future_name(w.u, w.futures, 5, &f));
  PROGRAM(&w, 0, unf_future_set(f, 7));
  PROGRAM(&w, 1, unf_future_get(f), unf_future_get(f));
  PROGRAM(&w, 2, unf_future_get(f));
  PROGRAM(&w, 3, unf_future_poll(f));
  assert_int_equal(explore(&w).traces, 2); /* the poll comes before or after */
  close_world(&w);
}

static bool ignore(void *user, const unf_action *action) {
  return true;
}

/* An operation that cannot be: the family says why, when its outcomes are asked for. */
static void refuses(struct world *w, uint32_t thread, unf_operation operation, const char *why) {
  unf_configuration *c;
  ok(unf_configuration_new(w->u, &c));
  for (uint32_t t = 0; t < w->threads; t++) {
    unf_operation end = UNF_OP_EXIT();
    ok(unf_configuration_offer(c, w->thread[t], t == thread ? &operation : &end));
  }
  fails(UNF_INVALID, unf_configuration_actions(c, ignore, NULL));
  assert_non_null(strstr(unf_context_detail(w->context)->text, why));
  unf_configuration_free(c);
}

static void test_refusals(void **state) {
  static const char *const reasons[] = {
      "family channel: a rendezvous channel, of capacity 0",
      "family channel: a capacity above UNF_CHANNEL_MOST",
      "family channel: an operation with a capacity that a channel cannot have",
      "family mailbox: a receive by another than the owner",
      "family mailbox: a sender or a tag that is too large, or no such operation",
      "family future: no such operation"};
  for (int i = 0; i < 6; i++) {
    struct world w;
    unf_channel c = {0};
    unf_mailbox b;
    open_world(&w, 1);
    ok(unf_mailbox_name(w.u, w.mailboxes, w.thread[0], 0, &b));
    const char *text = unf_context_detail(w.context)->text;
    if (i == 0) fails(UNF_INVALID, unf_channel_name(w.u, w.channels, 0, 0, &c));
    if (i == 1) fails(UNF_INVALID, unf_channel_name(w.u, w.channels, 0, 1u << 28, &c));
    if (i < 2) assert_non_null(strstr(text, reasons[i]));
    c = channel_of(&w, 1, 1);
    c.capacity = 0;
    unf_thread other;
    unf_mailbox foreign;
    ok(unf_thread_name(w.u, UNF_THREAD_NONE, 1, &other));
    ok(unf_mailbox_name(w.u, w.mailboxes, other, 0, &foreign));
    if (i == 2) refuses(&w, 0, unf_channel_send(c, 1), reasons[i]);
    if (i == 3) refuses(&w, 0, unf_mailbox_receive(foreign, 1), reasons[i]);
    if (i == 4) refuses(&w, 0, unf_mailbox_send(b, 0, 32), reasons[i]);
    if (i == 5) refuses(&w, 0, unf_operation_custom(w.futures, b.object, 7, 0), reasons[i]);
    fails(UNF_INVALID, unf_mailbox_name(w.u, w.mailboxes, UNF_THREAD_NONE, 0, &b));
    close_world(&w);
  }
}

/* Two senders with one number are found when the second sends. */
static void test_one_number_for_two(void **state) {
  struct world w;
  unf_mailbox b;
  unf_explorer *x;
  unf_engine engine = UNF_ENGINE_INIT;
  open_world(&w, 3);
  ok(unf_mailbox_name(w.u, w.mailboxes, w.thread[2], 0, &b));
  PROGRAM(&w, 0, unf_mailbox_send(b, 5, 0));
  PROGRAM(&w, 1, unf_mailbox_send(b, 5, 0));
  engine.user = &w;
  engine.restart = restart;
  engine.next = next;
  engine.perform = move;
  ok(unf_explorer_new(w.u, NULL, &x));
  fails(UNF_INVALID, unf_explore(x, &engine, NULL));
  assert_non_null(strstr(unf_context_detail(w.context)->text,
                         "family mailbox: two senders with one number, or one with two"));
  unf_explorer_free(x);
  close_world(&w);
}

/* ---- what effect.h offers ---- */

struct parts {
  bool wrong, unlike;
  uint64_t events, before; /* of part 7, and whether the last write was one of them */
};

/* Writes part 7 of its target, and reads part 8; or twice the same. */
static unf_status uses_parts(void *user, const unf_action *action, unf_use_visitor visit,
                             void *visitor) {
  const struct parts *p = user;
  unf_status status = unf_use_part(visitor, action->target, 7, UNF_MODE_WRITE);
  return status != UNF_OK ? status
                          : unf_use_part(visitor, action->target, p->wrong ? 7 : 8, UNF_MODE_READ);
}

static bool count(void *user, unf_event event) {
  ++*(uint64_t *)user;
  return true;
}

static unf_status look_at_parts(void *user, const unf_view *view, unf_thread thread,
                                const unf_operation *operation, unf_action_visitor visit,
                                void *visitor) {
  struct parts *p = user;
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  const unf_object object = operation->target;
  uint64_t none = 0, reads = 0;
  unf_event last, other;
  p->events = 0;
  ok(unf_view_part_history(view, object, 7, count, &p->events));
  ok(unf_view_part_history(view, object, 8, count, &reads));
  ok(unf_view_part_history(view, object, 9, count, &none));
  ok(unf_view_history(view, object, count, &none));
  ok(unf_view_part_last_write(view, object, 7, &last));
  ok(unf_view_part_last_write(view, object, 8, &other));
  p->unlike = none != 0 || reads != p->events || other != UNF_EVENT_BOTTOM ||
              (last == UNF_EVENT_BOTTOM) != (p->events == 0);
  ok(unf_view_last_write(view, object, &other));
  p->unlike = p->unlike || other != UNF_EVENT_BOTTOM;
  fails(UNF_UNKNOWN, unf_view_part_history(view, 1000, 7, count, &none));
  fails(UNF_UNKNOWN, unf_view_last_write(view, 1000, &last));
  fails(UNF_UNKNOWN, unf_view_part_last_write(view, 1000, 7, &last));
  visit(visitor, &action);
  return UNF_OK;
}

static void test_parts(void **state) {
  for (int wrong = 0; wrong < 2; wrong++) {
    struct fixture f;
    struct parts parts = {.wrong = wrong != 0};
    /* As it was declared before there was `hinders`. */
    unf_effect effect = {offsetof(unf_effect, hinders),
                         "parts",
                         &parts,
                         uses_parts,
                         look_at_parts,
                         NULL,
                         NULL,
                         NULL};
    unf_configuration *c;
    unf_object object;
    uint32_t family;
    open_fixture(&f);
    ok(unf_effect_register(f.u, &effect, &family));
    ok(unf_object_name(f.u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &object));
    fails(UNF_UNKNOWN, unf_effect_refuse(f.u, family + 1, "no reason"));
    ok(unf_configuration_new(f.u, &c));
    const unf_operation operation = unf_operation_custom(family, object, 0, 0);
    const unf_action action = {UNF_DID_CUSTOM, f.main, object, family, 0};
    for (uint64_t i = 0; i < 3 && wrong == 0; i++) {
      ok(unf_configuration_offer(c, f.main, &operation));
      ok(unf_configuration_perform(c, &action, NULL));
      assert_int_equal(parts.events, i);
      assert_false(parts.unlike);
    }
    if (wrong != 0) {
      ok(unf_configuration_offer(c, f.main, &operation));
      fails(UNF_INVALID, unf_configuration_perform(c, &action, NULL));
    }
    unf_configuration_free(c);
    close_fixture(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_labels),
      cmocka_unit_test(test_senders),
      cmocka_unit_test(test_one_trace),
      cmocka_unit_test(test_outcomes),
      cmocka_unit_test(test_mailboxes),
      cmocka_unit_test(test_futures),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_one_number_for_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
