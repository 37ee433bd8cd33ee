/* Explorations written down and gone on with: what is refused, and that nothing is lost by it. That
 * the end is the same is shown by tests/random/continue.c. */
#include "base/table.h"
#include "fixture.h"
#include "script.h"

static const unf_explorer_options plain = UNF_EXPLORER_OPTIONS_INIT;

static const unf_algorithm algorithms[] = {UNF_QPOR,  UNF_SDPOR,  UNF_DFS, UNF_ODPOR,
                                           UNF_EAGER, UNF_RANDOM, UNF_PCT};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

/* Bytes that are read, in pieces. */
struct bytes {
  const char *text;
  size_t size, at;
  bool broken;
};

static bool take(void *user, void *to, size_t size, size_t *got) {
  struct bytes *bytes = user;
  size_t left = bytes->size - bytes->at;
  *got = size < left ? size : left;
  memcpy(to, bytes->text + bytes->at, *got);
  bytes->at += *got;
  return !bytes->broken;
}

/* An exploration after some executions. */
static void open_at(struct session *s, const struct script *script,
                    const unf_explorer_options *options, unsigned runs) {
  bool done = false;
  memset(s, 0, sizeof *s);
  ok(session_open(s, script, NULL));
  ok(session_explorer(s, options));
  for (unsigned i = 0; i < runs; i++)
    ok(session_run(s, &done));
  assert_false(done);
}

static void write_at(const struct script *script, const unf_explorer_options *options,
                     unsigned runs, struct collected *to) {
  struct session s;
  memset(to, 0, sizeof *to);
  open_at(&s, script, options, runs);
  ok(unf_explorer_write(s.x, collect, to));
  session_close(&s);
}

/* Reads it in another context; the session has the explorer, if there is one. */
static unf_status read_again(struct session *s, const struct script *script,
                             const unf_explorer_options *options, const char *text, size_t size) {
  struct bytes bytes = {text, size, 0, false};
  memset(s, 0, sizeof *s);
  ok(session_open(s, script, NULL));
  return unf_explorer_read(s->u, options, take, &bytes, &s->x);
}

/* ---- damage ---- */

static void damaged(const struct script *script, const unf_explorer_options *options,
                    const char *text, size_t size) {
  struct session s;
  unf_status status = read_again(&s, script, options, text, size);
  const unf_detail *detail = unf_context_detail(s.context);
  assert_true(status == UNF_CHECKSUM || status == UNF_FORMAT || status == UNF_UNSUPPORTED);
  assert_int_equal(detail->status, status);
  assert_true(detail->place <= size);
  if (status == UNF_CHECKSUM) assert_non_null(strstr(detail->text, "byte "));
  session_close(&s);
}

static void every_byte(void **state) {
  static struct script script;
  (void)state;
  script_crossing(&script, true);
  for (unsigned a = 0; a < ALGORITHMS; a++) {
    struct collected image;
    unf_explorer_options options = plain;
    options.algorithm = algorithms[a];
    write_at(&script, &options, 1, &image);
    size_t most = image.size < 4000 ? image.size : 4000;
    for (size_t i = 0; i < most; i++) {
      damaged(&script, &options, image.text, i);
      image.text[i] ^= (char)(1 << i % 8);
      damaged(&script, &options, image.text, image.size);
      image.text[i] ^= (char)(1 << i % 8);
    }
    free(image.text);
  }
}

/* What is behind it is not read. */
static void what_is_behind(void **state) {
  static struct script script;
  struct collected image;
  struct session s;
  (void)state;
  script_crossing(&script, false);
  write_at(&script, NULL, 1, &image);
  size_t size = image.size;
  assert_true(collect(&image, "more", 4));
  struct bytes bytes = {image.text, image.size, 0, false};
  memset(&s, 0, sizeof s);
  ok(session_open(&s, &script, NULL));
  ok(unf_explorer_read(s.u, NULL, take, &bytes, &s.x));
  assert_int_equal(bytes.at, size);
  unf_run run;
  ok(unf_explorer_next(s.x, &run));
  assert_true(run.decided > 0 && run.shared == 0);
  session_close(&s);
  free(image.text);
}

/* ---- enemies ---- */

