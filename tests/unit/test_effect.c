/*
 * Families of effects from outside: mailboxes (send and receive change the box; a receive waits for
 * a message and its value is what it got) and transitions of nets (a transition takes a token from
 * a place, which others may want too, and adds one to another). Random programs over both are
 * explored and compared with a search over all interleavings that knows dependence and meaning from
 * here only: an event is an action and the set of its causes, an execution the set of its events.
 */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { THREADS = 3, STEPS = 4, OBJECTS = 2, EVENTS = 2048, WORDS = EVENTS / 64, STATES = 20000 };
enum kind { SEND, RECEIVE, TAKE, ADD, MOVE, KINDS };

typedef struct instruction {
  enum kind kind;
  int first, second; /* box or place; MOVE: from, to */
} instruction;

static instruction program[THREADS][STEPS];
static int lengths[THREADS], initial[OBJECTS];

/* ---- the meaning, for both sides ---- */

typedef struct situation {
  int counts[OBJECTS];
  int box[OBJECTS][THREADS * STEPS], sent[OBJECTS], received[OBJECTS];
} situation;

static void begin(situation *s) {
  memset(s, 0, sizeof *s);
  memcpy(s->counts, initial, sizeof initial);
}

/* What comes of an instruction: false when it waits; *value is what was received. */
static bool enabled(const situation *s, const instruction *i, int64_t *value) {
  *value = 0;
  if (i->kind == RECEIVE) {
    if (s->received[i->first] == s->sent[i->first]) return false;
    *value = s->box[i->first][s->received[i->first]];
  }
  return (i->kind != TAKE && i->kind != MOVE) || s->counts[i->first] > 0;
}

static void take_effect(situation *s, const instruction *i, int who) {
  if (i->kind == SEND) s->box[i->first][s->sent[i->first]++] = who + 1;
  if (i->kind == RECEIVE) s->received[i->first]++;
  if (i->kind == TAKE || i->kind == MOVE) s->counts[i->first]--;
  if (i->kind == ADD) s->counts[i->first]++;
  if (i->kind == MOVE) s->counts[i->second]++;
}

/* How an instruction uses a box or a place: boxes are objects 0 …, places those after them. */
static unf_mode mode_of(const instruction *i, int object) {
  bool box = i->kind == SEND || i->kind == RECEIVE;
  if (box) return object == i->first ? UNF_MODE_WRITE : UNF_MODE_COUNT;
  object -= OBJECTS;
  if (i->kind == ADD) return object == i->first ? UNF_MODE_ADD : UNF_MODE_COUNT;
  if (object == i->first) return UNF_MODE_WRITE;
  return i->kind == MOVE && object == i->second ? UNF_MODE_ADD : UNF_MODE_COUNT;
}

static bool dependent(const instruction *a, const instruction *b) {
  for (int object = 0; object < 2 * OBJECTS; object++) {
    unf_mode x = mode_of(a, object), y = mode_of(b, object);
    if (x == UNF_MODE_COUNT || y == UNF_MODE_COUNT) continue;
    if (x == UNF_MODE_WRITE || y == UNF_MODE_WRITE || x != y) return true;
  }
  return false;
}

/* ---- all interleavings ---- */

typedef struct set {
  uint64_t word[WORDS];
} set;

static struct {
  struct {
    int who, step;
    int64_t value;
    set causes;
  } event[EVENTS];
  int events;
  set seen[STATES];
  int states, maximal;
  bool large;
} all;

static bool has(const set *s, int event) {
  return s->word[event / 64] >> (event % 64) & 1;
}

