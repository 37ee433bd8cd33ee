/* The validators accept what is sound, and name what is wrong with structures that were
 * broken by hand. */
#include "fixture.h"

#include "cutoff/cutoff.h"
#include "exploration/explorer.h"
#include "script.h"

static void broken(struct session *s, unf_status status, const char *words) {
  assert_int_equal(status, UNF_BROKEN);
  if (strstr(unf_context_detail(s->context)->text, words) == NULL)
    fail_msg("\"%s\" does not say \"%s\"", unf_context_detail(s->context)->text, words);
}

static void open_explored(struct session *s, struct script *script) {
  memset(s, 0, sizeof *s);
  script_crossing(script, true);
  ok(session_open(s, script, NULL));
  ok(session_explorer(s, NULL));
  ok(session_explore(s));
  ok(unf_check_unfolding(s->u));
  ok(unf_check_explorer(s->x));
}

/* First event of a kind that follows another on its object. */
static uint32_t event_of(const unf_unfolding *u, unf_action_kind kind) {
  for (uint32_t e = 1; e < u->store.count; e++)
    if (action_of(u, e)->kind == (uint32_t)kind && event_at(u, e)->follows != 0) return e;
  fail_msg("no such event");
  return 0;
}

static void wrong_unfoldings(void **state) {
  struct script script;
  struct session s;
  (void)state;
  open_explored(&s, &script);
  uint32_t release = event_of(s.u, UNF_DID_RELEASE), fail = event_of(s.u, UNF_DID_TRYFAIL);
  uint32_t acquire = event_of(s.u, UNF_DID_ACQUIRE);
  struct event *e = event_at(s.u, fail), saved = *e;
  e->follows = 0;
  broken(&s, unf_check_unfolding(s.u), "the mutex is free");
  *e = saved;
  e->before = s.u->store.count - 1;
  broken(&s, unf_check_unfolding(s.u), "does not come after its predecessor");
  *e = saved;
  e = event_at(s.u, acquire);
  saved = *e;
  e->action = event_at(s.u, release)->action;
  assert_int_equal(unf_check_unfolding(s.u), UNF_BROKEN);
  *e = saved;
  /* An acquire twice, under one name. */
  uint32_t twin = 0;
  for (uint32_t i = acquire + 1; i < s.u->store.count && twin == 0; i++)
    if (event_at(s.u, i)->action == saved.action) twin = i;
  assert_true(twin != 0);
  struct event saved_twin = *event_at(s.u, twin);
  event_at(s.u, twin)->before = saved.before;
  event_at(s.u, twin)->follows = saved.follows;
  broken(&s, unf_check_unfolding(s.u), "same name as event");
  *event_at(s.u, twin) = saved_twin;
  s.u->threads.data[0].initial = false;
  broken(&s, unf_check_unfolding(s.u), "its thread was not started");
  s.u->threads.data[0].initial = true;
  s.u->threads.data[1].initial = true;
  broken(&s, unf_check_unfolding(s.u), "was started before");
  s.u->threads.data[1].initial = false;
  ok(unf_check_unfolding(s.u));
  session_close(&s);
}

static unf_answer consistent(void *user, const unf_event *events, uint64_t count, uint64_t known,
                             unf_event *core, uint64_t *core_count, uint64_t *witness) {
  (void)user, (void)events, (void)count, (void)known, (void)core, (void)core_count, (void)witness;
  return UNF_ANSWER_YES;
}

static void wrong_branches(void **state) {
  struct fixture f;
  unf_consistency c = UNF_CONSISTENCY_INIT;
  unf_configuration *C;
  unf_operation branch = UNF_OP_BRANCH(7, 2);
  (void)state;
  open_fixture(&f);
  c.consistent = consistent;
  ok(unf_unfolding_set_consistency(f.u, &c));
  ok(unf_configuration_new(f.u, &C));
  ok(unf_configuration_offer(C, f.main, &branch));
  unf_event test = perform(C, UNF_DID_BRANCH, f.main, 0, 1);
  ok(unf_check_unfolding(f.u));
  f.u->actions.data[event_at(f.u, test)->action].value = 2;
  fails(UNF_BROKEN, unf_check_unfolding(f.u));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "the branch has fewer outcomes"));
  unf_configuration_free(C);
  close_fixture(&f);
}

static void wrong_configurations(void **state) {
  struct script script;
  struct session s;
  unf_configuration *c;
  (void)state;
  open_explored(&s, &script);
  ok(unf_configuration_new(s.u, &c));
  ok(unf_check_configuration(c));
  ok(unf_configuration_add(c, event_of(s.u, UNF_DID_TRYFAIL)));
  ok(unf_check_configuration(c));
  c->size++;
  broken(&s, unf_check_configuration(c), "size");
  c->size--;
  uint32_t mutex = s.u->objects.data[1].site, entry = c->entries[mutex];
  c->entries[mutex] = 0;
  broken(&s, unf_check_configuration(c), "wrong owner of object 1");
  c->entries[mutex] = entry;
  uint32_t thread = s.u->threads.data[2].site;
  entry = c->entries[thread];
  c->entries[thread] = 0;
  assert_int_equal(unf_check_configuration(c), UNF_BROKEN);
  c->entries[thread] = entry;
  ok(unf_check_configuration(c));
  unf_configuration_free(c);
  session_close(&s);
}

