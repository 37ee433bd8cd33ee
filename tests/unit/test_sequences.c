/*
 * Random sequences of calls. Configurations against sets of events with the definitions of the
 * relations; the explorer against the drawing of its states, with exact counts at the end, whatever
 * was called on the way. A planted fault shows that a failing sequence shrinks.
 */
#include "fixture.h"
#include "model.h"
#include "script.h"
#include "sequence.h"

#define SLOTS 3

struct universe {
  struct model model;
  unf_unfolding *u;
  unf_configuration *slot[SLOTS];
  set shadow[SLOTS];
  bool fault; /* the test's own mistake, for the shrinker */
};

static const char *const configuration_calls[] = {"extend", "add",   "unite",
                                                  "assign", "clear", "perform"};

static bool ready(const struct model *m, const set *shadow, uint32_t e) {
  set causes = m->history[e];
  causes.word[e / 64] &= ~((uint64_t)1 << (e % 64));
  return !has(shadow, e) && within(&causes, shadow);
}

static unf_status expected_of(struct universe *w, const struct call *call, uint32_t e,
                              unsigned from) {
  const struct model *m = &w->model;
  set *shadow = &w->shadow[call->a % SLOTS];
  switch (call->what) {
  case 0:
    if (!ready(m, shadow, e)) return UNF_STATE;
    if (meets(&m->conflict[e], shadow)) return UNF_CONFLICT;
    put(shadow, e);
    return UNF_OK;
  case 1:
    if (model_conflict(m, &m->history[e], shadow)) return UNF_CONFLICT;
    unite(shadow, &m->history[e]);
    return UNF_OK;
  case 2:
    if (model_conflict(m, &w->shadow[from], shadow)) return UNF_CONFLICT;
    unite(shadow, &w->shadow[from]);
    return UNF_OK;
  case 3:
    *shadow = w->shadow[from];
    return UNF_OK;
  case 4:
    memset(shadow, 0, sizeof *shadow);
    put(shadow, 0);
    return UNF_OK;
  default:
    put(shadow, e);
    return UNF_OK;
  }
}

static unf_status make_call(struct universe *w, const struct call *call, uint32_t e,
                            unsigned from) {
  unf_configuration *c = w->slot[call->a % SLOTS];
  unf_event performed = UNF_EVENT_NONE;
  switch (call->what) {
  case 0:
    return unf_configuration_extend(c, e);
  case 1:
    return unf_configuration_add(c, e);
  case 2:
    return unf_configuration_unite(c, w->slot[from]);
  case 3:
    return unf_configuration_assign(c, w->slot[from]);
  case 4:
    unf_configuration_clear(c);
    return UNF_OK;
  default:
    return unf_configuration_perform(c, &w->model.action[e], &performed) == UNF_OK && performed == e
               ? UNF_OK
               : UNF_BROKEN;
  }
}

static const char *compare(const struct universe *w, unsigned slot) {
  const struct model *m = &w->model;
  const unf_configuration *c = w->slot[slot];
  const set *shadow = &w->shadow[slot];
  bool answer;
  if (unf_configuration_size(c) + 1 != size_of(shadow)) return "size";
  if (unf_check_configuration(c) != UNF_OK)
    return unf_context_detail(unf_unfolding_context(w->u))->text;
  for (uint32_t e = 0; e < m->count; e++) {
    if (unf_configuration_contains(c, e, &answer) != UNF_OK || answer != has(shadow, e))
      return "contains";
    if (unf_configuration_conflicts(c, e, &answer) != UNF_OK ||
        answer != meets(&m->conflict[e], shadow))
      return "conflicts";
    if (unf_configuration_conflicts_immediately(c, e, &answer) != UNF_OK ||
        answer != meets(&m->immediate[e], shadow))
      return "immediate conflict";
    bool concurrent = true;
    for (uint32_t x = 1; x < m->count; x++)
      if (has(shadow, x))
        concurrent = concurrent && !has(&m->history[e], x) && !has(&m->history[x], e) &&
                     !has(&m->conflict[e], x);
    if (unf_configuration_concurrent(c, e, &answer) != UNF_OK || answer != concurrent)
      return "concurrent";
    if (unf_configuration_extends(c, e, &answer) != UNF_OK || answer != ready(m, shadow, e))
      return "extends";
  }
  for (unsigned i = 0; i < SLOTS; i++)
    if (unf_configuration_equal(c, w->slot[i], &answer) != UNF_OK ||
        answer != (within(shadow, &w->shadow[i]) && within(&w->shadow[i], shadow)))
      return "equal";
  return NULL;
}