static int event_after(const set *config, int who, int step, int64_t value) {
  set causes = {{0}};
  for (int e = 0; e < all.events; e++) {
    bool depends = all.event[e].who == who ||
                   dependent(&program[all.event[e].who][all.event[e].step], &program[who][step]);
    if (!has(config, e) || !depends) continue;
    for (int w = 0; w < WORDS; w++)
      causes.word[w] |= all.event[e].causes.word[w];
    causes.word[e / 64] |= (uint64_t)1 << (e % 64);
  }
  for (int e = 0; e < all.events; e++)
    if (all.event[e].who == who && all.event[e].step == step && all.event[e].value == value &&
        memcmp(&all.event[e].causes, &causes, sizeof causes) == 0)
      return e;
  if (all.events == EVENTS) {
    all.large = true;
    return 0;
  }
  all.event[all.events].who = who;
  all.event[all.events].step = step;
  all.event[all.events].value = value;
  all.event[all.events].causes = causes;
  return all.events++;
}

static void walk(const set *config, const situation *s, const int *pc) {
  bool maximal = true;
  for (int i = 0; i < all.states; i++)
    if (memcmp(&all.seen[i], config, sizeof *config) == 0) return;
  if (all.states == STATES) all.large = true;
  if (all.large) return;
  all.seen[all.states++] = *config;
  for (int who = 0; who < THREADS; who++) {
    int64_t value;
    if (pc[who] == lengths[who] || !enabled(s, &program[who][pc[who]], &value)) continue;
    set next = *config;
    situation after = *s;
    int counters[THREADS];
    int e = event_after(config, who, pc[who], value);
    maximal = false;
    next.word[e / 64] |= (uint64_t)1 << (e % 64);
    take_effect(&after, &program[who][pc[who]], who);
    memcpy(counters, pc, sizeof counters);
    counters[who]++;
    walk(&next, &after, counters);
  }
  all.maximal += maximal;
}

/* ---- the family ---- */

static struct {
  unf_context *context;
  unf_unfolding *u;
  unf_thread thread[THREADS];
  unf_object object[2 * OBJECTS];
  uint32_t family;
} lib;

/* The value of an action: the number of its instruction, and what was received. */
static const instruction *instruction_of(const unf_action *a) {
  int number = (int)(a->value % (THREADS * STEPS));
  return &program[number / STEPS][number % STEPS];
}

static unf_status uses(void *user, const unf_action *action, unf_use_visitor visit, void *visitor) {
  unf_status status = UNF_OK;
  (void)user;
  for (int o = 0; status == UNF_OK && o < 2 * OBJECTS; o++) {
    unf_mode mode = mode_of(instruction_of(action), o);
    if (mode != UNF_MODE_COUNT) status = visit(visitor, lib.object[o], mode);
  }
  return status;
}

static bool replay(void *user, unf_event event) {
  unf_action action;
  ok(unf_event_action(lib.u, event, &action));
  int number = (int)(action.value % (THREADS * STEPS));
  take_effect(user, &program[number / STEPS][number % STEPS], number / STEPS);
  return true;
}

/* A MOVE uses two places; each place is looked at for itself, so the other's count is not used. */
static unf_status outcomes(void *user, const unf_view *view, unf_thread thread,
                           const unf_operation *operation, unf_action_visitor visit,
                           void *visitor) {
  const instruction *i = &program[operation->low / STEPS][operation->low % STEPS];
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  situation s;
  int64_t value;
  (void)user;
  begin(&s);
  int object = i->kind == SEND || i->kind == RECEIVE ? i->first : OBJECTS + i->first;
  unf_status status = unf_view_history(view, lib.object[object], replay, &s);
  if (status != UNF_OK || !enabled(&s, i, &value)) return status;
  action.value = operation->low + value * THREADS * STEPS;
  visit(visitor, &action);
  return UNF_OK;
}

static unf_status concerns(void *user, const unf_operation *operation, unf_use_visitor visit,
                           void *visitor) {
  unf_action action = {UNF_DID_CUSTOM, 0, 0, 0, operation->low};
  return uses(user, &action, visit, visitor);
}

