/* The ready-made loop: the same executions as by hand, and the same again when each call of the
 * engine fails in turn, when each allocation does, and with every kind of engine. */
#include "fixture.h"
#include "script.h"

enum { MOST_STATES = 4000 };

/* What an engine can do besides what it must. */
struct form {
  bool restores; /* goes back to steps in common with the last execution */
  bool saves;    /* keeps every second state, and goes back to these */
  bool changes;  /* for cutoffs */
};

/* A script as an engine, and a record of what was executed. */
struct driven {
  struct session s, before;
  const struct form *form;
  struct session *states; /* after so many steps; then those that were saved, by their names */
  uint64_t steps, saved;
  uint64_t calls, fail_at; /* of the engine, so far; the one that fails, or 0 */
  const char *failed;      /* its name */
  uint64_t hash, ended, redundant, probes, progress, restarts, restored;
  unf_verdict verdict; /* the last one */
};

/* Of its own, so that it is seen whether it comes back unchanged. */
static const unf_status broken = UNF_DIVERGENCE;

static bool fails_now(struct driven *d, const char *name) {
  if (++d->calls != d->fail_at) return false;
  d->failed = name;
  return true;
}

static unf_status restart(void *user, const unf_run *run) {
  struct driven *d = user;
  if (fails_now(d, "restart")) return broken;
  assert_false(run->finished);
  session_reset(&d->s);
  d->steps = 0;
  d->states[0] = d->s;
  d->restarts++;
  return UNF_OK;
}

static unf_status next(void *user, unf_thread thread, unf_operation *operation) {
  struct driven *d = user;
  if (fails_now(d, "next")) return broken;
  *operation = session_next(&d->s, session_number(&d->s, thread));
  return UNF_OK;
}

static unf_status perform_step(void *user, const unf_step *step, unf_performed *performed) {
  struct driven *d = user;
  if (fails_now(d, "perform")) return broken;
  assert_int_equal(step->number, d->steps + 1);
  assert_memory_equal(&step->action, &performed->action, sizeof step->action);
  assert_false(performed->error);
  d->before = d->s;
  session_did(&d->s, &step->action);
  performed->cookie = step->number;
  d->states[++d->steps] = d->s;
  return UNF_OK;
}

static void set_state(struct driven *d, const struct session *to, uint64_t steps) {
  memcpy(d->s.pc, to->pc, sizeof to->pc);
  memcpy(d->s.reg, to->reg, sizeof to->reg);
  d->s.shared = to->shared;
  d->steps = steps;
  d->states[steps] = d->s;
}

static unf_status restore(void *user, const unf_run *run, uint64_t *steps) {
  struct driven *d = user;
  if (fails_now(d, "restore")) return broken;
  if (d->form->saves && run->state != 0) {
    *steps = run->saved;
    set_state(d, &d->states[run->state], run->saved);
  } else if (d->form->restores && !d->form->saves) {
    *steps = run->shared;
    set_state(d, &d->states[run->shared], run->shared);
  }
  d->restored += *steps > 0;
  return UNF_OK;
}

static unf_status save(void *user, uint64_t steps, uint64_t *state) {
  struct driven *d = user;
  if (fails_now(d, "save")) return broken;
  assert_int_equal(steps, d->steps);
  if (steps % 2 == 0 || d->saved + 1 == MOST_STATES - SCRIPT_THREADS * SCRIPT_LENGTH) return UNF_OK;
  *state = SCRIPT_THREADS * SCRIPT_LENGTH + ++d->saved;
  d->states[*state] = d->s;
  return UNF_OK;
}

static unf_status changed(void *user, unf_fingerprint *change) {
  struct driven *d = user;
  if (fails_now(d, "changed")) return broken;
  session_change(&d->s, &d->before, change);
  return UNF_OK;
}

static unf_status blocked(void *user, unf_explorer *explorer) {
  struct driven *d = user;
  assert_ptr_equal(explorer, d->s.x);
  return fails_now(d, "blocked") ? broken : UNF_OK;
}

static bool note(void *user, unf_event event) {
  struct driven *d = user;
  unf_action a;
  ok(unf_event_action(d->s.u, event, &a));
  const uint64_t fields[] = {a.kind, a.thread, a.target, (uint64_t)a.value};
  for (unsigned i = 0; i < 4; i++)
    d->hash = (d->hash ^ fields[i]) * 0x100000001b3u + 1;
  return true;
}

