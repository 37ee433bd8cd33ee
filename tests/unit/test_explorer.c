/* The run protocol: counts in both forms, states, errors that lose nothing, limits, interrupts,
 * resuming, abandoning, engine-made blocks. */
#include "fixture.h"
#include "script.h"

static unf_counts counts_of(const struct script *script, unf_algorithm algorithm, uint32_t k,
                            bool fed) {
  struct session s = {0};
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_counts counts;
  options.algorithm = algorithm;
  options.alternative.k = k;
  ok(session_open(&s, script, NULL));
  ok(session_explorer(&s, &options));
  ok(fed ? session_explore_fed(&s) : session_explore(&s));
  unf_explorer_counts(s.x, &counts);
  ok(unf_check_explorer(s.x));
  ok(unf_check_unfolding(s.u));
  session_close(&s);
  return counts;
}

static void known_counts(void **state) {
  struct script script;
  (void)state;
  script_dispatcher(&script, 2, 2);
  assert_int_equal(counts_of(&script, UNF_QPOR, UNF_K_OPTIMAL, false).traces, 32);
  script_crossing(&script, false);
  unf_counts counts = counts_of(&script, UNF_QPOR, UNF_K_OPTIMAL, false);
  assert_int_equal(counts.traces, 3);
  assert_int_equal(counts.deadlocks, 1);
  assert_int_equal(counts.complete, 2);
}

/* All algorithms and both forms agree on the traces; optimal wastes nothing. */
static void algorithms_agree(void **state) {
  uint64_t seed = 7;
  (void)state;
  for (unsigned i = 0; i < 60; i++) {
    struct script script;
    if (i == 0)
      script_crossing(&script, true);
    else if (i == 1)
      script_choosing(&script);
    else if (i == 2)
      script_rivals(&script);
    else
      script_random(&script, &seed);
    /* Four threads have too many interleavings; the optimal search stands in. */
    unf_algorithm reference = script.threads < 4 || i == 2 ? UNF_DFS : UNF_QPOR;
    unf_counts dfs = counts_of(&script, reference, UNF_K_OPTIMAL, false);
    for (int fed = 0; fed < 2; fed++) {
      unf_counts optimal = counts_of(&script, UNF_QPOR, UNF_K_OPTIMAL, fed);
      unf_counts one = counts_of(&script, UNF_QPOR, 1, fed);
      unf_counts source = counts_of(&script, UNF_SDPOR, 0, fed);
      if (!fed) assert_int_equal(optimal.redundant, 0);
      assert_int_equal(optimal.traces, dfs.traces);
      assert_int_equal(optimal.deadlocks, dfs.deadlocks);
      assert_int_equal(optimal.events, dfs.events);
      assert_int_equal(one.traces, dfs.traces);
      assert_int_equal(source.traces, dfs.traces);
    }
  }
}

/* Thread 1 halts in one trace of two, where thread 2 holds the mutex. */
static void halts_are_judged(void **state) {
  static const struct {
    unf_halt reason;
    unsigned deadlocks, errors;
  } rows[] = {{UNF_HALT_ASSUME, 0, 0},
              {UNF_HALT_BOUND, 0, 0},
              {UNF_HALT_ASSERT, 0, 1},
              {UNF_HALT_UNDEFINED, 1, 0}};
  (void)state;
  for (unsigned i = 0; i < 4; i++) {
    struct script script;
    script_halting(&script, rows[i].reason);
    unf_counts counts = counts_of(&script, UNF_QPOR, UNF_K_OPTIMAL, i % 2);
    assert_int_equal(counts.traces, 2);
    assert_int_equal(counts.complete, 1);
    assert_int_equal(counts.blocked, 1);
    assert_int_equal(counts.deadlocks, rows[i].deadlocks);
    assert_int_equal(counts.errors, rows[i].errors);
  }
}