static void offer(unf_explorer *x, int who, int step) {
  unf_operation operation = UNF_OP_EXIT();
  if (step < lengths[who])
    operation = unf_operation_custom(lib.family, lib.object[0], who * STEPS + step, 0);
  ok(unf_explorer_offer(x, lib.thread[who], &operation));
}

static bool count(void *user, unf_event event) {
  (void)event;
  ++*(uint64_t *)user;
  return true;
}

static unf_counts explore(uint32_t k, unf_algorithm algorithm) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_effect effect = {sizeof effect, "boxes", NULL, uses, outcomes, concerns, NULL, NULL};
  unf_explorer *x;
  unf_counts counts;
  unf_run run;
  ok(unf_context_new(NULL, &lib.context));
  ok(unf_unfolding_new(lib.context, NULL, &lib.u));
  ok(unf_effect_register(lib.u, &effect, &lib.family));
  for (uint32_t o = 0; o < 2 * OBJECTS; o++)
    ok(unf_object_name(lib.u, UNF_CUSTOM, UNF_THREAD_NONE, o, &lib.object[o]));
  for (uint32_t t = 0; t < THREADS; t++) {
    ok(unf_thread_name(lib.u, UNF_THREAD_NONE, t, &lib.thread[t]));
    ok(unf_thread_start(lib.u, lib.thread[t]));
  }
  options.algorithm = algorithm;
  options.alternative.k = k;
  ok(unf_explorer_new(lib.u, &options, &x));
  for (ok(unf_explorer_next(x, &run)); !run.finished; ok(unf_explorer_next(x, &run))) {
    int pc[THREADS] = {0};
    unf_configuration *c;
    uint64_t extensions = 0;
    unf_step step;
    for (int who = 0; who < THREADS; who++)
      offer(x, who, 0);
    for (ok(unf_explorer_step(x, &step)); step.kind == UNF_STEP_ACTION;
         ok(unf_explorer_step(x, &step))) {
      int who = 0;
      while (lib.thread[who] != step.action.thread)
        who++;
      ok(unf_explorer_commit(x, NULL, 0));
      offer(x, who, ++pc[who]);
    }
    ok(unf_explorer_finish(x, false, NULL));
    if (run.number > 4) continue;
    ok(unf_configuration_new(lib.u, &c));
    ok(unf_explorer_configuration(x, c));
    ok(unf_check_independence(c));
    ok(unf_extensions_all(c, count, &extensions));
    ok(unf_check_unfolding(lib.u));
    unf_configuration_free(c);
  }
  unf_explorer_counts(x, &counts);
  unf_explorer_free(x);
  unf_unfolding_free(lib.u);
  unf_context_free(lib.context);
  return counts;
}

static uint64_t random_state;

static int below(int n) {
  return (int)(splitmix64(&random_state) % (uint64_t)n);
}

static void draw(void) {
  for (int t = 0; t < THREADS; t++) {
    lengths[t] = 1 + below(STEPS);
    for (int s = 0; s < lengths[t]; s++) {
      instruction *i = &program[t][s];
      *i = (instruction){(enum kind)below(KINDS), below(OBJECTS), 0};
      if (i->kind == MOVE) i->second = 1 - i->first;
    }
  }
  for (int o = 0; o < OBJECTS; o++)
    initial[o] = below(3);
}

static void mailboxes_and_nets_against_all_interleavings(void **state) {
  int compared = 0, traces = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    situation s;
    set nothing = {{0}};
    int pc[THREADS] = {0};
    random_state = seed;
    draw();
    memset(&all, 0, sizeof all);
    begin(&s);
    walk(&nothing, &s, pc);
    if (all.large) continue;
    compared++;
    traces += all.maximal;
    for (int mode = 0; mode < 3; mode++) {
      unf_counts c = explore(mode == 1 ? 1 : UNF_K_OPTIMAL, mode == 2 ? UNF_DFS : UNF_QPOR);
      if (c.traces != (uint64_t)all.maximal || c.events != (uint64_t)all.events)
        fail_msg("seed %d, mode %d: %d traces of %d, %d events of %d", (int)seed, mode,
                 (int)c.traces, all.maximal, (int)c.events, all.events);
      if (mode == 0) assert_int_equal(c.redundant, 0);
    }
  }
  print_message("%d programs, %d traces\n", compared, traces);
  assert_true(compared > 450 && traces > 2500);
}