/* Called once for each execution: a failure of it is not made good by another call. */
static unf_status ended(void *user, const unf_verdict *verdict, unf_explorer *explorer) {
  struct driven *d = user;
  d->verdict = *verdict;
  if (verdict->probe) {
    d->probes++;
  } else {
    unf_explorer_path(explorer, note, d);
    d->redundant += verdict->redundant;
    d->ended++;
  }
  return fails_now(d, "ended") ? broken : UNF_OK;
}

static unf_status progress(void *user, unf_explorer *explorer) {
  struct driven *d = user;
  assert_ptr_equal(explorer, d->s.x);
  if (fails_now(d, "progress")) return broken;
  d->progress++;
  return UNF_OK;
}

static unf_engine engine_of(struct driven *d) {
  unf_engine engine = UNF_ENGINE_INIT;
  engine.user = d;
  engine.restart = restart;
  engine.next = next;
  engine.perform = perform_step;
  if (d->form->restores || d->form->saves) engine.restore = restore;
  if (d->form->saves) engine.save = save;
  if (d->form->changes) engine.changed = changed;
  engine.blocked = blocked;
  engine.ended = ended;
  engine.progress = progress;
  return engine;
}

static void open_driven(struct driven *d, const struct script *script, const struct form *form,
                        const unf_context_options *context, const unf_explorer_options *options) {
  memset(d, 0, sizeof *d);
  d->form = form;
  d->states = malloc(MOST_STATES * sizeof *d->states);
  assert_non_null(d->states);
  while (session_open(&d->s, script, context) == UNF_MEMORY)
    session_close(&d->s);
  while (session_explorer(&d->s, options) == UNF_MEMORY)
    continue;
  assert_non_null(d->s.x);
}

static void close_driven(struct driven *d) {
  free(d->states);
  session_close(&d->s);
}

/* By hand, with the executions as `ended` notes them. */
static void by_hand(const struct script *script, const unf_explorer_options *options,
                    struct driven *out, unf_counts *counts) {
  static const struct form plain;
  open_driven(out, script, &plain, NULL, options);
  for (bool done = false; !done;) {
    uint64_t before, after;
    unf_explorer_counts(out->s.x, counts);
    before = counts->executions;
    ok(session_run(&out->s, &done));
    unf_explorer_counts(out->s.x, counts);
    after = counts->executions;
    if (after == before) continue;
    unf_explorer_path(out->s.x, note, out);
    out->ended++;
  }
  close_driven(out);
}

static void same_counts(const unf_counts *a, const unf_counts *b) {
  assert_int_equal(a->traces, b->traces);
  assert_int_equal(a->complete, b->complete);
  assert_int_equal(a->deadlocks, b->deadlocks);
  assert_int_equal(a->errors, b->errors);
  assert_int_equal(a->redundant, b->redundant);
  assert_int_equal(a->truncated, b->truncated);
  assert_int_equal(a->executions, b->executions);
  assert_int_equal(a->events, b->events);
}

/* One exploration, in which a call of the engine fails; returns how many calls there were. */
static uint64_t drive(const struct script *script, const struct form *form,
                      const unf_explorer_options *options, uint64_t fail_at,
                      const struct driven *expected, const unf_counts *counts) {
  struct driven d;
  unf_counts seen;
  open_driven(&d, script, form, NULL, options);
  d.fail_at = fail_at;
  unf_engine engine = engine_of(&d);
  unf_status status = unf_explore(d.s.x, &engine, &seen);
  if (fail_at > 0) {
    const unf_detail *detail = unf_context_detail(d.s.context);
    assert_int_equal(status, broken);
    assert_int_equal(detail->status, broken);
    assert_non_null(strstr(detail->text, "unf_engine."));
    assert_non_null(strstr(detail->text, d.failed));
    status = unf_explore(d.s.x, &engine, &seen);
  }
  assert_int_equal(status, UNF_OK);
  assert_true(d.hash == expected->hash);
  assert_int_equal(d.ended, expected->ended);
  assert_int_equal(d.ended, seen.executions);
  assert_int_equal(d.redundant, seen.redundant);
  assert_int_equal(d.probes, seen.probes);
  assert_int_equal(d.progress, seen.executions + seen.probes + 1);
  assert_int_equal(d.restarts + d.restored, seen.executions + seen.probes);
  same_counts(&seen, counts);
  uint64_t calls = d.calls;
  ok(unf_explore(d.s.x, &engine, &seen)); /* there is nothing left */
  same_counts(&seen, counts);
  ok(unf_check_explorer(d.s.x));
  close_driven(&d);
  return calls;
}