static void states_are_kept(void **state) {
  struct script script;
  struct session s = {0};
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  unf_operation exit = UNF_OP_EXIT();
  (void)state;
  script_crossing(&script, false);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  fails(UNF_STATE, unf_explorer_step(s.x, &step));
  fails(UNF_STATE, unf_explorer_commit(s.x, NULL, 0));
  fails(UNF_STATE, unf_explorer_finish(s.x, false, &verdict));
  fails(UNF_STATE, unf_explorer_offer(s.x, 0, &exit));
  fails(UNF_STATE, unf_explorer_resume(s.x, 0));
  fails(UNF_STATE, unf_explorer_feed(s.x, NULL, 0, NULL, 0, false, NULL));
  ok(unf_explorer_next(s.x, &run));
  assert_true(!run.finished && run.number == 1 && run.shared == 0 && run.decided == 0);
  fails(UNF_STATE, unf_explorer_next(s.x, &run));
  fails(UNF_MISSING, unf_explorer_step(s.x, &step));
  assert_int_equal(unf_context_detail(s.context)->thread, s.threads[0]);
  fails(UNF_STATE, unf_explorer_offer(s.x, s.threads[1], &exit));
  fails(UNF_UNKNOWN, unf_explorer_offer(s.x, 99, &exit));
  fails(UNF_UNKNOWN, unf_explorer_block(s.x, 99, true));
  session_reset(&s);
  unf_operation first = session_next(&s, 0);
  ok(unf_explorer_offer(s.x, s.threads[0], &first));
  ok(unf_explorer_offer(s.x, s.threads[0], &first));
  fails(UNF_NONDETERMINISM, unf_explorer_offer(s.x, s.threads[0], &exit));
  assert_string_equal(unf_context_detail(s.context)->expected, "create thread 1");
  assert_string_equal(unf_context_detail(s.context)->seen, "exit");
  assert_int_equal(unf_context_detail(s.context)->step, 1);
  ok(unf_explorer_step(s.x, &step));
  fails(UNF_STATE, unf_explorer_step(s.x, &step));
  unf_action other = did(UNF_DID_CREATE, s.threads[0], s.threads[2], 0);
  fails(UNF_DIVERGENCE, unf_explorer_commit(s.x, &other, 0));
  assert_string_equal(unf_context_detail(s.context)->expected, "0 create thread 1");
  assert_string_equal(unf_context_detail(s.context)->seen, "0 create thread 2");
  ok(unf_explorer_commit(s.x, &step.action, 5));
  unf_explorer_abandon(s.x);
  unf_explorer_abandon(s.x);
  ok(session_explore(&s));
  unf_counts counts;
  unf_explorer_counts(s.x, &counts);
  assert_int_equal(counts.traces, 3);
  assert_int_equal(counts.executions, 3);
  ok(unf_explorer_next(s.x, &run));
  assert_true(run.finished);
  session_close(&s);
}

static bool go_on(void *user, unf_status status) {
  struct session *s = user;
  if (status == UNF_INTERRUPTED) {
    s->reg[SCRIPT_THREADS - 1]++;
    return true;
  }
  if (status != UNF_LIMIT) return false;
  s->reg[SCRIPT_THREADS - 1]++;
  unf_limits limits = {0, 0, s->runs + 2, 0};
  limits.events = unf_unfolding_events(s->u) + 1;
  return unf_context_set_limits(s->context, &limits) == UNF_OK;
}

/* The configuration of an explorer is whole among more threads than are all looked at. */
static void among_many_threads(void **state) {
  struct script script;
  struct session s = {0};
  unf_thread thread;
  bool done = false;
  (void)state;
  script_crossing(&script, false);
  ok(session_open(&s, &script, NULL));
  for (uint32_t i = 0; i < 3000; i++)
    ok(unf_thread_name(s.u, s.threads[0], 100 + i, &thread));
  ok(session_explorer(&s, NULL));
  for (ok(session_run(&s, &done)); !done; ok(session_run(&s, &done)))
    ok(unf_check_explorer(s.x));
  session_close(&s);
}

/* In steps that are performed again a thread must be about to do what it was before, and not what
 * it has just done. */