static void wrong_explorers(void **state) {
  struct script script;
  struct session s = {0};
  bool done;
  (void)state;
  script_crossing(&script, true);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  ok(session_run(&s, &done));
  ok(session_run(&s, &done));
  assert_true(s.x->path.D.entries.count > 0 && s.x->path.steps.count > 3);
  ok(unf_check_explorer(s.x));
  struct frame first = s.x->path.steps.data[0];
  s.x->path.steps.data[0] = s.x->path.steps.data[1];
  broken(&s, unf_check_explorer(s.x), "performed before its cause");
  s.x->path.steps.data[0] = first;
  struct frame last = s.x->path.steps.data[s.x->path.steps.count - 1];
  s.x->path.steps.data[s.x->path.steps.count - 1] = first;
  broken(&s, unf_check_explorer(s.x), "performed twice");
  s.x->path.steps.data[s.x->path.steps.count - 1] = last;
  struct sleeper *d = &s.x->path.D.entries.data[0], saved = *d;
  d->event = s.x->path.steps.data[d->depth].event;
  broken(&s, unf_check_explorer(s.x), "performed later");
  *d = saved;
  d->depth = 0;
  broken(&s, unf_check_explorer(s.x), "in D, but C at its node lacks its cause");
  *d = saved;
  s.x->counts.traces++;
  broken(&s, unf_check_explorer(s.x), "executions are not traces");
  s.x->counts.traces--;
  s.x->counts.deadlocks = 100;
  broken(&s, unf_check_explorer(s.x), "more deadlocks");
  s.x->counts.deadlocks = 0;
  ok(unf_check_explorer(s.x));
  session_close(&s);
}

static void wrong_tables_of_cutoffs(void **state) {
  struct script script;
  struct session s;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  (void)state;
  memset(&s, 0, sizeof s);
  options.cutoffs = UNF_CUTOFFS_ERV;
  script_crossing(&script, true);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, &options));
  ok(session_explore(&s));
  unf_cutoffs *c = unf_explorer_cutoffs(s.x);
  ok(unf_check_cutoffs(c));
  ok(unf_check_explorer(s.x));
  struct record *r = &c->records.data[c->records.count - 1], saved = *r;
  r->size++;
  broken(&s, unf_check_cutoffs(c), "another size");
  *r = saved;
  r->layer--;
  broken(&s, unf_check_cutoffs(c), "Foata");
  *r = saved;
  r->own.bits[0] ^= 1;
  broken(&s, unf_check_cutoffs(c), "another state");
  *r = saved;
  r->verdict = r->verdict == UNF_CUTOFF_AFTER ? UNF_CUTOFF_KEPT : UNF_CUTOFF_AFTER;
  broken(&s, unf_check_cutoffs(c), "verdict");
  *r = saved;
  c->counts[UNF_CUTOFF_IS]++;
  broken(&s, unf_check_cutoffs(c), "counts");
  c->counts[UNF_CUTOFF_IS]--;
  for (uint32_t i = 1; i < c->records.count; i++) {
    if (c->records.data[i].verdict != UNF_CUTOFF_KEPT) continue;
    c->states.data[c->records.data[i].state].best = 0;
    broken(&s, unf_check_cutoffs(c), "not the least");
    c->states.data[c->records.data[i].state].best = i + 1;
    break;
  }
  ok(unf_check_cutoffs(c));
  session_close(&s);
}

static bool count_event(void *user, unf_event event) {
  (void)event;
  ++*(uint32_t *)user;
  return true;
}

/* What the path has is read as a configuration also with more sites than are looked through. */
static void explorer_of_many_sites(void **state) {
  enum { LOCATIONS = 1100, STORES = 50 };
  struct fixture f;
  unf_explorer *x;
  unf_configuration *c;
  unf_run run;
  unf_step step;
  unf_object location[LOCATIONS];
  uint32_t listed = 0;
  (void)state;
  open_fixture(&f);
  for (uint32_t i = 0; i < LOCATIONS; i++)
    ok(unf_object_name(f.u, UNF_LOCATION, UNF_THREAD_NONE, i, &location[i]));
  ok(unf_configuration_new(f.u, &c));
  for (uint32_t i = 0; i < LOCATIONS; i++) {
    const unf_operation o = UNF_OP_STORE(location[i], 1);
    ok(unf_configuration_offer(c, f.main, &o));
    perform(c, UNF_DID_WRITE, f.main, location[i], 0);
  }
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_next(x, &run));
  for (uint32_t i = 0; i < STORES; i++) {
    ok(unf_explorer_step(x, &step));
    assert_int_equal(step.kind, UNF_STEP_ACTION);
    ok(unf_explorer_commit(x, NULL, 0));
  }
  ok(unf_check_explorer(x));
  ok(unf_explorer_configuration(x, c));
  ok(unf_configuration_linearize(c, count_event, &listed));
  assert_int_equal(listed, STORES);
  unf_configuration_free(c);
  unf_explorer_free(x);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_tables_of_cutoffs), cmocka_unit_test(wrong_unfoldings),
      cmocka_unit_test(wrong_branches),          cmocka_unit_test(wrong_configurations),
      cmocka_unit_test(wrong_explorers),         cmocka_unit_test(explorer_of_many_sites),
  };
  return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
