/*
 * Many threads at one object: what executions cost, in elementary steps and bytes at two sizes, and
 * the relation of causality, where events follow many others.
 */
#include "fixture.h"

#include "base/context.h"

enum { MOST = 400 };

/* What a thread of so many does as its step number `step`. */
typedef unf_operation (*program)(uint32_t threads, uint32_t thread, uint32_t step);

struct crowd {
  program next;
  uint32_t threads;
  unf_context *context;
  unf_unfolding *u;
  unf_explorer *x;
  uint32_t steps[MOST + 1];
};

/* The objects that there are. */
enum { MUTEX, CONDITION, ROUND, RWLOCK, FUTEX, LOCATION, OBJECTS };

static void open_crowd(struct crowd *c, const unf_explorer_options *options) {
  static const unf_object_class classes[OBJECTS] = {UNF_MUTEX, UNF_CONDITION, UNF_BARRIER,
                                                    UNF_RWLOCK, UNF_FUTEX, UNF_LOCATION};
  ok(unf_context_new(NULL, &c->context));
  ok(unf_unfolding_new(c->context, NULL, &c->u));
  for (uint32_t i = 0; i < OBJECTS; i++) {
    unf_object object;
    ok(unf_object_name(c->u, classes[i], UNF_THREAD_NONE, i, &object));
    assert_int_equal(object, i);
  }
  for (uint32_t i = 0; i < c->threads; i++) {
    unf_thread thread;
    ok(unf_thread_name(c->u, UNF_THREAD_NONE, i, &thread));
    ok(unf_thread_start(c->u, thread));
  }
  ok(unf_explorer_new(c->u, options, &c->x));
}

static void close_crowd(struct crowd *c) {
  unf_explorer_free(c->x);
  unf_unfolding_free(c->u);
  unf_context_free(c->context);
}

static void offer(struct crowd *c, unf_thread thread) {
  const unf_operation next = c->next(c->threads, thread, c->steps[thread]);
  ok(unf_explorer_offer(c->x, thread, &next));
}

static void execute(struct crowd *c) {
  unf_run run;
  unf_step step;
  ok(unf_explorer_next(c->x, &run));
  assert_false(run.finished);
  memset(c->steps, 0, sizeof c->steps);
  for (uint32_t t = 0; t < c->threads; t++)
    offer(c, t);
  for (ok(unf_explorer_step(c->x, &step)); step.kind == UNF_STEP_ACTION;) {
    ok(unf_explorer_commit(c->x, NULL, 0));
    c->steps[step.action.thread]++;
    offer(c, step.action.thread);
    ok(unf_explorer_step(c->x, &step));
  }
  assert_int_equal(step.kind, UNF_STEP_MAXIMAL);
  ok(unf_explorer_finish(c->x, false, NULL));
}

struct cost {
  uint64_t steps, bytes;
};

/* Of so many executions, and of looking for one more. */
static struct cost cost_of(program next, uint32_t threads, unf_algorithm algorithm, unf_order order,
                           unsigned executions) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  static struct crowd c;
  unf_counts counts;
  unf_run run;
  c = (struct crowd){.next = next, .threads = threads};
  options.algorithm = algorithm;
  options.order = order;
  open_crowd(&c, &options);
  uint64_t bytes = unf_context_bytes(c.context);
  for (unsigned i = 0; i < executions; i++)
    execute(&c);
  ok(unf_explorer_next(c.x, &run));
  unf_explorer_counts(c.x, &counts);
  assert_int_equal(counts.traces, executions);
  struct cost cost = {c.context->work.steps, unf_context_bytes(c.context) - bytes};
  close_crowd(&c);
  return cost;
}

/* ---- orders ---- */

static unf_operation takes_turns(uint32_t threads, uint32_t thread, uint32_t step) {
  (void)threads, (void)thread;
  return step == 0 ? UNF_OP_LOCK(MUTEX) : step == 1 ? UNF_OP_UNLOCK(MUTEX) : UNF_OP_EXIT();
}