static void steps_again_are_compared(void **state) {
  struct script script;
  struct session s = {0};
  unf_run run;
  unf_step step;
  unsigned noticed = 0;
  (void)state;
  script_dispatcher(&script, 2, 2);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  for (ok(unf_explorer_next(s.x, &run)); !run.finished; ok(unf_explorer_next(s.x, &run))) {
    session_reset(&s);
    unf_operation next = session_next(&s, 0);
    ok(unf_explorer_offer(s.x, s.threads[0], &next));
    for (ok(unf_explorer_step(s.x, &step)); step.kind == UNF_STEP_ACTION;
         ok(unf_explorer_step(s.x, &step))) {
      unsigned thread = session_number(&s, step.action.thread);
      unf_operation done = session_next(&s, thread);
      session_did(&s, &step.action);
      ok(unf_explorer_commit(s.x, NULL, 0));
      if (step.number <= run.shared) {
        fails(UNF_NONDETERMINISM, unf_explorer_offer(s.x, step.action.thread, &done));
        noticed++;
      }
      next = session_next(&s, thread);
      ok(unf_explorer_offer(s.x, step.action.thread, &next));
      if (step.action.kind != UNF_DID_CREATE) continue;
      next = session_next(&s, session_number(&s, step.action.target));
      ok(unf_explorer_offer(s.x, step.action.target, &next));
    }
    ok(unf_explorer_finish(s.x, false, NULL));
  }
  assert_true(noticed > 100);
  session_close(&s);
}

static void limits_and_interrupts_lose_nothing(void **state) {
  struct script script;
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unf_counts counts;
  (void)state;
  options.limits.runs = 1;
  options.limits.events = 1;
  script_dispatcher(&script, 2, 2);
  for (int fed = 0; fed < 2; fed++) {
    struct session s = {.again = go_on};
    s.user = &s;
    ok(session_open(&s, &script, &options));
    ok(session_explorer(&s, NULL));
    unf_context_interrupt(s.context);
    ok(fed ? session_explore_fed(&s) : session_explore(&s));
    unf_explorer_counts(s.x, &counts);
    assert_int_equal(counts.traces, 32);
    session_close(&s);
  }
}

static bool stop(void *user, const unf_progress *progress) {
  *(uint64_t *)user += progress->runs;
  return false;
}

static void progress_interrupts(void **state) {
  struct script script;
  struct session s = {0};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  uint64_t sum = 0;
  (void)state;
  options.progress = stop;
  options.progress_user = &sum;
  options.progress_interval = 10;
  script_dispatcher(&script, 2, 2);
  ok(session_open(&s, &script, &options));
  ok(session_explorer(&s, NULL));
  for (unsigned i = 0; i < 3; i++)
    fails(UNF_INTERRUPTED, session_explore(&s));
  ok(session_explore(&s));
  assert_int_equal(s.runs, 32);
  assert_int_equal(sum, 60);
  session_close(&s);
}

static void remember_line(void *user, const char *line) {
  unsigned *lines = user;
  const char *expected =
      lines[0] == 0 ? "interrupted by unf_context_interrupt()"
                    : "exploration finished: 32 traces, 0 redundant executions, 273 events";
  assert_string_equal(line, expected);
  lines[0]++;
}

static void the_log_tells_how_it_ended(void **state) {
  struct script script;
  struct session s = {0};
  unf_context_options options = UNF_CONTEXT_OPTIONS_INIT;
  unsigned lines = 0;
  (void)state;
  options.log = remember_line;
  options.log_user = &lines;
  script_dispatcher(&script, 2, 2);
  ok(session_open(&s, &script, &options));
  ok(session_explorer(&s, NULL));
  unf_context_interrupt(s.context);
  fails(UNF_INTERRUPTED, session_explore(&s));
  ok(session_explore(&s));
  assert_int_equal(lines, 2);
  session_close(&s);
}

/* Deepest checkpoint each time: the state is rebuilt by the actions of the last run, which are not
 * performed again. */
