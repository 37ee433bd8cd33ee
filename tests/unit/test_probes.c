/* Probes: that they change nothing of the exploration, and what is refused. tests/random/probes.c
 * checks what they say about the number of traces. */
#include "fixture.h"
#include "script.h"

/* The steps of all executions, one after the other, as a number. */
struct record {
  uint64_t hash, count;
};

static bool note(void *user, unf_event event) {
  struct session *s = user;
  struct record *r = s->finished_user;
  unf_action a;
  ok(unf_event_action(s->u, event, &a));
  const uint64_t fields[] = {a.kind, a.thread, a.target, (uint64_t)a.value};
  for (unsigned i = 0; i < 4; i++)
    r->hash = (r->hash ^ fields[i]) * 0x100000001b3u + 1;
  r->count++;
  return true;
}

static void note_run(struct session *s, const unf_verdict *verdict) {
  assert_false(verdict->probe);
  unf_explorer_path(s->x, note, s);
}

static void explore(const struct script *script, const unf_explorer_options *options,
                    struct record *record, unf_counts *counts) {
  struct session s = {.finished = note_run, .finished_user = record};
  memset(record, 0, sizeof *record);
  ok(session_open(&s, script, NULL));
  ok(session_explorer(&s, options));
  ok(session_explore(&s));
  ok(unf_check_explorer(s.x));
  ok(unf_check_unfolding(s.u));
  unf_explorer_counts(s.x, counts);
  session_close(&s);
}

static void same_with_and_without(const struct script *script, unf_explorer_options options) {
  struct record with, without;
  unf_counts c[2] = {{0}};
  explore(script, &options, &without, &c[0]);
  options.probes = 50;
  explore(script, &options, &with, &c[1]);
  assert_int_equal(c[0].probes, 0);
  assert_true(c[1].probes > 0 || c[1].executions == 1);
  c[0].probes = c[1].probes;
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
  assert_int_equal(with.count, without.count);
  assert_int_equal(with.hash, without.hash);
}

static void nothing_changes(void **state) {
  struct script script;
  uint64_t seed = 9;
  (void)state;
  for (unsigned i = 0; i < 10; i++) {
    script_random(&script, &seed);
    if (i == 0) script_dispatcher(&script, 2, 2);
    if (i == 1) script_crossing(&script, true);
    if (i == 2) script_choosing(&script);
    if (i == 3) script_rivals(&script);
    for (int algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
      unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
      bool ordered = algorithm != UNF_ODPOR && algorithm != UNF_EAGER;
      options.algorithm = (unf_algorithm)algorithm;
      if (algorithm == UNF_DFS && (i == 0 || script.threads > 3)) continue;
      for (uint32_t k = 1; k <= (algorithm == UNF_QPOR ? 3 : 1); k++) {
        options.alternative.k = k < 3 ? k : UNF_K_OPTIMAL;
        for (int order = 0; order < (ordered ? UNF_ORDER_CHOSEN : 1); order++) {
          options.order = (unf_order)order;
          same_with_and_without(&script, options);
        }
      }
    }
  }
}

static void begin(struct session *s, const struct script *script, uint64_t probes, uint64_t seed) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  memset(s, 0, sizeof *s);
  options.probes = probes;
  options.seed = seed;
  ok(session_open(s, script, NULL));
  ok(session_explorer(s, &options));
}

static void the_estimate_is_near(void **state) {
  struct script script;
  unf_estimate e;
  (void)state;
  script_dispatcher(&script, 2, 2); /* 32 traces */
  for (uint64_t seed = 0; seed < 5; seed++) {
    struct session s;
    bool done;
    begin(&s, &script, 90000, seed);
    unf_explorer_estimate(s.x, &e);
    assert_true(e.left < 0 && e.error < 0 && e.samples == 0);
    for (unsigned i = 0; i < 301; i++)
      ok(session_run(&s, &done));
    unf_explorer_estimate(s.x, &e);
    assert_int_equal(e.samples, 300);
    assert_true(e.error > 0 && e.error < 8);
    assert_true(e.left + 1 > 32 - 4 * e.error && e.left + 1 < 32 + 4 * e.error);
    ok(session_explore(&s));
    unf_explorer_estimate(s.x, &e);
    assert_true(e.left == 0 && e.error == 0);
    session_close(&s);
  }
}

