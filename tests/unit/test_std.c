/* Traces in the STD format: what is written for each action, to the byte; what becomes of lines
 * that are read; those that are refused, by place; every allocation refused. */
#include "fixture.h"

#include <stdio.h>

/* ---- writing ---- */

struct world {
  struct fixture f;
  unf_object condition, rwlock, semaphore, barrier, location, word, half, box, other_box, futex;
  uint32_t family;
};

static unf_status use_two(void *user, const unf_action *action, unf_use_visitor visit,
                          void *visitor) {
  const struct world *w = user;
  unf_status status = visit(visitor, action->target, UNF_MODE_WRITE);
  if (status == UNF_OK) status = visit(visitor, w->other_box, UNF_MODE_ADD);
  return status == UNF_OK ? unf_use_part(visitor, w->box, 9, UNF_MODE_READ) : status;
}

static unf_status no_outcomes(void *user, const unf_view *view, unf_thread thread,
                              const unf_operation *operation, unf_action_visitor visit,
                              void *visitor) {
  (void)user, (void)view, (void)thread, (void)operation, (void)visit, (void)visitor;
  return UNF_OK;
}

static void open_world(struct world *w) {
  const unf_effect effect = {
      .size = sizeof effect, .name = "two", .user = w, .uses = use_two, .outcomes = no_outcomes};
  open_fixture(&w->f);
  unf_unfolding *u = w->f.u;
  ok(unf_object_name(u, UNF_CONDITION, UNF_THREAD_NONE, 0, &w->condition));
  ok(unf_object_name(u, UNF_RWLOCK, w->f.main, 7, &w->rwlock));
  ok(unf_object_name(u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &w->semaphore));
  ok(unf_object_name(u, UNF_BARRIER, UNF_THREAD_NONE, 0, &w->barrier));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 0, &w->location));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 1, &w->word));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 2, &w->half));
  ok(unf_location_place(u, w->word, w->word, 0, 4));
  ok(unf_location_place(u, w->half, w->word, 2, 2));
  ok(unf_object_name(u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &w->box));
  ok(unf_object_name(u, UNF_CUSTOM, w->f.main, 3, &w->other_box));
  ok(unf_object_name(u, UNF_FUTEX, UNF_THREAD_NONE, 0, &w->futex));
  ok(unf_effect_register(u, &effect, &w->family));
}

#define PASS(object) "0.1|acq(" object ")|9\n0.1|rel(" object ")|9\n"