/* The sums of all blocks, made right again. */
static void sum_again(char *text, size_t size) {
  uint64_t sum = 0x756e666f6c64u;
  for (size_t at = 12; at + 12 <= size;) {
    uint64_t length = 0, i = 0;
    for (unsigned j = 0; j < 4; j++)
      length |= (uint64_t)(unsigned char)text[at + j] << 8 * j;
    if (length > size - at - 12) return;
    sum = mix(sum, length);
    for (; i < length; i += 8) {
      uint64_t word = 0;
      for (unsigned j = 0; j < 8 && i + j < length; j++)
        word |= (uint64_t)(unsigned char)text[at + 12 + i + j] << 8 * j;
      sum = mix(sum, word);
    }
    for (unsigned j = 0; j < 8; j++)
      text[at + 4 + j] = (char)(sum >> 8 * j);
    at += 12 + length;
  }
}

/* Whatever is believed can be explored, or is refused by then. */
static void explore_some(struct session *s) {
  bool done = false;
  for (unsigned i = 0; i < 30 && !done; i++)
    if (session_run(s, &done) != UNF_OK) break;
}

static void enemies(void **state) {
  static struct script scripts[3];
  uint64_t seed = 1, believed = 0;
  (void)state;
  script_crossing(&scripts[0], true);
  script_dispatcher(&scripts[1], 2, 2);
  script_choosing(&scripts[2]);
  for (unsigned a = 0; a < ALGORITHMS * 3; a++) {
    struct collected image;
    unf_explorer_options options = plain;
    options.algorithm = algorithms[a / 3];
    write_at(&scripts[a % 3], &options, 1, &image);
    size_t most = image.size < 1500 ? image.size : 1500;
    for (unsigned i = 0; i < 1500; i++) {
      struct session s;
      char *copy = malloc(image.size);
      memcpy(copy, image.text, image.size);
      for (uint64_t j = 0; j <= script_draw(&seed, 3); j++) {
        size_t at = 24 + script_draw(&seed, most - 36);
        copy[at] = (char)(script_draw(&seed, 2) ? copy[at] + 1 - 2 * (int)script_draw(&seed, 2)
                                                : (int)script_draw(&seed, 256));
      }
      sum_again(copy, image.size);
      unf_status status = read_again(&s, &scripts[a % 3], &options, copy, image.size);
      if (status == UNF_OK) explore_some(&s);
      believed += status == UNF_OK;
      session_close(&s);
      free(copy);
    }
    free(image.text);
  }
  assert_true(believed > 100);
}

/* Reads a copy with the number of a node behind a byte, which says that it is beside what the byte
 * is said of. Returns whether that is refused since the node stands twice. */
static bool read_with_sibling(const struct script *script, const unf_explorer_options *options,
                              const struct collected *image, size_t at, char back) {
  struct session s;
  const unf_limits limits = {.bytes = 8 << 20}; /* what has no end comes to it */
  char *copy = malloc(image->size + 1);
  memcpy(copy, image->text, at + 2);
  copy[at] |= 2;
  copy[at + 2] = back;
  memcpy(copy + at + 3, image->text + at + 2, image->size - at - 2);
  const unsigned length = (unsigned char)copy[12] + 256u * (unsigned char)copy[13] + 1;
  copy[12] = (char)length;
  copy[13] = (char)(length / 256);
  sum_again(copy, image->size + 1);
  struct bytes bytes = {copy, image->size + 1, 0, false};
  memset(&s, 0, sizeof s);
  ok(session_open(&s, script, NULL));
  ok(unf_context_set_limits(s.context, &limits));
  const unf_status status = unf_explorer_read(s.u, options, take, &bytes, &s.x);
  assert_int_not_equal(status, UNF_LIMIT);
  const bool twice = status == UNF_FORMAT && strstr(unf_context_detail(s.context)->text, "twice");
  session_close(&s);
  free(copy);
  return twice;
}

/* A node that is beside itself, or beside one that is below it, makes a tree without an end. */
static void nodes_that_stand_twice(void **state) {
  static struct script script;
  struct collected image;
  unf_explorer_options options = plain;
  unsigned twice = 0;
  (void)state;
  options.algorithm = UNF_ODPOR;
  script_dispatcher(&script, 2, 2);
  write_at(&script, &options, 1, &image);
  for (size_t at = 24; at + 14 < image.size; at++)
    for (char back = 0; back < 20; back++)
      twice += read_with_sibling(&script, &options, &image, at, back);
  assert_true(twice > 0);
  free(image.text);
}