static const char *run_configurations(void *user, const struct call *calls, unsigned count) {
  struct universe *w = user;
  const char *wrong = NULL;
  for (unsigned i = 0; i < SLOTS; i++) {
    unf_configuration_clear(w->slot[i]);
    memset(&w->shadow[i], 0, sizeof w->shadow[i]);
    put(&w->shadow[i], 0);
  }
  for (unsigned i = 0; wrong == NULL && i < count; i++) {
    const struct call *call = &calls[i];
    uint32_t e = 1 + call->b % (w->model.count - 1);
    set *shadow = &w->shadow[call->a % SLOTS];
    if (call->what == 5 && (!ready(&w->model, shadow, e) || meets(&w->model.conflict[e], shadow)))
      continue;
    unf_status expected = expected_of(w, call, e, call->b % SLOTS);
    if (make_call(w, call, e, call->b % SLOTS) != expected)
      wrong = "status";
    else
      wrong = compare(w, call->a % SLOTS);
    if (w->fault && call->what == 2 && size_of(shadow) > 4) wrong = "planted";
  }
  return wrong;
}

static void open_universe(struct session *s, const struct script *script, struct universe *w) {
  memset(s, 0, sizeof *s);
  ok(session_open(s, script, NULL));
  ok(session_explorer(s, NULL));
  ok(session_explore(s));
  w->u = s->u;
  w->fault = false;
  assert_true(unf_unfolding_events(s->u) < MODEL_EVENTS && model_make(&w->model, s->u));
  for (unsigned i = 0; i < SLOTS; i++)
    ok(unf_configuration_new(s->u, &w->slot[i]));
}

static void close_universe(struct session *s, struct universe *w) {
  for (unsigned i = 0; i < SLOTS; i++)
    unf_configuration_free(w->slot[i]);
  session_close(s);
}

static struct universe universe;
static struct sequence sequence;

static void configurations(void **state) {
  uint64_t seed = 17;
  (void)state;
  for (unsigned i = 0; i < 30; i++) {
    struct script script;
    struct session s;
    if (i == 0)
      script_crossing(&script, true);
    else if (i == 1)
      script_choosing(&script);
    else
      do
        script_random(&script, &seed);
      while (script.threads == 4);
    open_universe(&s, &script, &universe);
    sequence.run = run_configurations;
    sequence.user = &universe;
    sequence.names = configuration_calls;
    for (unsigned n = 0; n < 6; n++) {
      sequence_draw(&sequence, &seed, 6, SEQUENCE_LENGTH);
      assert_true(sequence_holds(&sequence));
    }
    close_universe(&s, &universe);
  }
}

static void failures_shrink(void **state) {
  struct script script;
  struct session s;
  uint64_t seed = 5;
  (void)state;
  script_crossing(&script, true);
  open_universe(&s, &script, &universe);
  universe.fault = true;
  sequence.run = run_configurations;
  sequence.user = &universe;
  sequence.names = configuration_calls;
  sequence_draw(&sequence, &seed, 6, SEQUENCE_LENGTH);
  assert_false(sequence_holds(&sequence));
  assert_in_range(sequence.count, 1, 3);
  close_universe(&s, &universe);
}

static const char *const explorer_calls[] = {"next",    "offer",  "step",      "commit", "finish",
                                             "abandon", "resume", "interrupt", "runs"};

enum protocol { IDLE, RUNNING, CHOSEN, ENDED };

struct exploring {
  const struct script *script;
  uint64_t traces;
};