/* `tried`: how many calls of the engine fail, each in an exploration of its own. */
static void drive_in_all_ways(const struct script *script, const unf_explorer_options *options,
                              uint64_t tried) {
  static const struct form forms[] = {{.restores = false}, {.restores = true}, {.saves = true}};
  struct driven expected;
  unf_counts counts;
  by_hand(script, options, &expected, &counts);
  for (unsigned f = 0; f < sizeof forms / sizeof *forms; f++) {
    struct form form = forms[f];
    /* Steps in common with the last execution are at hand depth-first only. */
    if (form.restores && options->order != UNF_ORDER_DEPTH_FIRST) continue;
    form.changes = options->cutoffs != UNF_CUTOFFS_NONE;
    uint64_t calls = drive(script, &form, options, 0, &expected, &counts);
    for (uint64_t n = 1; n <= calls; n += 1 + calls / tried)
      drive(script, &form, options, n, &expected, &counts);
  }
}

static void test_each_call_fails(void **state) {
  struct script script;
  uint64_t seed = 1;
  (void)state;
  for (unsigned program = 0; program < 8; program++) {
    if (program == 0)
      script_crossing(&script, true);
    else if (program == 1)
      script_choosing(&script);
    else
      script_random(&script, &seed);
    for (unf_algorithm algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
      unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
      options.algorithm = algorithm;
      /* Of the random programs there are too many interleavings. */
      if (program < 2 || algorithm != UNF_DFS) drive_in_all_ways(&script, &options, 50);
    }
    for (unf_order order = UNF_ORDER_BREADTH_FIRST; order < UNF_ORDER_CHOSEN; order++) {
      unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
      options.order = order;
      drive_in_all_ways(&script, &options, 20);
    }
  }
}

static void test_probes_and_cutoffs(void **state) {
  struct script script;
  (void)state;
  script_dispatcher(&script, 2, 2);
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.probes = 2;
  drive_in_all_ways(&script, &options, 50);
  options.probes = 0;
  options.cutoffs = UNF_CUTOFFS_ERV;
  drive_in_all_ways(&script, &options, 50);
}

/* ---- refusals of the library ---- */

struct memory {
  uint64_t calls, fail_at;
};

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  struct memory *m = user;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  if (new_size > old_size && ++m->calls == m->fail_at) return NULL;
  return realloc(block, new_size);
}

static uint64_t drive_without_memory(const struct script *script, uint64_t fail_at,
                                     const unf_explorer_options *options,
                                     const struct driven *expected, const unf_counts *counts) {
  static const struct form form = {.saves = true};
  struct memory memory = {0, fail_at};
  struct driven d;
  unf_counts seen;
  unf_context_options context = UNF_CONTEXT_OPTIONS_INIT;
  context.allocator.reallocate = reallocate;
  context.allocator.user = &memory;
  open_driven(&d, script, &form, &context, options);
  unf_engine engine = engine_of(&d);
  unf_status status = unf_explore(d.s.x, &engine, &seen);
  if (status == UNF_MEMORY) status = unf_explore(d.s.x, &engine, &seen);
  assert_int_equal(status, UNF_OK);
  assert_true(d.hash == expected->hash);
  assert_int_equal(d.ended, expected->ended);
  /* Of an interleaving whose trace could not be looked up that is said before it is known. */
  if (options->algorithm != UNF_DFS) assert_int_equal(d.redundant, seen.redundant);
  same_counts(&seen, counts);
  uint64_t calls = memory.calls;
  close_driven(&d);
  return calls;
}

static void test_each_allocation_fails(void **state) {
  struct script script;
  struct driven expected;
  unf_counts counts;
  (void)state;
  script_crossing(&script, false);
  for (unf_algorithm algorithm = 0; algorithm < UNF_RANDOM; algorithm++) {
    unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
    options.algorithm = algorithm;
    by_hand(&script, &options, &expected, &counts);
    uint64_t calls = drive_without_memory(&script, 0, &options, &expected, &counts);
    for (uint64_t n = 1; n <= calls; n++)
      drive_without_memory(&script, n, &options, &expected, &counts);
  }
}

/* ---- what one execution comes to ---- */