static void resuming(void **state) {
  struct script script;
  struct session s = {0};
  unf_run run;
  unf_step step = {UNF_STEP_ACTION, 0, {UNF_DID_LOCAL, 0, 0, 0, 0}};
  unf_action last[64];
  unf_counts counts;
  (void)state;
  script_dispatcher(&script, 2, 2);
  ok(session_open(&s, &script, NULL));
  ok(session_explorer(&s, NULL));
  for (;;) {
    ok(unf_explorer_next(s.x, &run));
    if (run.finished) break;
    fails(UNF_INVALID, unf_explorer_resume(s.x, run.shared + 1));
    ok(unf_explorer_resume(s.x, run.shared));
    session_reset(&s);
    bool started[SCRIPT_THREADS] = {true};
    for (uint64_t i = 0; i < run.shared; i++) {
      if (last[i].kind == UNF_DID_CREATE) started[last[i].target] = true;
      session_did(&s, &last[i]);
    }
    for (;;) {
      for (unsigned t = 0; t < script.threads; t++) {
        unf_operation operation = session_next(&s, t);
        if (started[t]) ok(unf_explorer_offer(s.x, s.threads[t], &operation));
      }
      ok(unf_explorer_step(s.x, &step));
      if (step.kind != UNF_STEP_ACTION) break;
      last[step.number - 1] = step.action;
      if (step.action.kind == UNF_DID_CREATE) started[step.action.target] = true;
      session_did(&s, &step.action);
      ok(unf_explorer_commit(s.x, NULL, 0));
    }
    ok(unf_explorer_finish(s.x, false, NULL));
  }
  unf_explorer_counts(s.x, &counts);
  assert_int_equal(counts.traces, 32);
  assert_int_equal(counts.redundant, 0);
  session_close(&s);
}

/* Names the thread or mutex that the next operation of a thread is about, and something
 * that nobody uses. */
static void name_late(struct session *s, unsigned thread, uint64_t junk) {
  unf_object unused;
  unf_thread nobody;
  if (s->pc[thread] < s->script->length[thread]) {
    const struct instruction *in = &s->script->code[thread][s->pc[thread]];
    uint32_t number = in->target + (in->by_register ? (uint32_t)s->reg[thread] : 0);
    if (in->kind == UNF_CREATE)
      ok(unf_thread_name(s->u, UNF_THREAD_NONE, number, &s->threads[number]));
    if (in->kind == UNF_LOCK)
      ok(unf_object_name(s->u, UNF_MUTEX, UNF_THREAD_NONE, number, &s->mutexes[number]));
  }
  ok(unf_object_name(s->u, UNF_MUTEX, s->threads[0], junk, &unused));
  if (junk % 3 == 0) ok(unf_thread_name(s->u, s->threads[0], (uint32_t)junk, &nobody));
}

static unsigned number_of(const struct session *s, unf_thread thread) {
  unsigned t = 0;
  while (s->threads[t] != thread)
    t++;
  return t;
}

/* Explores with names that are given on the way. */
static unf_counts name_on_the_way(const struct script *script, unf_algorithm algorithm) {
  struct session s = {0};
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_run run;
  unf_step step;
  unf_counts counts;
  uint64_t junk = 0;
  options.algorithm = algorithm;
  s.script = script;
  for (unsigned t = 0; t < SCRIPT_THREADS; t++)
    s.threads[t] = UNF_THREAD_NONE;
  ok(unf_context_new(NULL, &s.context));
  ok(unf_unfolding_new(s.context, NULL, &s.u));
  ok(unf_thread_name(s.u, UNF_THREAD_NONE, 0, &s.threads[0]));
  ok(unf_thread_start(s.u, s.threads[0]));
  ok(session_explorer(&s, &options));
  for (ok(unf_explorer_next(s.x, &run)); !run.finished; ok(unf_explorer_next(s.x, &run))) {
    bool started[SCRIPT_THREADS] = {true};
    session_reset(&s);
    for (;;) {
      for (unsigned t = 0; t < script->threads; t++) {
        if (!started[t]) continue;
        name_late(&s, t, junk++);
        unf_operation operation = session_next(&s, t);
        ok(unf_explorer_offer(s.x, s.threads[t], &operation));
      }
      ok(unf_explorer_step(s.x, &step));
      if (step.kind != UNF_STEP_ACTION) break;
      if (step.action.kind == UNF_DID_CREATE) started[number_of(&s, step.action.target)] = true;
      session_did(&s, &step.action);
      name_late(&s, 0, junk++);
      ok(unf_explorer_commit(s.x, NULL, 0));
    }
    ok(unf_explorer_finish(s.x, false, NULL));
    ok(unf_check_explorer(s.x));
  }
  unf_explorer_counts(s.x, &counts);
  session_close(&s);
  return counts;
}