/* One call in some state: the state after it, or -1 when the answer was wrong. */
static int any_call(struct session *s, int state, const struct call *call, unf_step *step,
                    unf_run *run, bool *moved) {
  unf_operation operation;
  unf_status status;
  switch (call->what) {
  case 0:
    status = unf_explorer_next(s->x, run);
    if (state != IDLE) return status == UNF_STATE ? state : -1;
    if (status == UNF_INTERRUPTED || status == UNF_LIMIT) return IDLE;
    session_reset(s);
    *moved = false;
    return status != UNF_OK ? -1 : run->finished ? IDLE : RUNNING;
  case 1:
    for (unsigned t = 0; t < s->script->threads; t++) {
      operation = session_next(s, t);
      status = unf_explorer_offer(s->x, s->threads[t], &operation);
      if (state != RUNNING ? status != UNF_STATE
                           : status != UNF_OK && (t == 0 || status != UNF_STATE))
        return -1;
    }
    return state;
  case 2:
    status = unf_explorer_step(s->x, step);
    if (state != RUNNING) return status == UNF_STATE ? state : -1;
    if (status == UNF_MISSING) return RUNNING;
    return status != UNF_OK ? -1 : step->kind == UNF_STEP_ACTION ? CHOSEN : ENDED;
  case 3:
    status = unf_explorer_commit(s->x, call->a % 2 ? &step->action : NULL, call->b);
    if (state != CHOSEN) return status == UNF_STATE ? state : -1;
    session_did(s, &step->action);
    *moved = true;
    return status == UNF_OK ? RUNNING : -1;
  case 4:
    status = unf_explorer_finish(s->x, false, NULL);
    if (state != ENDED) return status == UNF_STATE ? state : -1;
    return status == UNF_OK ? IDLE : -1;
  case 5:
    if (call->a % 8 != 0) return state;
    unf_explorer_abandon(s->x);
    return IDLE;
  case 6:
    status = unf_explorer_resume(s->x, 0);
    return status == (state == RUNNING && !*moved ? UNF_OK : UNF_STATE) ? state : -1;
  case 7:
    if (call->a % 4 == 0) unf_context_interrupt(s->context);
    return state;
  default: {
    unf_limits limits = {0, 0, 1 + call->a, 0};
    return unf_context_set_limits(s->context, &limits) == UNF_OK ? state : -1;
  }
  }
}

static const char *run_explorer(void *user, const struct call *calls, unsigned count) {
  const struct exploring *e = user;
  struct session s = {0};
  unf_limits none = {0, 0, 0, 0};
  unf_step step = {UNF_STEP_MAXIMAL, 0, {UNF_DID_LOCAL, 0, 0, 0, 0}};
  unf_run run;
  unf_counts counts;
  const char *wrong = NULL;
  bool moved = false;
  if (session_open(&s, e->script, NULL) != UNF_OK || session_explorer(&s, NULL) != UNF_OK)
    return "no session";
  int state = IDLE;
  for (unsigned i = 0; wrong == NULL && i < count; i++) {
    state = any_call(&s, state, &calls[i], &step, &run, &moved);
    if (state < 0)
      wrong = "an answer that the state does not allow";
    else if (i % 16 == 0 && unf_check_explorer(s.x) != UNF_OK)
      wrong = unf_context_detail(s.context)->text;
  }
  unf_explorer_abandon(s.x);
  unf_context_set_limits(s.context, &none);
  unf_status status = wrong == NULL ? session_explore(&s) : UNF_OK;
  /* An interrupt may still be waiting. */
  if (status == UNF_INTERRUPTED) status = session_explore(&s);
  unf_explorer_counts(s.x, &counts);
  if (wrong == NULL && (status != UNF_OK || counts.traces != e->traces || counts.redundant != 0))
    wrong = "counts at the end";
  session_close(&s);
  return wrong;
}

static void explorers(void **state) {
  uint64_t seed = 23;
  (void)state;
  for (unsigned i = 0; i < 40; i++) {
    struct script script;
    struct session s = {0};
    struct exploring e = {&script, 0};
    unf_counts counts;
    if (i == 0)
      script_crossing(&script, false);
    else if (i == 1)
      script_choosing(&script);
    else
      do
        script_random(&script, &seed);
      while (script.threads == 4);
    ok(session_open(&s, &script, NULL));
    ok(session_explorer(&s, NULL));
    ok(session_explore(&s));
    unf_explorer_counts(s.x, &counts);
    e.traces = counts.traces;
    session_close(&s);
    sequence.run = run_explorer;
    sequence.user = &e;
    sequence.names = explorer_calls;
    for (unsigned n = 0; n < 40; n++) {
      /* Mostly what moves on: next, offer, step, commit, finish. */
      sequence_draw(&sequence, &seed, 9, SEQUENCE_LENGTH);
      for (unsigned k = 0; k < SEQUENCE_LENGTH; k++)
        if (script_draw(&seed, 4) != 0) sequence.calls[k].what = (uint32_t)(k % 5);
      assert_true(sequence_holds(&sequence));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(configurations),
      cmocka_unit_test(failures_shrink),
      cmocka_unit_test(explorers),
  };
  return cmocka_run_group_tests_name("sequences", tests, NULL, NULL);
}