/* An execution has n² / 2 branches, and no order looks for all of them before the second one. */
static void branches_are_found_when_needed(void **state) {
  static const unf_order orders[] = {UNF_ORDER_BREADTH_FIRST, UNF_ORDER_RANDOM, UNF_ORDER_DEEPEST};
  (void)state;
  for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    struct cost few = cost_of(takes_turns, 100, UNF_QPOR, orders[i], 3);
    struct cost many = cost_of(takes_turns, 400, UNF_QPOR, orders[i], 3);
    assert_true(many.steps <= 8 * few.steps);
  }
}

/* Where many branches leave a node, what conflicts with one of them does with the others, and a
 * search for one more looks at events, not at pairs of them: as the fifth power of the threads, and
 * so of the executions, not the sixth. */
static void branches_of_one_node(void **state) {
  (void)state;
  struct cost few = cost_of(takes_turns, 30, UNF_QPOR, UNF_ORDER_RANDOM, 30);
  struct cost many = cost_of(takes_turns, 60, UNF_QPOR, UNF_ORDER_RANDOM, 60);
  assert_true(many.steps <= 32 * few.steps);
}

/* ---- what is followed by many, and follows many ---- */

static unf_operation passes(uint32_t threads, uint32_t thread, uint32_t step) {
  (void)thread;
  return step == 0   ? UNF_OP_ARRIVE(ROUND, threads)
         : step == 1 ? UNF_OP_PASS(ROUND, threads)
                     : UNF_OP_EXIT();
}

/* The last thread notifies all others. */
static unf_operation waits(uint32_t threads, uint32_t thread, uint32_t step) {
  static const unf_operation_kind waiting[] = {UNF_LOCK, UNF_WAIT, UNF_WAKE, UNF_UNLOCK, UNF_EXIT};
  static const unf_operation_kind notifying[] = {UNF_LOCK, UNF_BROADCAST, UNF_UNLOCK, UNF_EXIT};
  switch ((thread + 1 < threads ? waiting : notifying)[step]) {
  case UNF_LOCK:
    return UNF_OP_LOCK(MUTEX);
  case UNF_UNLOCK:
    return UNF_OP_UNLOCK(MUTEX);
  case UNF_WAIT:
    return UNF_OP_WAIT(CONDITION, MUTEX);
  case UNF_WAKE:
    return UNF_OP_WAKE(CONDITION, MUTEX);
  case UNF_BROADCAST:
    return UNF_OP_BROADCAST(CONDITION);
  default:
    return UNF_OP_EXIT();
  }
}

/* The last thread writes when all others have read. */
static unf_operation reads(uint32_t threads, uint32_t thread, uint32_t step) {
  if (step > 1) return UNF_OP_EXIT();
  if (step == 1) return UNF_OP_RWUNLOCK(RWLOCK);
  return thread + 1 < threads ? UNF_OP_RDLOCK(RWLOCK) : UNF_OP_WRLOCK(RWLOCK);
}

/* The last thread wakes as many as there are others. */
static unf_operation sleeps(uint32_t threads, uint32_t thread, uint32_t step) {
  const bool wakes = thread + 1 == threads;
  if (step > (wakes ? 0 : 1)) return UNF_OP_EXIT();
  if (wakes) return UNF_OP_FUTEX_WAKE(FUTEX, threads - 1);
  return step == 0 ? UNF_OP_FUTEX_WAIT(FUTEX, LOCATION, 0) : UNF_OP_FUTEX_RETURN(FUTEX);
}

/* Steps and bytes of one execution, and of the search for another, grow as the square of the
 * threads, at most, and n² are few bytes: of n events each of which follows n others, the names. */
static void one_execution(void **state) {
  static const struct {
    program next;
    uint64_t bytes; /* for each pair of threads */
  } programs[] = {{passes, 9}, {waits, 90}, {reads, 60}, {sleeps, 150}};
  static const unf_algorithm algorithms[] = {UNF_QPOR, UNF_ODPOR};
  (void)state;
  for (unsigned i = 0; i < sizeof programs / sizeof programs[0]; i++)
    for (unsigned j = 0; j < sizeof algorithms / sizeof algorithms[0]; j++) {
      program next = programs[i].next;
      struct cost few = cost_of(next, 60, algorithms[j], UNF_ORDER_DEPTH_FIRST, 1);
      struct cost many = cost_of(next, 240, algorithms[j], UNF_ORDER_DEPTH_FIRST, 1);
      assert_true(many.steps <= 4 * 4 * 5 / 4 * few.steps);
      assert_true(many.bytes <= programs[i].bytes * 240 * 240);
    }
}