static unf_status twice(void *user, const unf_action *action, unf_use_visitor visit,
                        void *visitor) {
  (void)user;
  unf_status status = visit(visitor, action->target, UNF_MODE_ADD);
  return status == UNF_OK ? visit(visitor, action->target, UNF_MODE_READ) : status;
}

static unf_status add_only(void *user, const unf_action *action, unf_use_visitor visit,
                           void *visitor) {
  (void)user;
  return visit(visitor, action->target, UNF_MODE_ADD);
}

static unf_status number_of_events(void *user, const unf_view *view, unf_thread thread,
                                   const unf_operation *operation, unf_action_visitor visit,
                                   void *visitor) {
  uint64_t before = 0;
  (void)user;
  unf_status status = unf_view_history(view, operation->target, count, &before);
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second,
                       (int64_t)before};
  if (status == UNF_OK) visit(visitor, &action);
  return status;
}

/* A family that calls actions independent which are not is found out. */
static void false_independence_is_found(void **state) {
  struct fixture f;
  unf_effect effect = {sizeof effect, "counter", NULL, add_only, number_of_events, NULL, NULL, NULL};
  uint32_t family;
  unf_object object;
  unf_configuration *c;
  (void)state;
  open_fixture(&f);
  ok(unf_effect_register(f.u, &effect, &family));
  ok(unf_object_name(f.u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &object));
  unf_operation operation = unf_operation_custom(family, object, 0, 0);
  unf_operation create[2] = {UNF_OP_CREATE(f.left), UNF_OP_CREATE(f.right)};
  ok(unf_configuration_new(f.u, &c));
  for (int i = 0; i < 2; i++) {
    unf_action action = {UNF_DID_CREATE, f.main, create[i].target, 0, 0};
    ok(unf_configuration_offer(c, f.main, &create[i]));
    ok(unf_configuration_perform(c, &action, NULL));
  }
  unf_operation end = UNF_OP_EXIT();
  ok(unf_configuration_offer(c, f.main, &end));
  ok(unf_configuration_offer(c, f.left, &operation));
  ok(unf_configuration_offer(c, f.right, &operation));
  fails(UNF_BROKEN, unf_check_independence(c));
  unf_configuration_free(c);
  close_fixture(&f);
}

static unf_status refuse(void *user, const unf_view *view, unf_thread thread,
                         const unf_operation *operation, unf_action_visitor visit, void *visitor) {
  (void)view;
  (void)thread;
  (void)operation;
  (void)visit;
  (void)visitor;
  return *(const unf_status *)user;
}

static bool ignore(void *user, const unf_action *action) {
  (void)user;
  (void)action;
  return true;
}

/* The detail of a call that failed because a family did tells which one. */
static void failures_of_families_are_named(void **state) {
  struct fixture f;
  unf_status status = UNF_STATE;
  unf_effect effect = {sizeof effect, "moody", &status, add_only, refuse, NULL, NULL, NULL};
  unf_object object;
  unf_configuration *c;
  uint32_t family;
  (void)state;
  open_fixture(&f);
  ok(unf_effect_register(f.u, &effect, &family));
  ok(unf_object_name(f.u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &object));
  ok(unf_configuration_new(f.u, &c));
  unf_operation operation = unf_operation_custom(family, object, 0, 0);
  ok(unf_configuration_offer(c, f.main, &operation));
  fails(UNF_STATE, unf_configuration_actions(c, ignore, NULL));
  assert_non_null(strstr(unf_context_detail(f.context)->text, "says family moody"));
  unf_configuration_free(c);
  close_fixture(&f);
}