static void every_action_has_its_lines(void **state) {
  struct world w;
  (void)state;
  open_world(&w);
  const struct {
    unf_action action;
    const char *lines;
  } cases[] = {
      {{UNF_DID_LOCAL, w.f.right, 0, 0, 5}, ""},
      {{UNF_DID_CREATE, w.f.right, w.f.left, 0, 0}, "0.1|fork(0.0)|9\n"},
      {{UNF_DID_JOIN, w.f.right, w.f.left, 0, 0}, "0.1|join(0.0)|9\n"},
      {{UNF_DID_ACQUIRE, w.f.right, w.f.m, 0, 0}, "0.1|acq(mutex:-:0)|9\n"},
      {{UNF_DID_RELEASE, w.f.right, w.f.n, 0, 0}, "0.1|rel(mutex:-:1)|9\n"},
      {{UNF_DID_TRYFAIL, w.f.right, w.f.m, 0, 0}, ""},
      {{UNF_DID_WAIT, w.f.right, w.condition, w.f.m, 0},
       PASS("condition:-:0") "0.1|rel(mutex:-:0)|9\n"},
      {{UNF_DID_WAKE, w.f.right, w.condition, w.f.m, 0},
       PASS("condition:-:0") "0.1|acq(mutex:-:0)|9\n"},
      {{UNF_DID_TIMEOUT, w.f.right, w.condition, 0, 0}, PASS("condition:-:0")},
      {{UNF_DID_SIGNAL, w.f.right, w.condition, 0, UNF_LOST}, PASS("condition:-:0")},
      {{UNF_DID_BROADCAST, w.f.right, w.condition, 0, 0}, PASS("condition:-:0")},
      {{UNF_DID_RDLOCK, w.f.right, w.rwlock, 0, 0}, PASS("rwlock:0:7")},
      {{UNF_DID_RDUNLOCK, w.f.right, w.rwlock, 0, 0}, PASS("rwlock:0:7")},
      {{UNF_DID_RDFAIL, w.f.right, w.rwlock, 0, 0}, ""},
      {{UNF_DID_WRLOCK, w.f.right, w.rwlock, 0, 0}, "0.1|acq(rwlock:0:7)|9\n"},
      {{UNF_DID_WRUNLOCK, w.f.right, w.rwlock, 0, 0}, "0.1|rel(rwlock:0:7)|9\n"},
      {{UNF_DID_WRFAIL, w.f.right, w.rwlock, 0, 0}, ""},
      {{UNF_DID_POST, w.f.right, w.semaphore, 0, 0}, PASS("semaphore:-:0")},
      {{UNF_DID_SEM_WAIT, w.f.right, w.semaphore, 0, 0}, PASS("semaphore:-:0")},
      {{UNF_DID_SEM_FAIL, w.f.right, w.semaphore, 0, 0}, PASS("semaphore:-:0")},
      {{UNF_DID_ARRIVE, w.f.right, w.barrier, 0, 0}, PASS("barrier:-:0")},
      {{UNF_DID_PASS, w.f.right, w.barrier, 0, 0}, PASS("barrier:-:0")},
      {{UNF_DID_READ, w.f.right, w.location, 0, 0},
       "0.1|acq(location:-:0)|9\n0.1|r(location:-:0)|9\n0.1|rel(location:-:0)|9\n"},
      {{UNF_DID_WRITE, w.f.right, w.half, 0, 0}, /* the lock is that of all in the space */
       "0.1|acq(location:-:1)|9\n0.1|w(location:-:2)|9\n0.1|rel(location:-:1)|9\n"},
      {{UNF_DID_ADD, w.f.right, w.location, 0, 0},
       "0.1|acq(location:-:0)|9\n0.1|w(location:-:0)|9\n0.1|rel(location:-:0)|9\n"},
      {{UNF_DID_CUSTOM, w.f.right, w.box, w.family, 0},
       PASS("custom:-:0") PASS("custom:0:3") PASS("custom:-:0:9")},
      {{UNF_DID_FUTEX_WAIT, w.f.right, w.futex, w.location, 0},
       "0.1|acq(location:-:0)|9\n0.1|r(location:-:0)|9\n0.1|rel(location:-:0)|9\n" PASS(
           "futex:-:0")},
      {{UNF_DID_FUTEX_AGAIN, w.f.right, w.futex, w.location, 0},
       "0.1|acq(location:-:0)|9\n0.1|r(location:-:0)|9\n0.1|rel(location:-:0)|9\n"},
      {{UNF_DID_FUTEX_RETURN, w.f.right, w.futex, 0, 0}, PASS("futex:-:0")},
      {{UNF_DID_FUTEX_TIMEOUT, w.f.right, w.futex, 0, 0}, PASS("futex:-:0")},
      {{UNF_DID_FUTEX_WAKE, w.f.right, w.futex, 0, 0}, PASS("futex:-:0")},
      {{UNF_DID_FUTEX_WAKE_ALL, w.f.right, w.futex, 0, 0}, PASS("futex:-:0")},
      /* Of these there are none without terms: it writes nothing, see below. */
      {{UNF_DID_BRANCH, w.f.right, 0, 0, 0}, NULL},
  };
  assert_int_equal(sizeof cases / sizeof *cases, UNF_ACTION_COUNT);
  for (unsigned i = 0; i < UNF_ACTION_COUNT; i++) {
    struct collected out = {0};
    unf_std_writer *writer;
    if (cases[i].lines == NULL) continue;
    ok(unf_std_writer_new(w.f.u, collect, &out, &writer));
    if (unf_std_writer_step(writer, &cases[i].action, 9) != UNF_OK)
      fail_msg("%u: %s", i, unf_context_detail(w.f.context)->text);
    ok(unf_std_writer_end(writer));
    assert_string_equal(out.text != NULL ? out.text : "", cases[i].lines);
    unf_std_writer_free(writer);
    free(out.text);
  }
  close_fixture(&w.f);
}

