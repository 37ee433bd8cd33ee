/*
 * Combs that are hard to search, against trying everything: random spikes whose candidates take
 * mutexes first, in one of several ways and then one after the other, read locations before or
 * after they are written, contradict several events of D at once, and test inputs, of which a
 * predicate says what goes together. Then random 3-SAT instances against a solver that tries
 * values.
 */
#include "../../bench/sat.h"
#include "alternative/learning.h"
#include "fixture.h"
#include "script.h"

enum { VARIABLES = 6, CLAUSES = 12, WIDTH = 4, SIDES = 9, LITERALS = 2 };
enum { THREADS = VARIABLES * SIDES + CLAUSES * (1 + WIDTH) };

/* What a variable stands for: who takes a mutex first, and who after that; whether a location is
 * read before it is written; an input. */
enum kind { TAKEN, WRITTEN, INPUT };

struct instance {
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c; /* scratch */
  unsigned variables, clauses, literals;
  unf_object objects[VARIABLES], mutexes[CLAUSES];
  enum kind kinds[VARIABLES];
  unsigned values[VARIABLES];               /* of how many ways a mutex is taken first */
  unf_thread sides[VARIABLES][SIDES], next; /* the first one of nobody */
  unf_event D[CLAUSES], U[CLAUSES * WIDTH + 2];
  unsigned U_count;
  bool three; /* inputs 0, 1 and 2 are not all 1 */
};

/* Threads exist before all events. */
static void start_threads(const struct instance *in) {
  for (unsigned i = 0; i < THREADS; i++) {
    unf_thread t;
    ok(unf_thread_name(in->u, UNF_THREAD_NONE, i, &t));
    ok(unf_thread_start(in->u, t));
  }
}

/* ---- the predicate ---- */

static unf_answer go_together(void *user, const unf_event *events, uint64_t count, uint64_t known,
                              unf_event *core, uint64_t *core_count, uint64_t *witness) {
  const struct instance *in = user;
  int value[VARIABLES] = {0};
  (void)known, (void)witness;
  memcpy(core, events, count * sizeof *core);
  *core_count = count;
  for (uint64_t i = 0; i < count; i++) {
    unf_literal literal;
    ok(unf_event_literal(in->u, events[i], &literal));
    int wanted = literal.outcome == 1 ? 1 : -1;
    if (value[literal.term] == -wanted) return UNF_ANSWER_NO;
    value[literal.term] = wanted;
  }
  return in->three && value[0] + value[1] + value[2] == 3 ? UNF_ANSWER_NO : UNF_ANSWER_YES;
}

/* ---- instances ---- */

static void offer(struct instance *in, unf_thread thread, unf_operation operation) {
  ok(unf_configuration_offer(in->c, thread, &operation));
}

/* Has a thread of the variable take its mutex: `value` is one of three, alone or after which
 * another of two took it. Returns the last of them. */
static unf_thread take(struct instance *in, unsigned variable, unsigned value) {
  unf_thread first = in->sides[variable][value % 3], second = in->sides[variable][value];
  perform(in->c, UNF_DID_ACQUIRE, first, in->objects[variable], 0);
  perform(in->c, UNF_DID_RELEASE, first, in->objects[variable], 0);
  offer(in, first, UNF_OP_EXIT());
  if (value < 3) return first;
  perform(in->c, UNF_DID_ACQUIRE, second, in->objects[variable], 0);
  perform(in->c, UNF_DID_RELEASE, second, in->objects[variable], 0);
  offer(in, second, UNF_OP_EXIT());
  return second;
}

