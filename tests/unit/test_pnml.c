/* The prefix as a net: which conditions there are, what names become, every allocation refused.
 * tests/formats compares the nets of models with their unfoldings. */
#include "fixture.h"

#include <stdio.h>

struct prefix {
  struct fixture f;
  unf_object x;
  unf_configuration *c;
  unf_cutoffs *cutoffs;
};

/* Adds an action after what the configuration has; each event changes the state to one of its own,
 * but for `same`, which leaves it as it is. */
static unf_event add(struct prefix *p, unf_operation operation, unf_action_kind kind,
                     unf_thread thread, bool same) {
  const unf_action action = did(kind, thread, operation.target, 0);
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  unf_event event;
  ok(unf_configuration_offer(p->c, thread, &operation));
  ok(unf_configuration_perform(p->c, &action, &event));
  if (!same) {
    ok(unf_fingerprint_toggle(UNF_HASH_FAST, &change, event, &event, sizeof event));
  }
  ok(unf_cutoffs_add(p->cutoffs, event, &change, NULL));
  return event;
}

/* Threads 0 (read) and 1 (write, then a local step that changes nothing), in both orders. */
static void fill_prefix(struct prefix *p) {
  unf_thread other;
  unf_unfolding *u = p->f.u;
  ok(unf_thread_name(u, UNF_THREAD_NONE, 1, &other));
  ok(unf_thread_start(u, other));
  ok(unf_object_name(u, UNF_LOCATION, UNF_THREAD_NONE, 0, &p->x));
  ok(unf_configuration_new(u, &p->c));
  ok(unf_cutoffs_new(u, UNF_CUTOFFS_SIZE, &p->cutoffs));
  add(p, UNF_OP_LOAD(p->x), UNF_DID_READ, p->f.main, false);  /* e1 */
  add(p, UNF_OP_STORE(p->x, 1), UNF_DID_WRITE, other, false); /* e2, after e1 */
  unf_configuration_clear(p->c);
  add(p, UNF_OP_STORE(p->x, 1), UNF_DID_WRITE, other, false); /* e3 */
  add(p, UNF_OP_LOAD(p->x), UNF_DID_READ, p->f.main, false);  /* e4, after e3 */
  add(p, UNF_OP_LOCAL(0, 0), UNF_DID_LOCAL, other, true);     /* e5, a cutoff */
}

static void open_prefix(struct prefix *p) {
  open_fixture(&p->f);
  fill_prefix(p);
}

static void close_prefix(struct prefix *p) {
  unf_cutoffs_free(p->cutoffs);
  unf_configuration_free(p->c);
  close_fixture(&p->f);
}

static unsigned count(const char *text, const char *what) {
  unsigned found = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
    found++;
  return found;
}

/* The number of the condition whose place has these words. */
static unsigned condition(const char *text, const char *name, unsigned nth) {
  const char *at = text;
  for (; (at = strstr(at, name)) != NULL && nth > 0; nth--)
    at++;
  assert_non_null(at);
  while (strncmp(at, "<place id=\"c", 12) != 0)
    at--;
  return (unsigned)strtoul(at + 12, NULL, 10);
}

static bool has_arc(const char *text, const char *form, unsigned condition) {
  char arc[64];
  snprintf(arc, sizeof arc, form, condition);
  return strstr(text, arc) != NULL;
}

static void reads_and_writes_have_conditions(void **state) {
  struct prefix p;
  struct collected out = {0}, again = {.room = 700};
  unf_cutoff_verdict verdict;
  (void)state;
  open_prefix(&p);
  ok(unf_cutoffs_verdict(p.cutoffs, 5, &verdict));
  assert_int_equal(verdict, UNF_CUTOFF_IS);
  ok(unf_pnml_prefix(p.cutoffs, NULL, collect, &out));
  assert_int_equal(count(out.text, "<transition "), 5);
  assert_int_equal(count(out.text, "<cutoff/>"), 1);
  assert_non_null(strstr(out.text, "<transition id=\"e1\"><name><text>0 read location - 0</text>"));
  /* The writes of x in one condition; the read that comes first in one of its own with the write
   * that does not come after it, and it makes one for the other. */
  unsigned both = condition(out.text, "location - 0 at first", 0);
  unsigned read = condition(out.text, "location - 0 at first", 1);
  unsigned behind = condition(out.text, "location - 0 after e1", 0);
  assert_int_equal(count(out.text, "location - 0 at first"), 2);
  assert_true(has_arc(out.text, "\"c%u\" target=\"e2\"", both));
  assert_true(has_arc(out.text, "\"c%u\" target=\"e3\"", both));
  assert_true(has_arc(out.text, "\"c%u\" target=\"e1\"", read));
  assert_true(has_arc(out.text, "\"c%u\" target=\"e3\"", read));
  assert_false(has_arc(out.text, "\"c%u\" target=\"e2\"", read));
  assert_true(has_arc(out.text, "\"e1\" target=\"c%u\"", behind));
  assert_true(has_arc(out.text, "\"c%u\" target=\"e2\"", behind));
  assert_false(has_arc(out.text, "\"c%u\" target=\"e3\"", behind));
  /* Each event makes a condition, also where its thread ends. */
  assert_int_equal(count(out.text, "thread 0 after e4"), 1);
  assert_int_equal(count(out.text, "<initialMarking><text>1</text></initialMarking>"), 4);
  fails(UNF_WRITE, unf_pnml_prefix(p.cutoffs, NULL, collect, &again));
  free(again.text);
  free(out.text);
  close_prefix(&p);
}