static void accesses_have_places(void **state) {
  struct fixture f;
  struct collected out = {0}, little = {.room = 1};
  unf_std_writer *writer;
  const unf_access write = {1, true, 64, 4, UINT64_MAX}, read = {0, false, 64, 4, 3};
  const unf_access nobody = {7, false, 64, 4, 3};
  const unf_action unknown = {UNF_DID_ACQUIRE, 0, 99, 0, 0};
  (void)state;
  open_fixture(&f);
  ok(unf_std_writer_new(f.u, collect, &out, &writer));
  ok(unf_std_writer_access(writer, &write));
  ok(unf_std_writer_access(writer, &read));
  fails(UNF_UNKNOWN, unf_std_writer_access(writer, &nobody));
  fails(UNF_UNKNOWN, unf_std_writer_step(writer, &unknown, 0));
  ok(unf_std_writer_end(writer));
  assert_string_equal(out.text, "0.0|w(memory:64:4)|18446744073709551615\n0|r(memory:64:4)|3\n");
  unf_std_writer_free(writer);
  free(out.text);

  ok(unf_std_writer_new(f.u, collect, &little, &writer));
  for (unsigned i = 0; i < 5; i++) /* less than the buffer */
    ok(unf_std_writer_access(writer, &write));
  fails(UNF_WRITE, unf_std_writer_end(writer));
  assert_int_equal(unf_std_writer_access(writer, &write), UNF_WRITE);
  unf_std_writer_free(writer);
  close_fixture(&f);
}

/* ---- reading ---- */

struct trace {
  unf_context *context;
  unf_unfolding *u;
  unf_std *std;
};

static void open_trace(struct trace *t, unf_std_memory memory, const char *text) {
  unf_std_options options = UNF_STD_OPTIONS_INIT;
  options.memory = memory;
  ok(unf_context_new(NULL, &t->context));
  ok(unf_unfolding_new(t->context, NULL, &t->u));
  ok(unf_std_read(t->u, &options, text, strlen(text), &t->std));
}

static void close_trace(struct trace *t) {
  unf_context *empty;
  unf_std_free(t->std);
  unf_unfolding_free(t->u);
  ok(unf_context_new(NULL, &empty));
  assert_int_equal(unf_context_bytes(t->context), unf_context_bytes(empty));
  unf_context_free(empty);
  unf_context_free(t->context);
}

static unf_event event_of(const struct trace *t, uint64_t line) {
  unf_event event;
  ok(unf_std_event(t->std, line, &event));
  return event;
}

static bool before(const struct trace *t, uint64_t a, uint64_t b) {
  bool precedes;
  ok(unf_event_precedes(t->u, event_of(t, a), event_of(t, b), &precedes));
  return precedes;
}

/* "main" and "other" run from the start; "main" forks "child", which is joined. */
static const char sample[] = "main|w(x[0])|a.c:1\n"
                             "main|begin(work)|a.c:1\n"
                             "main|fork(child)|a.c:2\r\n"
                             "child|acq(l)|a.c:3\n"
                             "child|acq(l)|a.c:4\n"
                             "child|r(x[0])|a.c:5\n"
                             "child|rel(l)|a.c:6\n"
                             "child|rel(l)|a.c:7\n"
                             "other|acq(l)|a.c:8\n"
                             "other|w(x[0])|a.c:9\n"
                             "other|rel(l)|a.c:10\n"
                             "main|join(child)|a.c:11\n"
                             "main|w(x[0])|a.c:12\n"
                             "main|end|a.c 13";

static void lines_become_events_and_accesses(void **state) {
  struct trace t;
  unf_std_counts counts;
  unf_race race;
  unf_event event;
  uint64_t cookie;
  unf_thread child, parent;
  uint32_t index;
  bool initial;
  char text[64];
  (void)state;
  open_trace(&t, UNF_STD_ACCESSES, sample);
  unf_std_counts_get(t.std, &counts);
  assert_int_equal(counts.lines, 14);
  assert_int_equal(counts.events, 6);
  assert_int_equal(counts.accesses, 4);
  assert_int_equal(counts.without, 4);
  assert_int_equal(counts.threads, 3);
  assert_int_equal(counts.locks, 1);
  assert_int_equal(counts.variables, 1);
  assert_int_equal(counts.places, 13);
  assert_int_equal(unf_configuration_size(unf_std_configuration(t.std)), 6);
  assert_int_equal(event_of(&t, 5), UNF_EVENT_NONE);
  assert_int_equal(event_of(&t, 2), UNF_EVENT_NONE);
  assert_int_equal(unf_std_event(t.std, 0, &event), UNF_UNKNOWN);
  assert_int_equal(unf_std_event(t.std, 15, &event), UNF_UNKNOWN);
  assert_true(before(&t, 3, 4) && before(&t, 8, 9) && before(&t, 8, 12) && !before(&t, 11, 12));
  ok(unf_event_cookie(t.u, event_of(&t, 9), &cookie));
  assert_int_equal(cookie, 9);

  ok(unf_thread_name(t.u, UNF_THREAD_NONE, 0, &parent));
  ok(unf_thread_name(t.u, parent, 0, &child));
  ok(unf_thread_describe(t.u, child, NULL, &index, &initial));
  assert_false(initial);
  assert_string_equal(unf_std_name(t.std, UNF_STD_THREAD, parent), "main");
  assert_string_equal(unf_std_name(t.std, UNF_STD_THREAD, child), "child");
  unf_thread_text(t.u, child, text, sizeof text);
  assert_string_equal(text, "0.0");
  assert_null(unf_std_name(t.std, UNF_STD_THREAD, 3));
  assert_string_equal(unf_std_name(t.std, UNF_STD_LOCK, 0), "l");
  assert_null(unf_std_name(t.std, UNF_STD_LOCK, 1));
  assert_null(unf_std_name(t.std, UNF_STD_NAME_COUNT, 0));

  /* Line 10 with 13. Line 1 comes before all others, by the fork and the lock. */
  assert_int_equal(counts.races, 1);
  ok(unf_races_get(unf_std_races(t.std), 0, &race));
  assert_string_equal(unf_std_name(t.std, UNF_STD_PLACE, race.first.place), "a.c:9");
  assert_string_equal(unf_std_name(t.std, UNF_STD_PLACE, race.second.place), "a.c:12");
  assert_string_equal(unf_std_name(t.std, UNF_STD_VARIABLE, race.first.address / 8), "x[0]");
  close_trace(&t);
}

