/* What the two programs share: command lines of both, the order of exit statuses, the list of
 * defects, the estimate, files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory.h"
#include "progress.h"
#include "report.h"
#include "save.h"
#include "session.h"
#include "settings.h"
#include "text.h"

enum { WORDS_MAX = 12 };

/* Reads a command line that is given as one text with blanks. */
static int read_line(enum cli_program program, const char *line, struct cli_options *options) {
  static char text[256];
  static char *words[WORDS_MAX + 1];
  int count = 0;
  snprintf(text, sizeof text, "%s", line);
  for (char *word = strtok(text, " "); word != NULL && count < WORDS_MAX; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  return cli_options_read(program, count, words, options);
}

static void options_of_the_native_program(void **state) {
  struct cli_options o;
  assert_int_equal(read_line(CLI_NATIVE, "unfold --mode=inprocess -- prog --json -x", &o), -1);
  assert_int_equal(o.mode, CLI_IN_PROCESS);
  assert_false(o.json);
  assert_int_equal(o.argument_count, 3);
  assert_string_equal(o.arguments[0], "prog");
  assert_string_equal(o.arguments[1], "--json");
  assert_string_equal(o.arguments[2], "-x");
  /* The program begins at the first word that is no option; "--" behind it is the program's. */
  assert_int_equal(read_line(CLI_NATIVE, "unfold --json prog -- --mode=x", &o), -1);
  assert_true(o.json);
  assert_int_equal(o.argument_count, 3);
  assert_string_equal(o.arguments[1], "--");
  assert_int_equal(read_line(CLI_NATIVE, "unfold --exit kill --stdout keep p", &o), -1);
  assert_int_equal(o.exit, CLI_KILL);
  assert_int_equal(o.output, CLI_OUTPUT_KEEP);
  assert_int_equal(read_line(CLI_NATIVE, "unfold --expect-exit 3 p", &o), -1);
  assert_int_equal(o.expect_exit, 3);
}

static void defaults(void **state) {
  struct cli_options o;
  unf_explorer_options explorer;
  unf_limits limits;
  assert_int_equal(read_line(CLI_NATIVE, "unfold p", &o), -1);
  assert_int_equal(o.mode, CLI_FORK);
  assert_int_equal(o.exit, CLI_DRAIN);
  assert_int_equal(o.output, CLI_OUTPUT_DISCARD);
  assert_int_equal(o.expect_exit, 0);
  assert_int_equal(read_line(CLI_MODEL, "unfold-model p.unf", &o), -1);
  assert_int_equal(o.algorithm, UNF_QPOR);
  assert_int_equal(o.k, UNF_K_OPTIMAL);
  assert_true(o.bound == CLI_NUMBER_NONE);
  assert_null(o.dot);
  cli_options_explorer(&o, &explorer);
  assert_int_equal(explorer.algorithm, UNF_QPOR);
  cli_options_limits(&o, &limits);
  assert_true(limits.runs == 0 && limits.events == 0);
  assert_true(o.memory_share && limits.bytes == cli_memory() / 2 && limits.bytes > 0);
}

static void values(void **state) {
  struct cli_options o;
  unf_limits limits;
  assert_int_equal(read_line(CLI_MODEL, "m --max-memory 3K --max-events=7 --max-seconds .5 p", &o),
                   -1);
  cli_options_limits(&o, &limits);
  assert_true(!o.memory_share && limits.bytes == 3072 && limits.events == 7);
  assert_true(limits.seconds > 0.4 && limits.seconds < 0.6);
  assert_int_equal(read_line(CLI_MODEL, "m --bound 0 p --k=3", &o), -1);
  assert_true(o.bound == 0 && o.k == 3);
  assert_int_equal(read_line(CLI_MODEL, "m --max-executions=18446744073709551615 p", &o), -1);
  assert_true(o.max_executions == UINT64_MAX);
}

static void refusals(void **state) {
  static const char *const model[] = {"m",
                                      "m p q",
                                      "m --races p",
                                      "m --mode fork p",
                                      "m --k",
                                      "m --max-executions=18446744073709551616 p",
                                      "m --max-memory 17179869184G p",
                                      "m --max-seconds inf p",
                                      "m --expect= p",
                                      "m --k=4294967296 p",
                                      "m --kk=1 p",
                                      "m --input x=1 --input y=2 p"};
  static const char *const native[] = {"u",
                                       "u --",
                                       "u --races-every 0 --races p",
                                       "u --races-every 2 p",
                                       "u --cutoffs none p",
                                       "u --mode thread p",
                                       "u --quiet a --quiet b p",
                                       "u -p"};
  struct cli_options o;
  for (size_t i = 0; i < sizeof model / sizeof model[0]; i++)
    assert_int_equal(read_line(CLI_MODEL, model[i], &o), CLI_USAGE);
  for (size_t i = 0; i < sizeof native / sizeof native[0]; i++)
    assert_int_equal(read_line(CLI_NATIVE, native[i], &o), CLI_USAGE);
}

static void see(struct cli_defects *defects, enum cli_kind kind, uint64_t a, uint64_t b,
                bool expected) {
  uint64_t places[] = {a, b, a};
  bool fresh;
  assert_non_null(cli_defects_see(defects, kind, places, 3, (struct cli_seen){1, 0}, &fresh));
  assert_int_equal(fresh, expected);
}

static void defects_are_sets_of_places(void **state) {
  struct cli_defects defects = {NULL, 0, 0};
  see(&defects, CLI_DEADLOCK, 1, 2, true);
  see(&defects, CLI_DEADLOCK, 2, 1, false);
  see(&defects, CLI_ASSERTION, 1, 2, true);
  see(&defects, CLI_DEADLOCK, 1, 1, true);
  see(&defects, CLI_DEADLOCK, (uint64_t)1 << 32, 2, true);
  for (uint64_t i = 10; i < 50; i++)
    see(&defects, CLI_CRASH, i, i + 1, true);
  assert_int_equal(defects.count, 44);
  assert_int_equal(defects.items[0].count, 2);
  assert_int_equal(defects.items[0].place_count, 2);
  assert_int_equal(defects.items[2].place_count, 1);
  cli_defects_free(&defects);
  assert_int_equal(defects.count, 0);
}

static void defects_as_json(void **state) {
  struct cli_defects defects = {NULL, 0, 0};
  uint64_t place = 1;
  bool fresh;
  struct cli_defect *d =
      cli_defects_see(&defects, CLI_DEADLOCK, &place, 1, (struct cli_seen){1, 0}, &fresh);
  json_t *thread = cli_thread("p", "blocked", "lock(m)", NULL);
  cli_thread_holds(thread, "k", "a:1");
  cli_thread_waits(thread, "m", NULL);
  cli_thread_note(thread, "remark");
  cli_defect_add(d, thread);
  assert_true(cli_defect_set_text(d, "first"));
  assert_true(cli_defect_set_text(d, "second"));
  json_t *array = cli_defects_json(&defects);
  const json_t *entry = json_array_get(array, 0);
  assert_string_equal(json_string_value(json_object_get(entry, "text")), "second");
  assert_true(json_is_null(json_object_get(entry, "schedule")));
  const json_t *first = json_array_get(json_object_get(entry, "threads"), 0);
  assert_true(json_is_null(json_object_get(first, "place")));
  assert_true(json_is_null(json_object_get(first, "owner")));
  assert_string_equal(json_string_value(json_object_get(first, "waits_for")), "m");
  assert_int_equal(json_array_size(json_object_get(first, "holds")), 1);
  json_decref(array);
  cli_defects_free(&defects);
}

/* The exit status of a result with these properties; kind CLI_KIND_COUNT: no defect. */
static int status_of(enum cli_kind kind, bool finished, bool uncontrolled, const char *expect) {
  struct cli_options options;
  assert_int_equal(read_line(CLI_MODEL, "m p", &options), -1);
  options.expect = expect;
  struct cli_result r = {.tool = CLI_MODEL, .options = &options, .finished = finished};
  if (uncontrolled) r.uncontrolled = "it did";
  if (kind != CLI_KIND_COUNT) see(&r.defects, kind, 1, 2, true);
  int status = cli_result_status(&r);
  cli_defects_free(&r.defects);
  return status;
}

static void order_of_statuses(void **state) {
  const enum cli_kind none = CLI_KIND_COUNT;
  assert_int_equal(status_of(none, true, false, NULL), CLI_CLEAN);
  assert_int_equal(status_of(none, false, false, NULL), CLI_STOPPED);
  assert_int_equal(status_of(CLI_CRASH, false, false, NULL), CLI_FOUND);
  assert_int_equal(status_of(CLI_CRASH, true, false, NULL), CLI_FOUND);
  assert_int_equal(status_of(CLI_CRASH, false, true, NULL), CLI_UNCONTROLLED);
  assert_int_equal(status_of(none, false, true, NULL), CLI_UNCONTROLLED);
}

static void expected_defects(void **state) {
  const enum cli_kind none = CLI_KIND_COUNT;
  assert_int_equal(status_of(CLI_CRASH, true, false, "crash"), CLI_CLEAN);
  assert_int_equal(status_of(CLI_CRASH, false, true, "crash"), CLI_CLEAN);
  assert_int_equal(status_of(CLI_CRASH, true, false, "race"), CLI_FOUND);
  assert_int_equal(status_of(none, true, false, "crash"), CLI_FOUND);
  assert_int_equal(status_of(none, false, false, "crash"), CLI_STOPPED);
}

static void kinds_have_names(void **state) {
  for (unsigned i = 0; i < CLI_KIND_COUNT; i++)
    assert_int_equal(cli_kind_find(cli_kind_name((enum cli_kind)i)), i);
  assert_int_equal(cli_kind_find("nothing"), CLI_KIND_COUNT);
}

static void files(void **state) {
  char name[] = "/tmp/unfold-common-XXXXXX";
  int status = CLI_CLEAN;
  size_t size;
  int handle = mkstemp(name);
  assert_true(handle >= 0);
  FILE *file = fdopen(handle, "w");
  for (int i = 0; i < 5000; i++)
    fprintf(file, "line %d\n", i);
  fclose(file);
  char *text = cli_read_file(CLI_MODEL, name, &size, &status);
  assert_non_null(text);
  assert_true(size == strlen(text) && size > 40000);
  assert_memory_equal(text + size - 10, "line 4999\n", 10);
  free(text);
  remove(name);
  assert_null(cli_read_file(CLI_MODEL, name, &size, &status));
  assert_null(cli_read_file(CLI_MODEL, "/tmp", &size, &status));
  assert_int_equal(status, CLI_USAGE);
}

/* ---- what must outlast a loss of power ---- */

/* What is asked of the disk, in place of the C library: F a whole file that is not in its place
 * yet, D the folder of one that is, ? anything else. */
static struct {
  const char *path;
  char calls[8];
  int error; /* what to answer, or 0 */
} disk;

int fsync(int file) {
  struct stat found, at_path;
  const size_t used = strlen(disk.calls);
  const bool there = stat(disk.path, &at_path) == 0;
  char call = '?';
  assert_int_equal(fstat(file, &found), 0);
  if (S_ISREG(found.st_mode) && found.st_size == 5 && (!there || at_path.st_ino != found.st_ino))
    call = 'F';
  else if (S_ISDIR(found.st_mode) && there && at_path.st_size == 5)
    call = 'D';
  assert_true(used + 1 < sizeof disk.calls);
  disk.calls[used] = call;
  errno = disk.error;
  return disk.error == 0 ? 0 : -1;
}

static unf_status say_whole(void *user, unf_write write, void *file) {
  return write(file, user, strlen(user)) ? UNF_OK : UNF_WRITE;
}

static unf_status save_with(unf_status (*save)(const char *, save_producer, void *, int *),
                            int error, int *reason) {
  char text[] = "whole";
  memset(disk.calls, 0, sizeof disk.calls);
  disk.error = error;
  return save(disk.path, say_whole, text, reason);
}

static void files_that_last(void **state) {
  char folder[] = "/tmp/unfold-common-XXXXXX", path[64];
  struct stat found;
  int reason = 0;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/saved", folder);
  disk.path = path;
  assert_int_equal(save_with(save_whole, 0, &reason), UNF_OK);
  assert_string_equal(disk.calls, "");
  remove(path);
  assert_int_equal(save_with(save_lasting, EIO, &reason), UNF_WRITE);
  assert_int_equal(reason, EIO);
  assert_string_equal(disk.calls, "F");
  assert_int_not_equal(stat(path, &found), 0);
  assert_int_equal(save_with(save_lasting, 0, &reason), UNF_OK);
  assert_string_equal(disk.calls, "FD");
  /* A file system that cannot do it is no reason to lose what was written. */
  assert_int_equal(save_with(save_lasting, EINVAL, &reason), UNF_OK);
  assert_string_equal(disk.calls, "FD");
  remove(path);
  assert_int_equal(rmdir(folder), 0); /* nothing is left beside it */
}

/* What there was no memory for is missed, not left out without a word. */
static void defects_that_are_incomplete(void **state) {
  struct cli_defects defects = {0};
  bool fresh;
  (void)state;
  struct cli_defect *d =
      cli_defects_see(&defects, CLI_DEADLOCK, NULL, 0, (struct cli_seen){1, 0}, &fresh);
  assert_non_null(d);
  json_t *thread = cli_thread("0", "blocked", NULL, NULL);
  cli_thread_waits(thread, "m", NULL);
  cli_thread_holds(thread, "n", "p.unf:1:1");
  cli_defect_add(d, thread);
  assert_false(d->incomplete);
  cli_defect_add(d, NULL);
  assert_true(d->incomplete);
  cli_defects_free(&defects);
}

/* What a terminal or JSON cannot have is escaped byte by byte, and nothing else is changed. */
static void texts_from_outside(void **state) {
  static const struct {
    const char *text, *shown;
  } rows[] = {{"", ""},
              {"plain \\ ~", "plain \\ ~"},
              {"\t\n\r\033[1m\177", "\\x09\\x0a\\x0d\\x1b[1m\\x7f"},
              {"é ∅ 😀 \xc2\xa0", "é ∅ 😀 \xc2\xa0"},
              {"\xc2\x9b", "\\xc2\\x9b"},                              /* a control character */
              {"\xc0\x80 \xe0\x9f\xbf", "\\xc0\\x80 \\xe0\\x9f\\xbf"}, /* longer than needed */
              {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                     /* a surrogate */
              {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},            /* beyond the last one */
              {"\xe2\x88", "\\xe2\\x88"},                              /* cut off */
              {"\xff\xfe", "\\xff\\xfe"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char buffer[64];
    assert_int_equal(cli_shown(rows[i].text, buffer, sizeof buffer), strlen(rows[i].shown));
    assert_string_equal(buffer, rows[i].shown);
    json_t *json = cli_json_text(rows[i].text);
    assert_string_equal(json_string_value(json), rows[i].shown);
    json_decref(json);
  }
  char small[6];
  assert_int_equal(cli_shown("abc∅d", small, sizeof small), 7);
  assert_string_equal(small, "abc");
  assert_int_equal(cli_shown("a\033b", small, sizeof small), 6);
  assert_string_equal(small, "a\\x1b");
  assert_int_equal(cli_shown("abc", small, 0), 3);
  json_t *none = cli_json_text(NULL);
  assert_true(json_is_null(none));
  json_decref(none);
}

/* A line of any length, from parts that do not end it. */
static void lines(void **state) {
  char *text = NULL, word[1000];
  size_t size = 0;
  memset(word, 'w', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  FILE *to = open_memstream(&text, &size);
  assert_non_null(to);
  cli_say(to, "%s:%d: %s", "a\nb", 3, word);
  fclose(to);
  assert_int_equal(size, strlen("a\\x0ab:3: ") + strlen(word) + 1);
  assert_memory_equal(text, "a\\x0ab:3: w", 11);
  assert_int_equal(text[size - 1], '\n');
  free(text);
}

/* How often something is saved of which a second makes what takes `rate` seconds to save; *share is
 * the largest part of the time since the beginning that saving took, if the end came behind a save,
 * with one more save. */
static unsigned save_for(double seconds, double every, double rate, double *share, double *apart) {
  struct save_times times;
  double now = 100, last = now, spent = 0;
  unsigned saved = 0;
  save_times_begin(&times, now, 0);
  *share = *apart = 0;
  while (now < 100 + seconds) {
    now += 0.125;
    if (!save_times_due(&times, every, now)) continue;
    const double begun = now, took = rate * (now - 100 - spent);
    now += took;
    save_times_done(&times, begun, now);
    spent += took;
    const double all = (spent + took) / (now + took - 100);
    if (all > *share) *share = all;
    if (saved > 0 && (begun - 100) / (last - 100) > *apart) *apart = (begun - 100) / (last - 100);
    last = now;
    saved++;
  }
  return saved;
}

static void when_to_save(void **state) {
  double share, apart;
  (void)state;
  assert_int_equal(save_for(1000, 10, 0, &share, &apart), 100);
  save_for(100000, 10, 0.00001, &share, &apart);
  assert_true(share <= 0.05 && apart <= 2.1);
  save_for(100000, 10, 0.01, &share, &apart);
  assert_true(share <= 0.05 && apart <= 2.1);
  save_for(100000, 10, 0.023, &share, &apart);
  assert_true(share <= 0.05 && apart <= 8.1);
  /* Never within a twentieth. */
  save_for(100000, 10, 0.08, &share, &apart);
  assert_true(share <= 0.08 * (8. / 7 + 1) && apart <= 8.1);
}

static void when_to_save_after_reading(void **state) {
  struct save_times times;
  (void)state;
  save_times_begin(&times, 7, 0.5);
  assert_false(save_times_due(&times, 10, 16));
  assert_true(times.apart == 0);
  assert_false(save_times_due(&times, 10, 26.5));
  assert_true(times.apart == 19.5);
  assert_true(save_times_due(&times, 10, 27));
  assert_false(save_times_due(&times, 30, 27));
  save_times_done(&times, 27, 28);
  assert_true(times.count == 1 && times.spent == 1 && times.apart == 19.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_of_the_native_program),
                                     cmocka_unit_test(defaults),
                                     cmocka_unit_test(values),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(defects_are_sets_of_places),
                                     cmocka_unit_test(defects_as_json),
                                     cmocka_unit_test(order_of_statuses),
                                     cmocka_unit_test(expected_defects),
                                     cmocka_unit_test(kinds_have_names),
                                     cmocka_unit_test(defects_that_are_incomplete),
                                     cmocka_unit_test(texts_from_outside),
                                     cmocka_unit_test(lines),
                                     cmocka_unit_test(files_that_last),
                                     cmocka_unit_test(when_to_save),
                                     cmocka_unit_test(when_to_save_after_reading),
                                     cmocka_unit_test(files)};
  return cmocka_run_group_tests_name("common", tests, NULL, NULL);
}