/* ---- causality and conflict ---- */

enum { EVENTS = 500, WORDS = (EVENTS + 63) / 64 };

/* An execution of many threads that load, add and store at a few locations, and store to ones of
 * their own; which of its events are before which, by definition. */
struct execution {
  struct crowd *c;
  uint32_t count;
  unf_action actions[EVENTS];
  unf_event events[EVENTS];
  uint64_t before[EVENTS][WORDS];
};

static uint32_t draw(uint64_t *random, uint32_t below) {
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*random >> 33) % below;
}

/* What a thread does as one of its steps is the same in every execution. */
static unf_operation operation_of(uint32_t thread, uint32_t step) {
  uint64_t random = thread * 1000 + step;
  for (unsigned i = 0; i < 3; i++)
    draw(&random, 2);
  uint32_t kind = draw(&random, 40);
  if (kind >= 30) return UNF_OP_STORE(LOCATION + 1 + thread, 1);
  /* Stores are few, so that many loads stand between two of them. */
  if (kind == 0) return UNF_OP_STORE(LOCATION, 1);
  return kind % 3 == 0 ? UNF_OP_ADD(LOCATION, 1) : UNF_OP_LOAD(LOCATION);
}

static unf_action action_of(uint32_t thread, const unf_operation *operation) {
  return did(operation->kind == UNF_STORE  ? UNF_DID_WRITE
             : operation->kind == UNF_LOAD ? UNF_DID_READ
                                           : UNF_DID_ADD,
             thread, operation->target, 0);
}

static bool depends(const unf_action *a, const unf_action *b) {
  if (a->thread == b->thread) return true;
  return a->target == b->target && (a->kind != b->kind || a->kind == UNF_DID_WRITE);
}

static void append(struct execution *x, unf_configuration *configuration, unf_action action) {
  uint32_t n = x->count++;
  x->actions[n] = action;
  memset(x->before[n], 0, sizeof x->before[n]);
  for (uint32_t i = 0; i < n; i++) {
    if (!depends(&x->actions[i], &action)) continue;
    x->before[n][i / 64] |= 1ull << i % 64;
    for (uint32_t w = 0; w < WORDS; w++)
      x->before[n][w] |= x->before[i][w];
  }
  x->events[n] = perform(configuration, action.kind, action.thread, action.target, action.value);
}

static void check_causality(const struct execution *x) {
  for (uint32_t i = 0; i < x->count; i++)
    for (uint32_t j = 0; j < x->count; j++) {
      bool precedes, expected = i == j || (x->before[j][i / 64] >> i % 64 & 1);
      ok(unf_event_precedes(x->c->u, x->events[i], x->events[j], &precedes));
      assert_int_equal(precedes, expected);
    }
}

static bool in_history(const struct execution *x, uint32_t i, uint32_t of) {
  return i == of || (x->before[of][i / 64] >> i % 64 & 1);
}

/* Whether the history of an event of an execution has this event of another one. */
static bool knows(const struct execution *x, uint32_t of, unf_event event) {
  for (uint32_t i = 0; i <= of; i++)
    if (x->events[i] == event) return in_history(x, i, of);
  return false;
}

/* By definition: two events that depend on each other, each of them in one of the histories. */
static bool in_conflict(const struct execution *x, uint32_t a, const struct execution *y,
                        uint32_t b) {
  bool only_y[EVENTS];
  for (uint32_t j = 0; j <= b; j++)
    only_y[j] = in_history(y, j, b) && !knows(x, a, y->events[j]);
  for (uint32_t i = 0; i <= a; i++) {
    if (!in_history(x, i, a) || knows(y, b, x->events[i])) continue;
    for (uint32_t j = 0; j <= b; j++)
      if (only_y[j] && depends(&x->actions[i], &y->actions[j])) return true;
  }
  return false;
}