static void variables_have_one_race(void **state) {
  static const char two_places[] = "T|w(x)|1\nT|w(x)|2\nU|r(x)|3\nU|r(y)|4\nT|r(y)|5\n";
  struct trace t;
  unf_std_counts counts;
  unf_race race;
  (void)state;
  open_trace(&t, UNF_STD_ACCESSES, two_places);
  unf_std_counts_get(t.std, &counts);
  assert_int_equal(counts.races, 2);
  close_trace(&t);
  open_trace(&t, UNF_STD_VARIABLES, two_places);
  unf_std_counts_get(t.std, &counts);
  assert_int_equal(counts.races, 1);
  ok(unf_races_get(unf_std_races(t.std), 0, &race));
  assert_string_equal(unf_std_name(t.std, UNF_STD_PLACE, race.first.place), "x");
  close_trace(&t);
}

static void memory_can_be_events(void **state) {
  struct trace t;
  unf_std_counts counts;
  (void)state;
  open_trace(&t, UNF_STD_EVENTS, sample);
  unf_std_counts_get(t.std, &counts);
  assert_int_equal(counts.events, 10);
  assert_int_equal(counts.accesses, 0);
  assert_null(unf_std_races(t.std));
  assert_true(before(&t, 1, 6) && before(&t, 6, 10) && before(&t, 10, 13) && !before(&t, 11, 12));
  close_trace(&t);

  open_trace(&t, UNF_STD_EVENTS, "a|r(x)|0\nb|r(x)|0\nb|w(x)|0\na|r(x)|0\n");
  assert_true(!before(&t, 1, 2) && before(&t, 1, 3) && before(&t, 3, 4));
  close_trace(&t);
}

static void nothing_is_a_trace(void **state) {
  struct trace t;
  (void)state;
  open_trace(&t, UNF_STD_ACCESSES, "");
  assert_int_equal(unf_configuration_size(unf_std_configuration(t.std)), 0);
  close_trace(&t);
}

static void other_events_are_refused(void **state) {
  struct fixture f;
  unf_configuration *c;
  unf_std *std, *again;
  unf_std_options wrong = UNF_STD_OPTIONS_INIT;
  (void)state;
  open_fixture(&f);
  wrong.size = 1;
  fails(UNF_INVALID, unf_std_read(f.u, &wrong, "", 0, &std));
  wrong.size = sizeof wrong;
  wrong.memory = UNF_STD_MEMORY_COUNT;
  fails(UNF_INVALID, unf_std_read(f.u, &wrong, "", 0, &std));
  ok(unf_configuration_new(f.u, &c));
  const unf_action acquire = did(UNF_DID_ACQUIRE, f.main, f.m, 0);
  ok(unf_configuration_perform(c, &acquire, NULL));
  static const char two[] = "T|acq(l)|0\nU|acq(k)|0\n", other[] = "T|acq(l)|0\nT|acq(k)|0\n";
  fails(UNF_STATE, unf_std_read(f.u, NULL, two, strlen(two), &std));
  unf_configuration_free(c);
  close_fixture(&f);

  /* The same trace twice has the same events; another one is of another program. */
  open_fixture(&f);
  ok(unf_std_read(f.u, NULL, two, strlen(two), &std));
  ok(unf_std_read(f.u, NULL, two, strlen(two), &again));
  assert_int_equal(unf_unfolding_events(f.u), 2);
  unf_std_free(again);
  fails(UNF_NONDETERMINISM,
        unf_std_read(f.u, NULL, "T|join(U)|0\n", strlen("T|join(U)|0\n"), &again));
  ok(unf_std_read(f.u, NULL, other, strlen(other), &again));
  unf_std_free(again);
  unf_std_free(std);
  close_fixture(&f);
}