/* Has a variable have a value, before what a thread does next. */
static void give(struct instance *in, unf_thread thread, unsigned variable, unsigned value) {
  if (in->kinds[variable] == INPUT) {
    offer(in, thread, UNF_OP_BRANCH(variable, 2));
    perform(in->c, UNF_DID_BRANCH, thread, 0, value % 2);
  } else if (in->kinds[variable] == TAKEN) {
    perform(in->c, UNF_DID_JOIN, thread, take(in, variable, value), 0);
  } else if (value % 2 == 0) {
    offer(in, thread, UNF_OP_LOAD(in->objects[variable]));
    perform(in->c, UNF_DID_READ, thread, in->objects[variable], 0);
  } else {
    unf_thread writer = in->sides[variable][0];
    offer(in, writer, UNF_OP_STORE(in->objects[variable], 1));
    perform(in->c, UNF_DID_WRITE, writer, in->objects[variable], 0);
    offer(in, writer, UNF_OP_EXIT());
    perform(in->c, UNF_DID_JOIN, thread, writer, 0);
  }
}

static void decide(struct instance *in, unf_thread thread, unsigned variable, uint64_t *seed) {
  unsigned first = (unsigned)script_draw(seed, in->values[variable]);
  give(in, thread, variable, first + 3 * (unsigned)script_draw(seed, 3));
}

static void candidate(struct instance *in, unsigned clause, uint64_t *seed) {
  unf_thread own = in->next++;
  unsigned first = (unsigned)script_draw(seed, in->variables);
  unsigned literals = 1 + (unsigned)script_draw(seed, in->literals);
  unsigned also = (unsigned)script_draw(seed, 4 * in->clauses);
  unf_configuration_clear(in->c);
  for (unsigned i = 0; i < literals; i++)
    decide(in, own, (first + i) % in->variables, seed);
  if (also < in->clauses && also != clause)
    perform(in->c, UNF_DID_ACQUIRE, own, in->mutexes[also], 0);
  in->U[in->U_count++] = perform(in->c, UNF_DID_ACQUIRE, own, in->mutexes[clause], 0);
}

static void name_objects(struct instance *in) {
  for (unsigned v = 0; v < in->variables; v++) {
    ok(unf_object_name(in->u, in->kinds[v] == WRITTEN ? UNF_LOCATION : UNF_MUTEX, UNF_THREAD_NONE,
                       v, &in->objects[v]));
    for (unsigned i = 0; i < SIDES; i++)
      in->sides[v][i] = in->next++;
  }
  for (unsigned i = 0; i < in->clauses; i++)
    ok(unf_object_name(in->u, UNF_MUTEX, UNF_THREAD_NONE, VARIABLES + i, &in->mutexes[i]));
}

static void open_empty(struct instance *in, bool inputs) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  ok(unf_context_new(NULL, &in->context));
  ok(unf_unfolding_new(in->context, NULL, &in->u));
  consistency.consistent = go_together;
  consistency.user = in;
  if (inputs) ok(unf_unfolding_set_consistency(in->u, &consistency));
  start_threads(in);
  ok(unf_configuration_new(in->u, &in->c));
  name_objects(in);
}

static void open_instance(struct instance *in, uint64_t *seed) {
  bool inputs = script_draw(seed, 3) == 0;
  memset(in, 0, sizeof *in);
  in->variables = 2 + (unsigned)script_draw(seed, VARIABLES - 1);
  in->clauses = 2 + (unsigned)script_draw(seed, CLAUSES - 1);
  in->literals = 1 + (unsigned)script_draw(seed, LITERALS);
  in->three = script_draw(seed, 2) == 0;
  for (unsigned v = 0; v < in->variables; v++) {
    in->kinds[v] = (enum kind)script_draw(seed, inputs ? 3 : 2);
    in->values[v] = 1 + (unsigned)script_draw(seed, 3);
  }
  open_empty(in, inputs);
  for (unsigned i = 0; i < in->clauses; i++) {
    unf_thread own = in->next++;
    unsigned before = (unsigned)script_draw(seed, 2 * in->variables);
    unf_configuration_clear(in->c);
    if (before < in->variables && in->kinds[before] != INPUT) decide(in, own, before, seed);
    in->D[i] = perform(in->c, UNF_DID_ACQUIRE, own, in->mutexes[i], 0);
  }
  for (unsigned i = 0; i < in->clauses; i++)
    for (uint64_t left = 1 + script_draw(seed, WIDTH); left > 0; left--)
      candidate(in, i, seed);
}