static unf_status fail_first(void *user, const unf_step *step, unf_performed *performed) {
  unf_status status = perform_step(user, step, performed);
  performed->error = step->number == 1;
  return status;
}

static unf_status lie(void *user, const unf_step *step, unf_performed *performed) {
  unf_status status = perform_step(user, step, performed);
  performed->action.value++;
  return status;
}

static void test_what_was_performed(void **state) {
  static const struct form plain;
  struct script script;
  struct driven d;
  unf_counts counts;
  (void)state;
  script_crossing(&script, false);
  open_driven(&d, &script, &plain, NULL, NULL);
  unf_engine engine = engine_of(&d);
  engine.perform = fail_first;
  ok(unf_explore(d.s.x, &engine, &counts));
  assert_int_equal(counts.errors, counts.traces);
  assert_true(d.verdict.error);
  close_driven(&d);

  open_driven(&d, &script, &plain, NULL, NULL);
  engine = engine_of(&d);
  engine.perform = lie;
  assert_int_equal(unf_explore(d.s.x, &engine, &counts), UNF_DIVERGENCE);
  assert_int_equal(unf_context_detail(d.s.context)->step, 1);
  /* The execution is begun anew, by an engine that says what it does. */
  engine.perform = perform_step;
  unf_explorer_abandon(d.s.x);
  ok(unf_explore(d.s.x, &engine, &counts));
  assert_int_equal(counts.traces, counts.executions);
  assert_int_equal(d.restarts, counts.executions + 1);
  close_driven(&d);
}

/* An execution that ended before its limit was met is reported, and once. */
static unf_status interrupt(void *user, const unf_step *step, unf_performed *performed) {
  struct driven *d = user;
  unf_status status = perform_step(user, step, performed);
  if (step->action.kind == UNF_DID_ACQUIRE) unf_context_interrupt(d->s.context);
  return status;
}

static void test_interrupted(void **state) {
  static const struct form plain;
  struct script script;
  struct driven d, expected;
  unf_counts counts, whole;
  unf_status status;
  uint64_t interruptions = 0;
  (void)state;
  script_crossing(&script, false);
  by_hand(&script, NULL, &expected, &whole);
  open_driven(&d, &script, &plain, NULL, NULL);
  unf_engine engine = engine_of(&d);
  engine.perform = interrupt;
  while ((status = unf_explore(d.s.x, &engine, &counts)) == UNF_INTERRUPTED)
    interruptions++;
  ok(status);
  assert_true(interruptions > 0);
  assert_true(d.hash == expected.hash);
  assert_int_equal(d.ended, whole.executions);
  assert_int_equal(d.redundant, whole.redundant);
  same_counts(&counts, &whole);
  close_driven(&d);
}

/* ---- engines that are none ---- */

static void test_refused(void **state) {
  static const struct form plain;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  struct script script;
  struct driven d;
  (void)state;
  script_crossing(&script, false);
  open_driven(&d, &script, &plain, NULL, NULL);
  *watched() = d.s.context;
  unf_engine engine = engine_of(&d);
  engine.size--;
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  engine = engine_of(&d);
  engine.restart = NULL;
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  engine = engine_of(&d);
  engine.next = NULL;
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  engine = engine_of(&d);
  engine.perform = NULL;
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  assert_non_null(strstr(unf_context_detail(d.s.context)->text, "unf_engine.perform is NULL"));
  engine = engine_of(&d);
  engine.save = save;
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  /* An execution that was begun by hand. */
  unf_run run;
  engine = engine_of(&d);
  ok(unf_explorer_next(d.s.x, &run));
  fails(UNF_STATE, unf_explore(d.s.x, &engine, NULL));
  unf_explorer_abandon(d.s.x);
  ok(unf_explore(d.s.x, &engine, NULL));
  *watched() = NULL;
  close_driven(&d);

  options.cutoffs = UNF_CUTOFFS_ERV;
  open_driven(&d, &script, &plain, NULL, &options);
  *watched() = d.s.context;
  engine = engine_of(&d);
  fails(UNF_INVALID, unf_explore(d.s.x, &engine, NULL));
  *watched() = NULL;
  close_driven(&d);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_call_fails),       cmocka_unit_test(test_probes_and_cutoffs),
      cmocka_unit_test(test_each_allocation_fails), cmocka_unit_test(test_what_was_performed),
      cmocka_unit_test(test_interrupted),           cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