/* ---- refusals ---- */

static const struct {
  const char *text;
  unsigned line, column;
  const char *words;
} refused[] = {
    {"T|acq(l)|0\n\nT|rel(l)|0\n", 2, 1, "three fields"},
    {"T|acq(l)", 1, 9, "three fields"},
    {"T|acq(l)|0|1", 1, 11, "a fourth field"},
    {"|acq(l)|0", 1, 1, "a name was expected"},
    {"T||0", 1, 3, "an operation was expected"},
    {"T|(l)|0", 1, 3, "an operation was expected"},
    {"T|acq|0", 1, 6, "\"(\" was expected"},
    {"T|acq(l|0", 1, 8, "\")\" was expected"},
    {"T|acq(|0", 1, 7, "\")\" was expected"},
    {"T|acq()|0", 1, 7, "a name was expected"},
    {"T|acq(l)|", 1, 10, "a name was expected"},
    {"T|acq(l l)|0", 1, 8, "a byte that cannot"},
    {"T\t|acq(l)|0", 1, 2, "a byte that cannot"},
    {"T|acq(l)|0\177", 1, 11, "a byte that cannot"},
    {"T|end(|0", 1, 7, "\")\" was expected"},
    {"T|acq(l)|0\nU|acq(l)|0\n", 2, 3, "the lock l is held by thread T"},
    {"T|acq(l)|0\nU|rel(l)|0\n", 2, 3, "the lock l is not held by thread U"},
    {"Thread|rel(l)|0\n", 1, 8, "the lock l is not held by thread Thread"},
    {"T|acq(l)|0\nT|rel(l)|0\nT|rel(l)|0\n", 3, 3, "is not held"},
    {"T|fork(U)|0\nT|fork(U)|0\n", 2, 3, "thread U was forked before"},
    {"U|acq(l)|0\nT|fork(U)|0\n", 2, 3, "thread U was there before"},
    {"T|join(U)|0\nT|fork(U)|0\n", 2, 3, "thread U was there before"},
    {"T|fork(T)|0\n", 1, 3, "thread T was there before"},
    {"T|fork(U)|0\nT|join(U)|0\nU|r(x)|0\n", 3, 3, "thread U acts after it was joined"},
    {"T|r(x)|0\r\nT|join(T)|0\n", 2, 3, "thread T joins itself"},
};

static void refusals_have_a_place(void **state) {
  struct fixture f;
  unf_std *std;
  (void)state;
  for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
    open_fixture(&f);
    assert_int_equal(unf_std_read(f.u, NULL, refused[i].text, strlen(refused[i].text), &std),
                     UNF_FORMAT);
    const unf_detail *detail = unf_context_detail(f.context);
    if (detail->step != refused[i].line || detail->place != refused[i].column ||
        strstr(detail->text, refused[i].words) == NULL)
      fail_msg("%s: %s", refused[i].text, detail->text);
    close_fixture(&f);
  }
  open_fixture(&f);
  fails(UNF_UNSUPPORTED, unf_std_read(f.u, NULL, "T|r(x)|0\nT|notify(c)|0", 21, &std));
  const unf_detail *detail = unf_context_detail(f.context);
  assert_true(detail->step == 2 && detail->place == 3);
  assert_non_null(strstr(detail->text, "the operation \"notify\" is not known"));
  close_fixture(&f);
}

/* ---- memory ---- */