static void close_instance(struct instance *in) {
  unf_configuration_free(in->c);
  unf_unfolding_free(in->u);
  unf_context_free(in->context);
}

/* ---- trying everything ---- */

static bool in_conflict(const struct instance *in, unf_event a, unf_event b) {
  bool conflict;
  ok(unf_event_conflicts(in->u, a, b, &conflict));
  return conflict;
}

/* Whether events that are not in conflict go together. */
static bool is_consistent(const struct instance *in, const unf_event *chosen, unsigned count) {
  unf_answer answer;
  unf_configuration_clear(in->c);
  for (unsigned i = 0; i < count; i++)
    ok(unf_configuration_add(in->c, chosen[i]));
  ok(unf_configuration_consistent(in->c, &answer));
  return answer == UNF_ANSWER_YES;
}

static bool any_choice(const struct instance *in, unsigned clause, unf_event *chosen) {
  if (clause == in->clauses) return true;
  for (unsigned i = 0; i < in->U_count; i++) {
    bool fits = in_conflict(in, in->U[i], in->D[clause]);
    for (unsigned j = 0; fits && j < clause; j++)
      fits = !in_conflict(in, in->U[i], chosen[j]);
    chosen[clause] = in->U[i];
    if (fits && is_consistent(in, chosen, clause + 1) && any_choice(in, clause + 1, chosen))
      return true;
  }
  return false;
}

/* ---- comparing ---- */

static void check_chosen(const struct instance *in, const unf_event *chosen) {
  for (unsigned i = 0; i < in->clauses; i++) {
    unsigned against = 0;
    for (unsigned j = 0; j < in->clauses; j++) {
      assert_false(in_conflict(in, chosen[i], chosen[j]));
      against += in_conflict(in, in->D[i], chosen[j]);
    }
    assert_true(against > 0);
  }
  assert_true(is_consistent(in, chosen, in->clauses));
}

/* The search that learns, which others come to only when they are hard. */
static void compare_learning(struct instance *in, bool exists) {
  struct comb comb = {0};
  struct matrix matrix;
  struct cut nothing = {NULL, 0};
  unf_alternative_statistics statistics = {0, 0, 0, 0, 0, 0};
  bool found = false;
  for (unsigned i = 0; i < in->clauses; i++) {
    assert_true(unfi_comb_begin(in->context, &comb, in->D[i]));
    for (unsigned j = 0; j < in->U_count; j++)
      if (in_conflict(in, in->U[j], in->D[i]))
        assert_true(unfi_comb_add(in->context, &comb, in->U[j]));
    unfi_comb_end(&comb, UNF_CANDIDATES_NEWEST);
  }
  ok(unfi_admission_begin(in->u, &comb.admission, nothing));
  assert_true(vector_reserve(in->context, &comb.chosen, in->clauses));
  assert_true(unfi_matrix_make(&matrix, in->u, &comb, in->clauses));
  ok(unfi_comb_learn(&matrix, &statistics, &found));
  assert_int_equal(found, exists);
  assert_int_equal(comb.chosen.count, found ? in->clauses : 0);
  if (found) check_chosen(in, comb.chosen.data);
  unfi_comb_free(in->context, &comb);
}

/* What contradicts nothing, or is there twice, makes no difference in U. */
static void compare_finding(struct instance *in, bool exists) {
  unf_configuration *empty, *J;
  bool found;
  in->U[in->U_count] = UNF_EVENT_BOTTOM;
  in->U[in->U_count + 1] = in->U[0];
  ok(unf_configuration_new(in->u, &empty));
  ok(unf_configuration_new(in->u, &J));
  ok(unf_alternative_find(in->u, in->U, in->U_count + 2, empty, in->D, in->clauses, NULL, &found, J,
                          NULL));
  assert_int_equal(found, exists);
  ok(unf_check_configuration(J));
  unf_configuration_free(J);
  unf_configuration_free(empty);
}