static void what_is_refused(void **state) {
  struct script script;
  struct session s;
  unf_run run;
  unf_step step;
  unf_estimate e;
  bool done;
  (void)state;
  script_crossing(&script, false);
  begin(&s, &script, 0, 0);
  unf_explorer *x;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.probes = 1;
  options.max_switches = 5;
  fails(UNF_UNSUPPORTED, unf_explorer_new(s.u, &options, &x));
  options.max_switches = UNF_UNBOUNDED;
  options.cutoffs = UNF_CUTOFFS_SIZE;
  fails(UNF_UNSUPPORTED, unf_explorer_new(s.u, &options, &x));
  session_close(&s);

  begin(&s, &script, 4, 0);
  ok(session_run(&s, &done));
  ok(unf_explorer_next(s.x, &run));
  assert_true(run.probe && run.number == 1 && run.shared == 0 && run.decided == 0);
  fails(UNF_INVALID, unf_explorer_resume(s.x, 1));
  fails(UNF_STATE, unf_explorer_save(s.x, 1));
  fails(UNF_STATE, unf_explorer_next(s.x, &run));
  fails(UNF_STATE, unf_explorer_commit(s.x, NULL, 0));
  fails(UNF_MISSING, unf_explorer_step(s.x, &step));
  assert_int_equal(unf_explorer_last(s.x), UNF_EVENT_BOTTOM);
  unf_explorer_abandon(s.x);
  unf_explorer_estimate(s.x, &e);
  assert_true(e.left < 0 && e.error < 0);
  ok(unf_explorer_next(s.x, &run)); /* no other one comes */
  assert_false(run.probe);
  unf_explorer_abandon(s.x);
  ok(session_explore(&s));
  assert_int_equal(s.runs, 3);
  session_close(&s);
}

static void whole_traces_have_none(void **state) {
  struct script script;
  struct session s;
  unf_counts counts;
  (void)state;
  script_crossing(&script, false);
  begin(&s, &script, 100, 0);
  ok(session_explore_fed(&s));
  unf_explorer_counts(s.x, &counts);
  assert_int_equal(counts.traces, 3);
  assert_int_equal(counts.probes, 0);
  session_close(&s);
}

/* What a schedule leads to, in the exploration's own unfolding: whether threads are left there. */
static bool leaves_threads(const struct session *s, const unf_schedule *schedule) {
  struct session again = *s;
  unf_configuration *c;
  unf_action action;
  bool started[SCRIPT_THREADS] = {true}, left = false;
  ok(unf_configuration_new(s->u, &c));
  session_reset(&again);
  for (uint64_t i = 0; i < unf_schedule_size(schedule); i++) {
    ok(unf_schedule_step(schedule, i, &action));
    for (unsigned t = 0; t < s->script->threads; t++) {
      unf_operation operation = session_next(&again, t);
      if (started[t]) ok(unf_configuration_offer(c, s->threads[t], &operation));
    }
    ok(unf_configuration_perform(c, &action, NULL));
    for (unsigned n = 0; action.kind == UNF_DID_CREATE && n < s->script->threads; n++)
      started[n] = started[n] || s->threads[n] == action.target;
    session_did(&again, &action);
  }
  for (unsigned t = 0; t < s->script->threads; t++)
    left = left || (started[t] && session_next(&again, t).kind != UNF_EXIT);
  unf_configuration_free(c);
  return left;
}

static void note_probe(struct session *s, const unf_verdict *verdict) {
  unsigned *deadlocks = s->probed_user;
  unf_schedule *schedule;
  assert_true(verdict->probe);
  ok(unf_schedule_new(s->u, "it", &schedule));
  ok(unf_schedule_append_run(schedule, s->x));
  assert_true(unf_schedule_size(schedule) > 0);
  assert_int_equal(leaves_threads(s, schedule), verdict->deadlock);
  *deadlocks += verdict->deadlock;
  unf_schedule_free(schedule);
}

/* A defect of a probe is reported with the way there, and counts nowhere. */
static void a_defect_is_reported(void **state) {
  struct script script;
  struct session s;
  unf_counts counts;
  unsigned deadlocks = 0;
  (void)state;
  script_crossing(&script, false);
  begin(&s, &script, 100, 1);
  s.probed = note_probe;
  s.probed_user = &deadlocks;
  ok(session_explore(&s));
  unf_explorer_counts(s.x, &counts);
  assert_true(deadlocks > 0 && deadlocks < counts.probes);
  assert_int_equal(counts.deadlocks, 1);
  assert_int_equal(counts.traces, 3);
  session_close(&s);
}

/* Thread 0 chooses 0 and ends, or 1: then it goes on with an object that the first execution does
 * not know. One step after it was named there is more to say of it, and then it is used. */
struct late {
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  unf_thread main;
  unf_object object, half;
};

static void begin_late(struct late *l) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.probes = 16;
  ok(unf_context_new(NULL, &l->context));
  ok(unf_unfolding_new(l->context, NULL, &l->u));
  ok(unf_thread_name(l->u, UNF_THREAD_NONE, 0, &l->main));
  ok(unf_thread_start(l->u, l->main));
  ok(unf_explorer_new(l->u, &options, &l->x));
}

static void end_late(struct late *l) {
  unf_explorer_free(l->x);
  unf_unfolding_free(l->u);
  unf_context_free(l->context);
}