/* ---- refused ---- */

static void what_cannot_be_written(void **state) {
  static struct script script;
  struct session s;
  struct collected image = {0};
  unf_run run;
  (void)state;
  script_crossing(&script, false);
  unf_explorer_options options = plain;
  options.order = UNF_ORDER_BREADTH_FIRST;
  open_at(&s, &script, &options, 1);
  assert_int_equal(unf_explorer_write(s.x, collect, &image), UNF_UNSUPPORTED);
  assert_non_null(strstr(unf_context_detail(s.context)->text, "order bfs"));
  session_close(&s);
  open_at(&s, &script, NULL, 1);
  ok(unf_explorer_next(s.x, &run));
  assert_int_equal(unf_explorer_write(s.x, collect, &image), UNF_STATE);
  unf_explorer_abandon(s.x);
  image.room = 100;
  assert_int_equal(unf_explorer_write(s.x, collect, &image), UNF_WRITE);
  ok(session_explore(&s));
  session_close(&s);
  free(image.text);
}

static void refused(const struct script *script, const unf_explorer_options *options,
                    const struct collected *image, const char *word) {
  struct session s;
  assert_int_equal(read_again(&s, script, options, image->text, image->size), UNF_INVALID);
  assert_non_null(strstr(unf_context_detail(s.context)->text, word));
  session_close(&s);
}

static void other_options(void **state) {
  static struct script script;
  struct collected image;
  (void)state;
  script_dispatcher(&script, 2, 1);
  write_at(&script, NULL, 1, &image);
  unf_explorer_options options = plain;
  options.algorithm = UNF_ODPOR;
  refused(&script, &options, &image, "algorithm");
  options = plain;
  options.alternative.k = 1;
  refused(&script, &options, &image, "alternative.k");
  options = plain;
  options.max_switches = 3;
  refused(&script, &options, &image, "max_switches");
  options = plain;
  options.algorithm = UNF_PCT;
  free(image.text);
  write_at(&script, &options, 1, &image);
  options.seed = 9;
  refused(&script, &options, &image, "seed");
  free(image.text);
}

static unf_status no_uses(void *user, const unf_action *action, unf_use_visitor visit,
                          void *visitor) {
  (void)user, (void)action, (void)visit, (void)visitor;
  return UNF_OK;
}

static unf_status no_outcomes(void *user, const unf_view *view, unf_thread thread,
                              const unf_operation *operation, unf_action_visitor visit,
                              void *visitor) {
  (void)user, (void)view, (void)thread, (void)operation, (void)visit, (void)visitor;
  return UNF_OK;
}

static void other_unfoldings(void **state) {
  static struct script script;
  static const unf_effect effect = {
      .size = sizeof effect, .name = "letters", .uses = no_uses, .outcomes = no_outcomes};
  struct collected image;
  struct session s;
  unf_explorer *x = NULL;
  unf_context *context;
  unf_unfolding *u;
  unf_thread thread;
  uint32_t family;
  (void)state;
  script_dispatcher(&script, 2, 1);
  write_at(&script, NULL, 1, &image);
  /* With events. */
  open_at(&s, &script, NULL, 1);
  struct bytes bytes = {image.text, image.size, 0, false};
  assert_int_equal(unf_explorer_read(s.u, NULL, take, &bytes, &x), UNF_STATE);
  session_close(&s);
  ok(unf_context_new(NULL, &context));
  /* With other names. */
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_thread_name(u, UNF_THREAD_NONE, 77, &thread));
  bytes.at = 0;
  assert_int_equal(unf_explorer_read(u, NULL, take, &bytes, &x), UNF_STATE);
  unf_unfolding_free(u);
  /* With another family. */
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_effect_register(u, &effect, &family));
  bytes.at = 0;
  assert_int_equal(unf_explorer_read(u, NULL, take, &bytes, &x), UNF_STATE);
  unf_unfolding_free(u);
  /* Without names at all. */
  ok(unf_unfolding_new(context, NULL, &u));
  bytes.at = 0;
  ok(unf_explorer_read(u, NULL, take, &bytes, &x));
  assert_int_equal(unf_unfolding_threads(u), 4);
  unf_explorer_free(x);
  unf_unfolding_free(u);
  /* It cannot be read. */
  ok(unf_unfolding_new(context, NULL, &u));
  bytes.at = 0;
  bytes.broken = true;
  assert_int_equal(unf_explorer_read(u, NULL, take, &bytes, &x), UNF_READ);
  unf_unfolding_free(u);
  unf_context_free(context);
  free(image.text);
}