/* Real programs name things when they meet them: in the middle of a run, between other names, and
 * again in each run. */
static void names_on_the_way(void **state) {
  struct script script;
  (void)state;
  for (int algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
    script_crossing(&script, true);
    unf_counts counts = counts_of(&script, UNF_QPOR, UNF_K_OPTIMAL, false);
    assert_int_equal(name_on_the_way(&script, (unf_algorithm)algorithm).traces, counts.traces);
  }
  script_dispatcher(&script, 2, 2);
  unf_counts counts = name_on_the_way(&script, UNF_QPOR);
  assert_int_equal(counts.traces, 32);
  assert_int_equal(counts.redundant, 0);
}

/* An execution as the explorer reports it. */
struct reported {
  struct events path;
  unf_event last;
  uint64_t size, scheduled;
};

static void note_reported(const struct session *s, struct reported *out) {
  unf_configuration *c;
  unf_schedule *schedule;
  memset(out, 0, sizeof *out);
  unf_explorer_path(s->x, collect_event, &out->path);
  out->last = unf_explorer_last(s->x);
  ok(unf_configuration_new(s->u, &c));
  ok(unf_explorer_configuration(s->x, c));
  out->size = unf_configuration_size(c);
  unf_configuration_free(c);
  ok(unf_schedule_new(s->u, "it", &schedule));
  ok(unf_schedule_append_run(schedule, s->x));
  out->scheduled = unf_schedule_size(schedule);
  unf_schedule_free(schedule);
}

static void note_last(struct session *s, const unf_verdict *verdict) {
  struct reported *last = s->finished_user;
  note_reported(s, last);
  if (!verdict->redundant) assert_int_equal(last->path.event[last->path.count - 1], last->last);
  assert_true(last->size == last->path.count && last->scheduled == last->path.count);
}

/* A schedule is that of the probe, all else that of the last execution. */
static void note_probe(struct session *s, const unf_verdict *verdict) {
  struct reported *last = s->probed_user, now;
  assert_true(verdict->probe);
  note_reported(s, &now);
  last->scheduled = now.scheduled;
  assert_memory_equal(&now, last, sizeof now);
}

/* Also when the way to the next one was interrupted, and at the end. */
static void the_last_run_stays(void **state) {
  struct script script;
  (void)state;
  script_crossing(&script, true);
  for (int algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
    bool ordered = algorithm != UNF_ODPOR && algorithm != UNF_EAGER;
    for (int order = 0; order < (ordered ? UNF_ORDER_CHOSEN : 1); order++) {
      struct reported last = {0}, now;
      struct session s = {.finished = note_last,
                          .finished_user = &last,
                          .probed = note_probe,
                          .probed_user = &last};
      unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
      unf_run run;
      bool done = false;
      options.algorithm = (unf_algorithm)algorithm;
      options.order = (unf_order)order;
      options.probes = 2;
      ok(session_open(&s, &script, NULL));
      ok(session_explorer(&s, &options));
      while (!done) {
        unf_context_interrupt(s.context);
        fails(UNF_INTERRUPTED, unf_explorer_next(s.x, &run));
        note_reported(&s, &now);
        assert_memory_equal(&now, &last, sizeof now);
        ok(session_run(&s, &done));
      }
      note_reported(&s, &now);
      assert_true(last.path.count > 0);
      assert_memory_equal(&now, &last, sizeof now);
      session_close(&s);
    }
  }
}