/* Thread 0 takes the mutex, gives it back and counts. Thread 1 counts, makes a step that says what
 * it got, and takes the mutex. So the order at the mutex brings the other order at the counter. */
static unf_operation count_and_lock(const struct fixture *f, unf_operation counts, int who,
                                    int step, int64_t got) {
  const unf_operation code[2][4] = {
      {UNF_OP_LOCK(f->m), UNF_OP_UNLOCK(f->m), counts, UNF_OP_EXIT()},
      {counts, UNF_OP_LOCAL(got, got), UNF_OP_LOCK(f->m), UNF_OP_EXIT()}};
  return code[who][step];
}

static unf_status nothing_is_reported(void *user, const unf_view *view, unf_thread thread,
                                      const unf_operation *operation, unf_action_visitor visit,
                                      void *visitor) {
  (void)user;
  (void)view;
  unf_action action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0};
  visit(visitor, &action);
  return UNF_OK;
}

static unf_status run_counting(const struct fixture *f, unf_explorer *x, unf_operation counts) {
  const unf_thread threads[2] = {f->main, f->left};
  int pc[2] = {0, 0};
  int64_t counter = 0, got = 0;
  unf_step step = {.kind = UNF_STEP_ACTION};
  unf_status status = UNF_OK;
  while (status == UNF_OK && step.kind == UNF_STEP_ACTION) {
    for (int who = 0; status == UNF_OK && who < 2; who++) {
      unf_operation operation = count_and_lock(f, counts, who, pc[who], got);
      status = unf_explorer_offer(x, threads[who], &operation);
    }
    if (status == UNF_OK) ok(unf_explorer_step(x, &step));
    if (status != UNF_OK || step.kind != UNF_STEP_ACTION) break;
    int who = step.action.thread == f->left;
    pc[who]++;
    if (step.action.kind == UNF_DID_CUSTOM && who == 1) got = counter;
    counter += step.action.kind == UNF_DID_CUSTOM;
    ok(unf_explorer_commit(x, NULL, 0));
  }
  return status;
}

/* The error that comes of wrong uses names the family, and how to check it. */
static void wrong_uses_are_named(void **state) {
  struct fixture f;
  unf_effect effect = {sizeof effect, "counter", NULL, add_only, nothing_is_reported, NULL, NULL, NULL};
  unf_explorer *x;
  unf_run run;
  uint32_t family;
  unf_object object;
  (void)state;
  open_fixture(&f);
  ok(unf_thread_start(f.u, f.left));
  ok(unf_effect_register(f.u, &effect, &family));
  ok(unf_object_name(f.u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &object));
  unf_operation counts = unf_operation_custom(family, object, 0, 0);
  ok(unf_explorer_new(f.u, NULL, &x));
  ok(unf_explorer_next(x, &run));
  ok(run_counting(&f, x, counts));
  ok(unf_explorer_finish(x, false, NULL));
  ok(unf_explorer_next(x, &run));
  fails(UNF_NONDETERMINISM, run_counting(&f, x, counts));
  const char *text = unf_context_detail(f.context)->text;
  assert_non_null(strstr(text, "not deterministic, or has a data race"));
  assert_non_null(
      strstr(text, "; or the uses of family counter are wrong, see unf_check_independence()"));
  unf_explorer_free(x);
  close_fixture(&f);
}

