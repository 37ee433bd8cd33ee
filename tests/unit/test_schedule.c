/* Schedules: written text to the byte, reading it in another unfolding, every prefix and every
 * damaged byte reported, malformed lines by place. */
#include "fixture.h"
#include "script.h"

static void write_three(struct fixture *f, struct collected *out) {
  unf_schedule *schedule;
  unf_object own;
  ok(unf_object_name(f->u, UNF_MUTEX, f->main, UINT64_MAX, &own));
  ok(unf_schedule_new(f->u, "a program", &schedule));
  unf_action steps[] = {
      did(UNF_DID_CREATE, f->main, f->right, 0), did(UNF_DID_ACQUIRE, f->right, f->m, 0),
      did(UNF_DID_LOCAL, f->main, 0, INT64_MIN), did(UNF_DID_TRYFAIL, f->main, own, 0)};
  for (unsigned i = 0; i < 4; i++)
    ok(unf_schedule_append(schedule, &steps[i]));
  ok(unf_schedule_write(schedule, collect, out));
  unf_schedule_free(schedule);
}

static void text_is_canonical(void **state) {
  struct fixture f;
  struct collected out = {0}, again = {0};
  (void)state;
  open_fixture(&f);
  write_three(&f, &out);
  const char *expected =
      "unfold-schedule 1\nprogram a program\n0 create thread 0.1\n0.1 acq mutex - 0\n"
      "0 loc -9223372036854775808\n0 tryfail mutex 0 18446744073709551615\nchecksum ";
  assert_memory_equal(out.text, expected, strlen(expected));
  assert_int_equal(out.size, strlen(expected) + 17);
  close_fixture(&f);

  unf_context *context;
  unf_unfolding *u;
  unf_schedule *schedule;
  unf_action action;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_schedule_read(u, out.text, out.size, &schedule));
  assert_int_equal(unf_schedule_size(schedule), 4);
  assert_string_equal(unf_schedule_program(schedule), "a program");
  ok(unf_schedule_step(schedule, 2, &action));
  assert_true(action.kind == UNF_DID_LOCAL && action.value == INT64_MIN);
  fails(UNF_INVALID, unf_schedule_step(schedule, 4, &action));
  ok(unf_schedule_write(schedule, collect, &again));
  assert_string_equal(out.text, again.text);
  again.room = 1;
  fails(UNF_WRITE, unf_schedule_write(schedule, collect, &again));
  unf_schedule_free(schedule);
  unf_unfolding_free(u);
  unf_context_free(context);
  free(out.text);
  free(again.text);
}

static void damage_is_reported(void **state) {
  struct fixture f;
  struct collected out = {0};
  unf_schedule *schedule;
  (void)state;
  open_fixture(&f);
  write_three(&f, &out);
  fails(UNF_FORMAT, unf_schedule_read(f.u, "", 0, &schedule));
  for (size_t size = 1; size < out.size; size++)
    fails(UNF_CHECKSUM, unf_schedule_read(f.u, out.text, size, &schedule));
  for (size_t i = 0; i < out.size; i++) {
    out.text[i] ^= 1;
    unf_status status = unf_schedule_read(f.u, out.text, out.size, &schedule);
    assert_true(status == UNF_CHECKSUM ||
                (i < 18 && (status == UNF_FORMAT || status == UNF_UNSUPPORTED)));
    out.text[i] ^= 1;
  }
  static const char *const foreign[] = {"\177ELF", "{\"traces\": 3}", "unfold-schedulE 1\n", "\n"};
  for (unsigned i = 0; i < 4; i++) {
    fails(UNF_FORMAT, unf_schedule_read(f.u, foreign[i], strlen(foreign[i]), &schedule));
    assert_non_null(strstr(unf_context_detail(f.context)->text, "this is not a schedule"));
  }
  fails(UNF_UNSUPPORTED, unf_schedule_read(f.u, "unfold-schedule 2\nwhatever", 26, &schedule));
  free(out.text);
  close_fixture(&f);
}

static uint64_t fnv(const char *text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  return hash;
}

/* Reads lines with the checksum that they need. */
static unf_status read_lines(struct fixture *f, const char *lines, unf_schedule **schedule) {
  char text[400];
  strcpy(text, "unfold-schedule 1\n");
  strcat(text, lines);
  uint64_t sum = fnv(text);
  strcat(text, "checksum ");
  for (int i = 60; i >= 0; i -= 4)
    strncat(text, &"0123456789abcdef"[sum >> i & 15], 1);
  strcat(text, "\n");
  return unf_schedule_read(f->u, text, strlen(text), schedule);
}