static void blocked_by_the_engine(void **state) {
  struct fixture f;
  unf_explorer *x;
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  unf_operation local = UNF_OP_LOCAL(0, 0), exit = UNF_OP_EXIT();
  (void)state;
  open_fixture(&f);
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_next(x, &run));
  ok(unf_explorer_offer(x, f.main, &local));
  ok(unf_explorer_block(x, f.main, true));
  ok(unf_explorer_block(x, f.main, false));
  ok(unf_explorer_step(x, &step));
  assert_int_equal(step.kind, UNF_STEP_ACTION);
  ok(unf_explorer_commit(x, NULL, 0));
  ok(unf_explorer_offer(x, f.main, &exit));
  ok(unf_explorer_step(x, &step));
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  ok(unf_explorer_finish(x, true, &verdict));
  assert_true(verdict.complete && verdict.error && !verdict.deadlock && !verdict.redundant);
  unf_explorer_free(x);
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_next(x, &run));
  ok(unf_explorer_block(x, f.main, true));
  ok(unf_explorer_step(x, &step));
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  ok(unf_explorer_finish(x, false, &verdict));
  assert_true(!verdict.complete && verdict.deadlock && verdict.blocked == 1);
  unf_explorer_free(x);
  for (int i = 0; i < 2; i++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    options.algorithm = i == 0 ? UNF_DFS : UNF_EAGER;
    ok(unf_explorer_new(f.u, &options, &x));
    ok(unf_explorer_next(x, &run));
    fails(UNF_UNSUPPORTED, unf_explorer_block(x, f.main, true));
    unf_explorer_free(x);
  }
  close_fixture(&f);
}

static uint64_t first_leaf(void *user, const unf_leaf *leaves, uint64_t count) {
  (void)user, (void)leaves, (void)count;
  return 0;
}

/* Before any thread has a name, or has started, there is one execution, without steps. */
static void without_threads(void **state) {
  (void)state;
  for (int i = 0; i < UNF_ALGORITHM_COUNT * UNF_ORDER_COUNT * 2; i++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    unf_context *context;
    unf_unfolding *u;
    unf_explorer *x;
    unf_thread thread;
    unf_counts counts;
    unf_run run;
    unf_step step;
    unf_verdict v;
    options.algorithm = (unf_algorithm)(i / 2 % UNF_ALGORITHM_COUNT);
    options.order = (unf_order)(i / 2 / UNF_ALGORITHM_COUNT);
    options.choose = first_leaf;
    options.runs = options.steps = 1;
    ok(unf_context_new(NULL, &context));
    ok(unf_unfolding_new(context, NULL, &u));
    if (i % 2 > 0) ok(unf_thread_name(u, UNF_THREAD_NONE, 0, &thread));
    if (unf_explorer_new(u, &options, &x) == UNF_OK) {
      ok(unf_explorer_next(x, &run));
      ok(unf_explorer_step(x, &step));
      assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
      ok(unf_explorer_finish(x, false, &v));
      assert_true(v.complete && !v.deadlock);
      ok(unf_explorer_next(x, &run));
      assert_true(run.finished);
      unf_explorer_counts(x, &counts);
      assert_true(counts.traces == 1 && counts.executions == 1 && counts.events == 0);
      ok(unf_check_explorer(x));
      unf_explorer_free(x);
    }
    unf_unfolding_free(u);
    unf_context_free(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_counts),
      cmocka_unit_test(algorithms_agree),
      cmocka_unit_test(halts_are_judged),
      cmocka_unit_test(states_are_kept),
      cmocka_unit_test(among_many_threads),
      cmocka_unit_test(steps_again_are_compared),
      cmocka_unit_test(limits_and_interrupts_lose_nothing),
      cmocka_unit_test(progress_interrupts),
      cmocka_unit_test(the_log_tells_how_it_ended),
      cmocka_unit_test(resuming),
      cmocka_unit_test(names_on_the_way),
      cmocka_unit_test(the_last_run_stays),
      cmocka_unit_test(blocked_by_the_engine),
      cmocka_unit_test(without_threads),
  };
  return cmocka_run_group_tests_name("explorer", tests, NULL, NULL);
}