/* The operation, performed. */
static unf_action perform_late(struct late *l, unf_operation operation) {
  unf_step step;
  ok(unf_explorer_offer(l->x, l->main, &operation));
  ok(unf_explorer_step(l->x, &step));
  assert_int_equal(step.kind, UNF_STEP_ACTION);
  ok(unf_explorer_commit(l->x, NULL, 0));
  return step.action;
}

static void finish_late(struct late *l) {
  const unf_operation end = UNF_OP_EXIT();
  unf_step step;
  unf_verdict verdict;
  ok(unf_explorer_offer(l->x, l->main, &end));
  ok(unf_explorer_step(l->x, &step));
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  ok(unf_explorer_finish(l->x, false, &verdict));
  assert_true(verdict.complete);
}

static void values_are_said_late(void **state) {
  struct late l;
  unf_run run;
  unf_counts counts;
  bool met = false; /* in a probe before the exploration comes there */
  (void)state;
  begin_late(&l);
  for (ok(unf_explorer_next(l.x, &run)); !run.finished; ok(unf_explorer_next(l.x, &run))) {
    if (perform_late(&l, UNF_OP_LOCAL(0, 1)).value == 1) {
      met = met || (run.probe && unf_unfolding_objects(l.u) == 0);
      ok(unf_object_name(l.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 7, &l.object));
      perform_late(&l, UNF_OP_LOCAL(0, 0));
      ok(unf_object_set_initial(l.u, l.object, 1));
      perform_late(&l, unf_operation_make(UNF_SEM_WAIT, l.object, 0, 0));
      perform_late(&l, unf_operation_make(UNF_POST, l.object, 0, 0));
    }
    finish_late(&l);
  }
  unf_explorer_counts(l.x, &counts);
  assert_true(met);
  assert_int_equal(counts.traces, 2);
  end_late(&l);
}

/* The bytes have their value by the whole word, the place of a half of it is said later. */
static void places_are_said_late(void **state) {
  struct late l;
  unf_run run;
  unf_counts counts;
  (void)state;
  begin_late(&l);
  for (ok(unf_explorer_next(l.x, &run)); !run.finished; ok(unf_explorer_next(l.x, &run))) {
    if (perform_late(&l, UNF_OP_LOCAL(0, 1)).value == 1) {
      ok(unf_object_name(l.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &l.object));
      ok(unf_object_name(l.u, UNF_LOCATION, UNF_THREAD_NONE, 1, &l.half));
      perform_late(&l, UNF_OP_LOCAL(0, 0));
      ok(unf_location_place(l.u, l.object, l.object, 0, 4));
      ok(unf_location_place(l.u, l.half, l.object, 2, 2));
      ok(unf_object_set_initial(l.u, l.object, 0x30000));
      unf_operation wait = unf_operation_make(UNF_AWAIT, l.half, 3, 0);
      wait.second = UNF_EQUAL;
      perform_late(&l, wait);
    }
    finish_late(&l);
  }
  unf_explorer_counts(l.x, &counts);
  assert_int_equal(counts.traces, 2);
  end_late(&l);
}

/* What a probe used cannot have another value afterwards, or be cut. */
static void what_a_probe_used_is_used(void **state) {
  struct late l;
  unf_run run;
  unf_object part;
  bool met = false;
  (void)state;
  begin_late(&l);
  for (ok(unf_explorer_next(l.x, &run)); !met && !run.finished; ok(unf_explorer_next(l.x, &run))) {
    if (perform_late(&l, UNF_OP_LOCAL(0, 1)).value == 1) {
      ok(unf_object_name(l.u, UNF_LOCATION, UNF_THREAD_NONE, 0, &l.object));
      ok(unf_object_name(l.u, UNF_SEMAPHORE, UNF_THREAD_NONE, 0, &l.half));
      ok(unf_location_place(l.u, l.object, l.object, 0, 4));
      perform_late(&l, unf_operation_make(UNF_LOAD, l.object, 0, 0));
      perform_late(&l, unf_operation_make(UNF_POST, l.half, 0, 0));
      met = run.probe;
      ok(unf_object_name(l.u, UNF_LOCATION, UNF_THREAD_NONE, 2, &part));
      fails(UNF_STATE, unf_location_place(l.u, part, l.object, 0, 2));
      fails(UNF_STATE, unf_object_set_initial(l.u, l.object, 1));
      fails(UNF_STATE, unf_object_set_initial(l.u, l.half, 1));
    }
    finish_late(&l);
  }
  assert_true(met);
  end_late(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_changes),      cmocka_unit_test(the_estimate_is_near),
      cmocka_unit_test(what_is_refused),      cmocka_unit_test(whole_traces_have_none),
      cmocka_unit_test(a_defect_is_reported), cmocka_unit_test(values_are_said_late),
      cmocka_unit_test(places_are_said_late), cmocka_unit_test(what_a_probe_used_is_used)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