struct memory {
  uint64_t calls, bytes, fail_at, refuse;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  if (new_size > 0 && m->fail_at > 0 && ++m->calls >= m->fail_at &&
      m->calls < m->fail_at + m->refuse)
    return NULL;
  m->bytes += new_size - old_size;
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

static void every_allocation_is_refused(void **state) {
  (void)state;
  for (unsigned memory = 0; memory < UNF_STD_MEMORY_COUNT; memory++) {
    uint64_t refused_once = 0;
    for (uint64_t at = 1, done = 0; !done; at++) {
      struct memory m = {.refuse = 1 + at % 3};
      struct collected out = {0};
      unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
      unf_std_options o = UNF_STD_OPTIONS_INIT;
      struct trace t;
      unf_std_writer *writer;
      unf_status status;
      options.allocator.reallocate = reallocate;
      options.allocator.user = &m;
      o.memory = (unf_std_memory)memory;
      ok(unf_context_new(&options, &t.context));
      ok(unf_unfolding_new(t.context, NULL, &t.u));
      m.fail_at = at;
      while ((status = unf_std_read(t.u, &o, sample, strlen(sample), &t.std)) == UNF_MEMORY)
        refused_once++;
      ok(status);
      while ((status = unf_std_writer_new(t.u, collect, &out, &writer)) == UNF_MEMORY)
        refused_once++;
      ok(status);
      const unf_action action = {UNF_DID_ACQUIRE, 0, 0, 0, 0};
      ok(unf_std_writer_step(writer, &action, 1));
      ok(unf_std_writer_end(writer));
      done = m.calls < at;
      unf_std_writer_free(writer);
      unf_std_counts counts;
      unf_std_counts_get(t.std, &counts);
      assert_int_equal(counts.events, memory == UNF_STD_EVENTS ? 10 : 6);
      assert_int_equal(counts.races, memory == UNF_STD_EVENTS ? 0 : 1);
      assert_int_equal(unf_unfolding_events(t.u), counts.events);
      unf_std_free(t.std);
      unf_unfolding_free(t.u);
      unf_context_free(t.context);
      assert_int_equal(m.bytes, 0);
      free(out.text);
    }
    assert_true(refused_once > 15);
  }
}

/* Bytes follow the lines, at two sizes. */
static uint64_t bytes_of(unf_std_memory memory, unsigned lines) {
  static const char *const cycle[] = {"T|acq(l)|1\n", "T|w(x)|2\n", "T|rel(l)|3\n",
                                      "U|acq(l)|1\n", "U|r(x)|2\n", "U|rel(l)|3\n"};
  struct trace t;
  char *text = malloc(lines * strlen(*cycle) + 1), *at = text;
  assert_non_null(text);
  for (unsigned i = 0; i < lines; i++)
    at += sprintf(at, "%s", cycle[i % 6]);
  open_trace(&t, memory, text);
  const uint64_t bytes = unf_context_bytes(t.context);
  close_trace(&t);
  free(text);
  return bytes;
}

static void memory_follows_the_lines(void **state) {
  (void)state;
  for (unsigned memory = 0; memory < UNF_STD_MEMORY_COUNT; memory++) {
    const uint64_t few = bytes_of((unf_std_memory)memory, 6000);
    const uint64_t many = bytes_of((unf_std_memory)memory, 24000);
    assert_in_range(many, 0, 5 * few);
    assert_in_range(many / 24000, 0, 200);
  }
}

/* A trace that is as long as it may be, in units of work: interrupts end the call. */
static void interrupts_end_reading(void **state) {
  enum { LINES = 60000 };
  static const char line[] = "T|r(x)|0\n";
  struct fixture f;
  unf_std *std;
  char *text = malloc(LINES * (sizeof line - 1));
  (void)state;
  assert_non_null(text);
  for (unsigned i = 0; i < LINES; i++)
    memcpy(text + i * (sizeof line - 1), line, sizeof line - 1);
  open_fixture(&f);
  unf_context_interrupt(f.context);
  fails(UNF_INTERRUPTED, unf_std_read(f.u, NULL, text, LINES * (sizeof line - 1), &std));
  ok(unf_std_read(f.u, NULL, text, LINES * (sizeof line - 1), &std));
  unf_std_free(std);
  close_fixture(&f);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_action_has_its_lines),
      cmocka_unit_test(accesses_have_places),
      cmocka_unit_test(lines_become_events_and_accesses),
      cmocka_unit_test(variables_have_one_race),
      cmocka_unit_test(memory_can_be_events),
      cmocka_unit_test(nothing_is_a_trace),
      cmocka_unit_test(other_events_are_refused),
      cmocka_unit_test(refusals_have_a_place),
      cmocka_unit_test(every_allocation_is_refused),
      cmocka_unit_test(memory_follows_the_lines),
      cmocka_unit_test(interrupts_end_reading),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