static void against_everything(void **state) {
  uint64_t seed = 7;
  unsigned counts[2][2] = {{0}};
  (void)state;
  for (unsigned i = 0; i < 1500; i++) {
    struct instance in;
    unf_event chosen[CLAUSES];
    open_instance(&in, &seed);
    unf_consistency_counts asked;
    unf_unfolding_consistency_counts(in.u, &asked);
    bool exists = any_choice(&in, 0, chosen);
    compare_learning(&in, exists);
    compare_finding(&in, exists);
    unf_unfolding_consistency_counts(in.u, &asked);
    counts[asked.questions > 0][exists]++;
    close_instance(&in);
  }
  print_message("without inputs %u with an alternative, %u without; with inputs %u, %u\n",
                counts[0][1], counts[0][0], counts[1][1], counts[1][0]);
  for (unsigned i = 0; i < 4; i++)
    assert_true(counts[i / 2][i % 2] > 60);
}

/* Candidates of one spike exclude each other at its own site alone: in others what they stand for
 * goes together, if one takes the mutex after the other. */
static void together_elsewhere(void **state) {
  static const unsigned candidates[][2] = {{0, 0}, {0, 3}, {0, 1}, {1, 0}, {2, 3}};
  struct instance in = {.variables = 1, .clauses = 3};
  unf_event chosen[CLAUSES];
  (void)state;
  open_empty(&in, false);
  for (unsigned i = 0; i < in.clauses; i++) {
    unf_configuration_clear(in.c);
    in.D[i] = perform(in.c, UNF_DID_ACQUIRE, in.next++, in.mutexes[i], 0);
  }
  for (unsigned i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    unf_thread own = in.next++;
    unf_configuration_clear(in.c);
    give(&in, own, 0, candidates[i][1]);
    in.U[in.U_count++] = perform(in.c, UNF_DID_ACQUIRE, own, in.mutexes[candidates[i][0]], 0);
  }
  assert_true(any_choice(&in, 0, chosen));
  compare_learning(&in, true);
  compare_finding(&in, true);
  close_instance(&in);
}

/* ---- 3-SAT ---- */

static bool find_values(const struct sat *sat) {
  static struct sat_encoding e;
  unf_context *context;
  unf_unfolding *u;
  unf_configuration *c, *J;
  bool found, conflict;
  ok(unf_context_new(NULL, &context));
  ok(unf_unfolding_new(context, NULL, &u));
  ok(unf_configuration_new(u, &c));
  ok(unf_configuration_new(u, &J));
  ok(sat_encode(sat, u, c, &e));
  ok(unf_alternative_find(u, e.U, 3 * sat->clauses, c, e.D, sat->clauses, NULL, &found, J, NULL));
  ok(unf_check_configuration(J));
  for (unsigned i = 0; found && i < sat->clauses; i++) {
    ok(unf_configuration_conflicts(J, e.D[i], &conflict));
    assert_true(conflict);
  }
  unf_configuration_free(c);
  unf_configuration_free(J);
  unf_unfolding_free(u);
  unf_context_free(context);
  return found;
}

static void against_values(void **state) {
  static struct sat sat = {.variables = 40, .clauses = 170};
  unsigned counts[2] = {0};
  (void)state;
  for (uint64_t seed = 1; seed <= 24; seed++) {
    sat_draw(&sat, seed);
    bool found = find_values(&sat);
    assert_int_equal(found, sat_satisfiable(&sat));
    counts[found]++;
  }
  print_message("%u can be satisfied, %u cannot\n", counts[1], counts[0]);
  assert_true(counts[0] > 5 && counts[1] > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_everything),
      cmocka_unit_test(together_elsewhere),
      cmocka_unit_test(against_values),
  };
  return cmocka_run_group_tests_name("combs", tests, NULL, NULL);
}