static void families_are_checked(void **state) {
  struct fixture f;
  unf_effect effect = {sizeof effect, "counter", NULL, twice, number_of_events, NULL, NULL, NULL};
  unf_object object;
  uint32_t family;
  (void)state;
  open_fixture(&f);
  ok(unf_object_name(f.u, UNF_CUSTOM, UNF_THREAD_NONE, 0, &object));
  unf_action action = {UNF_DID_CUSTOM, f.main, object, 0, 0};
  fails(UNF_UNKNOWN, unf_actions_dependent(f.u, &action, &action, &(bool){false}));
  ok(unf_effect_register(f.u, &effect, &family));
  fails(UNF_INVALID, unf_effect_register(f.u, &effect, &family));
  fails(UNF_INVALID, unf_actions_dependent(f.u, &action, &action, &(bool){false}));
  effect.name = "No Word";
  fails(UNF_INVALID, unf_effect_register(f.u, &effect, &family));
  effect.name = "other";
  effect.size = 1;
  fails(UNF_INVALID, unf_effect_register(f.u, &effect, &family));
  close_fixture(&f);
}

/* Visitors that end after some values of a choice. */
struct drawn {
  struct fixture *f;
  int64_t values[3];
  unsigned count;
};

static bool draw_action(void *user, const unf_action *action) {
  struct drawn *drawn = user;
  assert_int_equal(action->kind, UNF_DID_LOCAL);
  drawn->values[drawn->count++] = action->value;
  return drawn->count < 3;
}

static bool draw_event(void *user, unf_event event) {
  struct drawn *drawn = user;
  unf_action action;
  ok(unf_event_action(drawn->f->u, event, &action));
  return draw_action(user, &action);
}

static void ascending(struct drawn *drawn) {
  assert_int_equal(drawn->count, 3);
  for (int64_t i = 0; i < 3; i++)
    assert_true(drawn->values[i] == INT64_MIN + i);
  drawn->count = 0;
}

/* All 2^64 values of a choice are there, and only those that are asked for are made. */
static void a_choice_of_any_number(void **state) {
  struct fixture f;
  struct drawn drawn = {&f, {0}, 0};
  unf_configuration *c;
  const unf_operation choice = UNF_OP_LOCAL(INT64_MIN, INT64_MAX), end = UNF_OP_EXIT();
  (void)state;
  open_fixture(&f);
  ok(unf_configuration_new(f.u, &c));
  ok(unf_configuration_offer(c, f.main, &choice));
  ok(unf_configuration_actions(c, draw_action, &drawn));
  ascending(&drawn);
  ok(unf_extensions_enabled(c, draw_event, &drawn));
  ascending(&drawn);
  assert_int_equal(unf_unfolding_events(f.u), 3);
  ok(unf_check_independence(c));
  perform(c, UNF_DID_LOCAL, f.main, 0, INT64_MAX);
  ok(unf_configuration_offer(c, f.main, &end));
  ok(unf_extensions_conflicting(c, draw_event, &drawn));
  ascending(&drawn);
  ok(unf_extensions_all(c, draw_event, &drawn));
  ascending(&drawn);
  assert_int_equal(unf_unfolding_events(f.u), 4);
  ok(unf_check_configuration(c));
  /* What it does not have is refused. */
  unf_configuration_clear(c);
  ok(unf_configuration_perform(c, &(unf_action){UNF_DID_LOCAL, f.main, 0, 0, 7}, NULL));
  unf_operation few = UNF_OP_LOCAL(-1, 1);
  ok(unf_configuration_offer(c, f.main, &few));
  fails(UNF_DIVERGENCE,
        unf_configuration_perform(c, &(unf_action){UNF_DID_LOCAL, f.main, 0, 0, 2}, NULL));
  fails(UNF_DIVERGENCE,
        unf_configuration_perform(c, &(unf_action){UNF_DID_LOCAL, f.main, 0, 0, -2}, NULL));
  ok(unf_configuration_perform(c, &(unf_action){UNF_DID_LOCAL, f.main, 0, 0, -1}, NULL));
  unf_configuration_free(c);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mailboxes_and_nets_against_all_interleavings),
      cmocka_unit_test(false_independence_is_found),
      cmocka_unit_test(failures_of_families_are_named),
      cmocka_unit_test(wrong_uses_are_named),
      cmocka_unit_test(families_are_checked),
      cmocka_unit_test(a_choice_of_any_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