/* ---- no memory ---- */

struct memory {
  uint64_t calls, fail_at;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  (void)old_size;
  if (new_size > 0 && ++m->calls == m->fail_at) return NULL;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

static void refuse_each(const struct script *script, unf_algorithm algorithm) {
  unf_context_options with = UNF_CONTEXT_OPTIONS_INIT;
  unf_explorer_options options = plain;
  struct memory memory = {0, 0};
  struct session s;
  struct collected image;
  bool done;
  options.algorithm = algorithm;
  with.allocator = (unf_allocator){reallocate, &memory};
  for (uint64_t i = 1;; i++) {
    memset(&image, 0, sizeof image);
    memset(&s, 0, sizeof s);
    memory.fail_at = 0;
    ok(session_open(&s, script, &with));
    ok(session_explorer(&s, &options));
    ok(session_run(&s, &done));
    ok(session_run(&s, &done));
    memory = (struct memory){0, i};
    unf_status status = unf_explorer_write(s.x, collect, &image);
    memory.fail_at = 0;
    if (status == UNF_OK) break;
    assert_int_equal(status, UNF_MEMORY);
    ok(session_explore(&s));
    session_close(&s);
    free(image.text);
  }
  session_close(&s);
  for (uint64_t i = 1;; i++) {
    struct bytes bytes = {image.text, image.size, 0, false};
    memset(&s, 0, sizeof s);
    memory.fail_at = 0;
    ok(session_open(&s, script, &with));
    memory = (struct memory){0, i};
    unf_status status = unf_explorer_read(s.u, &options, take, &bytes, &s.x);
    memory.fail_at = 0;
    if (status == UNF_OK) break;
    assert_int_equal(status, UNF_MEMORY);
    assert_null(s.x);
    session_close(&s);
  }
  ok(session_explore(&s));
  session_close(&s);
  free(image.text);
}

static void no_memory(void **state) {
  static struct script script;
  (void)state;
  script_dispatcher(&script, 2, 1);
  for (unsigned a = 0; a < ALGORITHMS; a++)
    refuse_each(&script, algorithms[a]);
}

/* ---- at the end, and size ---- */

static void at_the_end(void **state) {
  static struct script script;
  struct collected image = {0};
  struct session s;
  unf_counts before, after;
  unf_run run;
  (void)state;
  script_dispatcher(&script, 2, 2);
  open_at(&s, &script, NULL, 0);
  ok(session_explore(&s));
  unf_explorer_counts(s.x, &before);
  ok(unf_explorer_write(s.x, collect, &image));
  session_close(&s);
  ok(read_again(&s, &script, NULL, image.text, image.size));
  ok(unf_explorer_next(s.x, &run));
  assert_true(run.finished);
  unf_explorer_counts(s.x, &after);
  assert_memory_equal(&before, &after, sizeof after);
  session_close(&s);
  free(image.text);
}

static void how_large(void **state) {
  static struct script script;
  (void)state;
  script_dispatcher(&script, 5, 3);
  for (unsigned runs = 10; runs <= 1000; runs *= 10) {
    struct session s;
    struct collected image = {0};
    open_at(&s, &script, NULL, runs);
    ok(unf_explorer_write(s.x, collect, &image));
    assert_true(image.size < 1500 + 16 * (size_t)unf_unfolding_events(s.u));
    session_close(&s);
    free(image.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_byte),
      cmocka_unit_test(what_is_behind),
      cmocka_unit_test(enemies),
      cmocka_unit_test(nodes_that_stand_twice),
      cmocka_unit_test(what_cannot_be_written),
      cmocka_unit_test(other_options),
      cmocka_unit_test(other_unfoldings),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(at_the_end),
      cmocka_unit_test(how_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