static void malformed_lines_have_a_place(void **state) {
  static const struct {
    const char *lines;
    uint64_t line, column;
  } bad[] = {
      {"", 2, 1},
      {"programm\n", 2, 1},
      {"program \n", 2, 9},
      {"program p\n\n", 3, 1},
      {"program p\n0 loc 1\n0 lock mutex - 0\n", 4, 3},
      {"program p\n0 acq mutex - 03\n", 3, 15},
      {"program p\n0 acq mutex - 18446744073709551616\n", 3, 15},
      {"program p\n0 acq mutex 0.\n", 3, 15},
      {"program p\n0 acq mutex 0 1 \n", 3, 16},
      {"program p\n0 acq semaphore 0 1\n", 3, 6},
      {"program p\n4294967296 loc 1\n", 3, 1},
      {"program p\n- loc 1\n", 3, 1},
      {"program p\n0 loc -0\n", 3, 9},
      {"program p\n0 loc 9223372036854775808\n", 3, 7},
      {"program p\n0 loc\n", 3, 6},
      {"program p\n0 locked 1\n", 3, 3},
      {"program p\n0  loc 1\n", 3, 3},
      {"program p\n0 create thread 0\n", 3, 9},
      {"program p\n0 join 1\n", 3, 7},
  };
  struct fixture f;
  unf_schedule *schedule;
  (void)state;
  open_fixture(&f);
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
    fails(UNF_FORMAT, read_lines(&f, bad[i].lines, &schedule));
    assert_int_equal(unf_context_detail(f.context)->step, bad[i].line);
    assert_int_equal(unf_context_detail(f.context)->place, bad[i].column);
  }
  ok(read_lines(&f, "program p\n", &schedule));
  assert_int_equal(unf_schedule_size(schedule), 0);
  unf_schedule_free(schedule);
  close_fixture(&f);
}

/* The second run of an exploration written down, read in another process's stead,
 * and followed there. */
static void runs_are_repeated(void **state) {
  struct script script;
  struct session s = {0}, other = {0};
  struct collected out = {0};
  unf_schedule *schedule, *read;
  unf_configuration *c;
  bool done;
  (void)state;
  script_dispatcher(&script, 2, 1);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  ok(session_run(&s, &done));
  ok(session_run(&s, &done));
  ok(unf_schedule_new(s.u, "dispatcher", &schedule));
  ok(unf_schedule_append_run(schedule, s.x));
  ok(unf_schedule_write(schedule, collect, &out));
  ok(session_open(&other, &script, NULL));
  ok(unf_schedule_read(other.u, out.text, out.size, &read));
  assert_int_equal(unf_schedule_size(read), unf_schedule_size(schedule));
  assert_true(unf_schedule_size(read) > 10);
  fails(UNF_INVALID, unf_schedule_append_run(read, s.x));
  ok(unf_configuration_new(other.u, &c));
  session_reset(&other);
  for (uint64_t i = 0; i < unf_schedule_size(read); i++) {
    unf_action action;
    ok(unf_schedule_step(read, i, &action));
    for (unsigned t = 0; t < script.threads; t++) {
      unf_event last;
      unf_operation operation = session_next(&other, t);
      ok(unf_configuration_last(c, t, &last));
      if (last != UNF_EVENT_NONE) ok(unf_configuration_offer(c, t, &operation));
    }
    ok(unf_configuration_perform(c, &action, NULL));
    session_did(&other, &action);
  }
  assert_int_equal(unf_configuration_size(c), unf_schedule_size(schedule));
  free(out.text);
  unf_configuration_free(c);
  unf_schedule_free(schedule);
  unf_schedule_free(read);
  session_close(&s);
  session_close(&other);
}

static void names_are_one_line(void **state) {
  struct fixture f;
  unf_schedule *schedule;
  unf_action wrong = did(UNF_DID_JOIN, 0, 77, 0);
  (void)state;
  open_fixture(&f);
  fails(UNF_INVALID, unf_schedule_new(f.u, "", &schedule));
  fails(UNF_INVALID, unf_schedule_new(f.u, NULL, &schedule));
  fails(UNF_INVALID, unf_schedule_new(f.u, "two\nlines", &schedule));
  ok(unf_schedule_new(f.u, "größer", &schedule));
  fails(UNF_UNKNOWN, unf_schedule_append(schedule, &wrong));
  wrong.kind = UNF_ACTION_COUNT;
  fails(UNF_INVALID, unf_schedule_append(schedule, &wrong));
  assert_int_equal(unf_schedule_size(schedule), 0);
  unf_schedule_free(schedule);
  unf_schedule_free(NULL);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_canonical),
      cmocka_unit_test(damage_is_reported),
      cmocka_unit_test(malformed_lines_have_a_place),
      cmocka_unit_test(runs_are_repeated),
      cmocka_unit_test(names_are_one_line),
  };
  return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