/* Of pairs that are drawn, one event of each execution; how many are in conflict. */
static unsigned check_conflict(const struct execution *x, const struct execution *y,
                               unsigned pairs) {
  unsigned conflicts = 0;
  uint64_t random = x->events[x->count - 1];
  for (unsigned i = 0; i < pairs; i++) {
    const uint32_t a = draw(&random, x->count), b = draw(&random, y->count);
    const bool expected = in_conflict(x, a, y, b);
    bool answer;
    ok(unf_event_conflicts(x->c->u, x->events[a], y->events[b], &answer));
    assert_int_equal(answer, expected);
    conflicts += expected;
  }
  return conflicts;
}

/* Executions that share beginnings: their events are in one unfolding, and some are the same. */
static void relations_among_many(void **state) {
  enum { THREADS = 90, SEEDS = 6, PAIRS = 400 };
  static struct execution executions[2];
  static struct crowd c;
  unsigned conflicts = 0;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_configuration *configuration;
  (void)state;
  c = (struct crowd){.threads = THREADS};
  open_crowd(&c, &options);
  for (uint32_t i = 0; i < THREADS; i++) {
    unf_object object;
    ok(unf_object_name(c.u, UNF_LOCATION, UNF_THREAD_NONE, OBJECTS + i, &object));
  }
  ok(unf_configuration_new(c.u, &configuration));
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    uint64_t random = seed / 2, other = seed;
    struct execution *x = &executions[seed % 2];
    *x = (struct execution){.c = &c};
    memset(c.steps, 0, sizeof c.steps);
    unf_configuration_clear(configuration);
    while (x->count < EVENTS) {
      uint32_t thread = draw(x->count < EVENTS / 3 ? &random : &other, THREADS);
      const unf_operation operation = operation_of(thread, c.steps[thread]++);
      ok(unf_configuration_offer(configuration, thread, &operation));
      append(x, configuration, action_of(thread, &operation));
    }
    check_causality(x);
    assert_int_equal(check_conflict(x, x, PAIRS), 0);
    if (seed > 1) conflicts += check_conflict(x, &executions[(seed - 1) % 2], PAIRS);
  }
  assert_in_range(conflicts, (SEEDS - 1) * PAIRS / 4, (SEEDS - 1) * PAIRS * 3 / 4);
  ok(unf_check_unfolding(c.u));
  unf_configuration_free(configuration);
  close_crowd(&c);
}

static unf_event perform_next(unf_configuration *configuration, unf_thread thread,
                              unf_operation operation) {
  const unf_action action = action_of(thread, &operation);
  ok(unf_configuration_offer(configuration, thread, &operation));
  return perform(configuration, action.kind, thread, action.target, 0);
}

/* What comes after the history of an event that follows many is what came after it in the
 * execution, where all of them know some loads, or some of them a store behind these. */
static void check_after_many(bool stores) {
  enum { READERS = 3, STORES = READERS, MANY = 40, LAST = MANY, THREADS };
  static struct crowd c;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_object followed;
  unf_configuration *configuration;
  c = (struct crowd){.threads = THREADS};
  open_crowd(&c, &options);
  ok(unf_object_name(c.u, UNF_LOCATION, UNF_THREAD_NONE, OBJECTS, &followed));
  ok(unf_configuration_new(c.u, &configuration));
  for (uint32_t t = 0; t < READERS; t++)
    perform_next(configuration, t, UNF_OP_LOAD(LOCATION));
  if (stores) perform_next(configuration, STORES, UNF_OP_STORE(LOCATION, 1));
  for (uint32_t t = 0; t < MANY; t++)
    perform_next(configuration, t, UNF_OP_LOAD(followed));
  const unf_event last = perform_next(configuration, LAST, UNF_OP_STORE(followed, 1));
  const unf_event after = perform_next(configuration, LAST, UNF_OP_STORE(LOCATION, 1));
  unf_configuration_clear(configuration);
  ok(unf_configuration_add(configuration, last));
  assert_int_equal(perform_next(configuration, LAST, UNF_OP_STORE(LOCATION, 1)), after);
  unf_configuration_free(configuration);
  close_crowd(&c);
}

static void after_many(void **state) {
  (void)state;
  check_after_many(true);
  check_after_many(false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_are_found_when_needed),
      cmocka_unit_test(branches_of_one_node),
      cmocka_unit_test(one_execution),
      cmocka_unit_test(relations_among_many),
      cmocka_unit_test(after_many),
  };
  return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