static size_t hostile(void *user, unf_object object, char *buffer, size_t size) {
  (void)user, (void)object;
  return (size_t)snprintf(buffer, size, "%s", "<a> & \"b\"\x01\xff\xef\xbf\xbf\xc3\xa4");
}

static void names_are_text(void **state) {
  struct prefix p;
  struct collected out = {0};
  unf_names names = UNF_NAMES_INIT;
  (void)state;
  open_prefix(&p);
  names.object = hostile;
  ok(unf_pnml_prefix(p.cutoffs, &names, collect, &out));
  assert_non_null(strstr(out.text, "read &lt;a&gt; &amp; \"b\"\xef\xbf\xbd\xef\xbf\xbd"
                                   "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4</text>"));
  assert_null(strstr(out.text, "<a>"));
  names.size = 1;
  fails(UNF_INVALID, unf_pnml_prefix(p.cutoffs, &names, collect, &out));
  free(out.text);
  close_prefix(&p);
}

static void an_empty_prefix_is_a_net(void **state) {
  struct fixture f;
  struct collected out = {0};
  unf_cutoffs *cutoffs;
  (void)state;
  open_fixture(&f);
  ok(unf_cutoffs_new(f.u, UNF_CUTOFFS_ERV, &cutoffs));
  ok(unf_pnml_prefix(cutoffs, NULL, collect, &out));
  assert_int_equal(count(out.text, "id=\""), 2);
  unf_cutoffs_free(cutoffs);
  free(out.text);
  close_fixture(&f);
}

static unf_answer always(void *user, const unf_event *events, uint64_t count, uint64_t known,
                         unf_event *core, uint64_t *core_count, uint64_t *witness) {
  (void)user, (void)events, (void)count, (void)known, (void)core, (void)core_count, (void)witness;
  return UNF_ANSWER_YES;
}

static void literals_are_refused(void **state) {
  struct fixture f;
  unf_cutoffs *cutoffs;
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  struct collected out = {0};
  (void)state;
  open_fixture(&f);
  consistency.consistent = always;
  ok(unf_unfolding_set_consistency(f.u, &consistency));
  ok(unf_cutoffs_new(f.u, UNF_CUTOFFS_ERV, &cutoffs));
  fails(UNF_UNSUPPORTED, unf_pnml_prefix(cutoffs, NULL, collect, &out));
  unf_cutoffs_free(cutoffs);
  close_fixture(&f);
}

/* Refuses the next allocations. */
static unsigned refusals;

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  (void)user, (void)old_size;
  if (new_size > 0 && refusals > 0) {
    refusals--;
    return NULL;
  }
  if (new_size > 0) return realloc(block, new_size);
  free(block);
  return NULL;
}

static void a_refused_call_is_made_again(void **state) {
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  struct prefix p = {0};
  (void)state;
  options.allocator.reallocate = reallocate;
  ok(unf_context_new(&options, &p.f.context));
  ok(unf_unfolding_new(p.f.context, NULL, &p.f.u));
  ok(unf_thread_name(p.f.u, UNF_THREAD_NONE, 0, &p.f.main));
  ok(unf_thread_start(p.f.u, p.f.main));
  fill_prefix(&p);
  for (refusals = 1; refusals < 4; refusals++) {
    struct collected out = {0};
    const unsigned refused = refusals;
    assert_int_equal(unf_pnml_prefix(p.cutoffs, NULL, collect, &out), UNF_MEMORY);
    refusals = 0;
    out.size = 0;
    ok(unf_pnml_prefix(p.cutoffs, NULL, collect, &out));
    assert_int_equal(count(out.text, "<transition "), 5);
    free(out.text);
    refusals = refused;
  }
  refusals = 0;
  unf_cutoffs_free(p.cutoffs);
  unf_configuration_free(p.c);
  unf_unfolding_free(p.f.u);
  unf_context_free(p.f.context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_and_writes_have_conditions), cmocka_unit_test(names_are_text),
      cmocka_unit_test(an_empty_prefix_is_a_net),         cmocka_unit_test(literals_are_refused),
      cmocka_unit_test(a_refused_call_is_made_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
