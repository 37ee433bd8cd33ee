/* Freeing of events: the calls themselves. That nothing is lost by it is shown by tests/random. */
#include "fixture.h"
#include "script.h"

static const unf_explorer_options plain = UNF_EXPLORER_OPTIONS_INIT;

static unf_explorer_options collecting(void) {
  unf_explorer_options options = plain;
  options.collect = 1;
  options.collect_percent = 0;
  return options;
}

static void open_all(struct session *s, const unf_explorer_options *options) {
  static struct script script;
  script_dispatcher(&script, 3, 2);
  memset(s, 0, sizeof *s);
  ok(session_open(s, &script, NULL));
  ok(session_explorer(s, options));
}

/* ---- what is left ---- */

static void what_is_held(void **state) {
  struct session s;
  unf_counts all, counts;
  uint32_t most = 0;
  bool done = false;
  (void)state;
  open_all(&s, NULL);
  ok(session_explore(&s));
  unf_explorer_counts(s.x, &all);
  assert_int_equal(all.events, unf_unfolding_events(s.u));
  assert_int_equal(all.collections, 0);
  session_close(&s);
  unf_explorer_options options = collecting();
  open_all(&s, &options);
  while (!done) {
    ok(session_run(&s, &done));
    ok(unf_check_unfolding(s.u));
    ok(unf_check_explorer(s.x));
    if (unf_unfolding_events(s.u) > most) most = unf_unfolding_events(s.u);
  }
  unf_explorer_counts(s.x, &counts);
  assert_int_equal(counts.traces, all.traces);
  assert_int_equal(counts.redundant, 0);
  assert_true(counts.events >= all.events);
  assert_true(counts.collections + 1 >= counts.traces / 2);
  assert_true(counts.collected > 0 && most < all.events / 2);
  session_close(&s);
}

static void when_it_is_due(void **state) {
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    struct session s;
    unf_counts counts;
    unf_explorer_options options = collecting();
    options.collect = i == 1 ? 100000 : 10;
    options.collect_percent = i == 2 ? 100 : 0;
    open_all(&s, &options);
    ok(session_explore(&s));
    unf_explorer_counts(s.x, &counts);
    if (i == 0) assert_true(counts.collections > 10);
    if (i == 1) assert_int_equal(counts.collections, 0);
    if (i == 2) assert_true(counts.collections > 1 && counts.collections < 10);
    session_close(&s);
  }
}

/* ---- what stays with an event ---- */

struct noted {
  unf_unfolding *u;
  uint64_t names[64][2];
  uint32_t count, shared;
  bool compare;
};

static bool note(void *user, unf_event event) {
  struct noted *n = user;
  uint64_t name[2], cookie;
  ok(unf_event_fingerprint(n->u, event, name));
  if (n->compare) {
    assert_true(name[0] == n->names[n->count][0] && name[1] == n->names[n->count][1]);
    ok(unf_event_cookie(n->u, event, &cookie));
    assert_int_equal(cookie, 1 + n->count);
  } else {
    ok(unf_event_set_cookie(n->u, event, 1 + n->count));
  }
  n->names[n->count][0] = name[0];
  n->names[n->count++][1] = name[1];
  return !n->compare || n->count < n->shared;
}

static void names_and_cookies_stay(void **state) {
  struct session s;
  struct noted noted = {0};
  unf_explorer_options options = collecting();
  unf_run run;
  bool done = false;
  uint32_t compared = 0;
  (void)state;
  open_all(&s, &options);
  noted.u = s.u;
  for (ok(session_run(&s, &done)); !done; ok(session_run(&s, &done))) {
    noted.count = 0;
    noted.compare = false;
    unf_explorer_path(s.x, note, &noted);
    ok(unf_explorer_next(s.x, &run));
    noted.count = 0;
    noted.compare = true;
    noted.shared = (uint32_t)run.shared;
    if (run.shared > 0 && !run.finished) unf_explorer_path(s.x, note, &noted);
    compared += run.finished ? 0 : noted.shared;
    unf_explorer_abandon(s.x);
  }
  assert_true(compared > 100);
  session_close(&s);
}

/* ---- refusals ---- */

static void says(const struct session *s, const char *text) {
  assert_non_null(strstr(unf_context_detail(unf_unfolding_context(s->u))->text, text));
}

static void alone_with_its_unfolding(void **state) {
  struct session s;
  unf_explorer_options options = collecting();
  unf_explorer *other;
  unf_cutoffs *table;
  (void)state;
  open_all(&s, &options);
  fails(UNF_STATE, unf_explorer_new(s.u, NULL, &other));
  says(&s, ": the unfolding has an explorer that frees events (unf_explorer_options.collect)");
  fails(UNF_STATE, unf_explorer_new(s.u, &options, &other));
  says(&s, ": unf_explorer_options.collect frees events, and the unfolding has another explorer");
  fails(UNF_STATE, unf_cutoffs_new(s.u, UNF_CUTOFFS_SIZE, &table));
  unf_explorer_free(s.x);
  ok(unf_cutoffs_new(s.u, UNF_CUTOFFS_SIZE, &table));
  fails(UNF_STATE, unf_explorer_new(s.u, &options, &other));
  unf_cutoffs_free(table);
  ok(unf_explorer_new(s.u, NULL, &s.x));
  ok(unf_explorer_new(s.u, NULL, &other));
  unf_explorer_free(other);
  fails(UNF_STATE, unf_explorer_new(s.u, &options, &other));
  unf_explorer_free(s.x);
  ok(unf_explorer_new(s.u, &options, &s.x));
  session_close(&s);
}

static void not_with(void **state) {
  struct session s;
  unf_explorer_options options = collecting();
  unf_explorer *x;
  (void)state;
  open_all(&s, NULL);
  options.algorithm = UNF_DFS;
  fails(UNF_UNSUPPORTED, unf_explorer_new(s.u, &options, &x));
  options.algorithm = UNF_QPOR;
  options.cutoffs = UNF_CUTOFFS_ERV;
  fails(UNF_UNSUPPORTED, unf_explorer_new(s.u, &options, &x));
  session_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_held), cmocka_unit_test(when_it_is_due),
      cmocka_unit_test(names_and_cookies_stay), cmocka_unit_test(alone_with_its_unfolding),
      cmocka_unit_test(not_with)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
