/*
 * Random cyclic programs with inputs, explored with cutoffs in every order of their threads,
 * against a plain breadth-first search over the states of the program for each value of its inputs:
 *
 * - the exploration ends;
 * - the configurations of kept events lead to exactly the reachable states, each for all values of
 *   the inputs for which it is one (where inputs that are not read any more are no part of a state:
 *   for some);
 * - the kept events and the cutoffs, by their canonical fingerprints, are the same for every
 *   algorithm, k and search order; in the total order no two kept events lead to the same states;
 * - every state in which no thread can go on is the end of an execution, and none ends elsewhere.
 *
 * The engine says what a step changed in three ways (valued_engine.h). In some explorations the
 * solver does not know now and then; then only nothing must be lost.
 *
 *   input_cutoffs [--programs N] [--only SEED] [--seed N]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cyclic.h"
#include "permutation.h"
#include "valued_engine.h"

#define MOST_EXECUTIONS 1200u
#define MOST_CUTS       6000u
/* ---- exploring ---- */

static bool perform(exploration *x, const unf_action *taken) {
  struct action own;
  memcpy(x->before, x->states, x->valued->values * words_of(x) * sizeof *x->states);
  if (!bridge_read(&x->bridge, taken, &own) || !perform_all(x, x->states, &own)) return false;
  unf_status s = unf_explorer_commit(x->explorer, taken, 0);
  if (s != UNF_OK) return failed(x, "unf_explorer_commit", s);
  x->last[own.thread] = unf_explorer_last(x->explorer);
  if (own.kind == ACTION_SPAWN) x->last[own.target] = x->last[own.thread];
  return offer(x, own.thread) && (own.kind != ACTION_SPAWN || offer(x, own.target)) && tell(x);
}

/* Notes where an execution ended, for all values that are left. */
static bool note_end(exploration *x, unf_step_kind kind, const unf_verdict *verdict) {
  const subject *s = &x->valued->subject;
  conjunction in = {x, all_values(x)};
  unf_explorer_path(x->explorer, and_literal, &in);
  x->undecided += verdict->undecided;
  if (verdict->truncated != (kind == UNF_STEP_CUTOFF && !verdict->undecided) &&
      !verdict->redundant && !verdict->infeasible)
    return report_fail(x->report, "the verdict does not fit the end of the execution");
  if (in.values == 0 && kind == UNF_STEP_MAXIMAL && !verdict->undecided && !verdict->infeasible &&
      !verdict->redundant)
    return report_fail(x->report, "an execution for no value");
  if ((verdict->undecided || verdict->infeasible) && x->unknown == 0)
    return report_fail(x->report, "undecided or infeasible, though the solver always knows");
  for (uint32_t v = 0; v < x->valued->values; v++) {
    size_t index;
    if ((in.values >> v & 1) == 0) continue;
    valued_essence(x->valued, state_of(x, x->states, v), x->bare);
    if (rows_add(&x->valued->subject.states, x->bare, &index))
      return report_fail(x->report, "an execution ends in a state that cannot be reached");
    if (kind == UNF_STEP_MAXIMAL && !verdict->infeasible && !s->stuck[index])
      return report_fail(x->report, "an execution ends though a thread can go on");
    x->ended[index] = true;
  }
  return true;
}

static bool one_run(exploration *x) {
  unf_step step;
  unf_verdict verdict;
  for (uint32_t t = 0; t < x->valued->program->thread_count; t++)
    x->last[t] = UNF_EVENT_BOTTOM;
  if (!start(x, x->states)) return false;
  for (uint32_t t = 0; t < x->valued->program->thread_count; t++)
    if (!offer(x, t)) return false;
  for (;;) {
    unf_status s = unf_explorer_step(x->explorer, &step);
    if (s != UNF_OK) return failed(x, "unf_explorer_step", s);
    if (step.kind != UNF_STEP_ACTION) break;
    if (!perform(x, &step.action)) return false;
  }
  unf_status s = unf_explorer_finish(x->explorer, false, &verdict);
  if (s != UNF_OK) return failed(x, "unf_explorer_finish", s);
  return note_end(x, step.kind, &verdict);
}

static bool explore(exploration *x) {
  for (;;) {
    unf_run run;
    unf_status s = unf_explorer_next(x->explorer, &run);
    if (s != UNF_OK) return failed(x, "unf_explorer_next", s);
    if (run.finished) return true;
    if (++x->executions > MOST_EXECUTIONS) return false;
    if (!one_run(x)) return false;
  }
}

static bool check_ends(exploration *x) {
  for (size_t i = 0; i < x->valued->subject.states.count; i++)
    if (x->valued->subject.stuck[i] && !x->ended[i])
      return report_fail(x->report, "no execution ends in a state where no thread can go on");
  return true;
}

/* ---- what is reached ---- */

typedef struct walk {
  exploration *x;
  rows configurations; /* last events of the threads */
  unf_event **paths;   /* to each of them */
  size_t *lengths, path_capacity, length_capacity;
  bool *seen; /* states */
  size_t reached;
} walk;

/* The configuration of a path, its states, and the values that it leaves to the inputs. */
static bool replay(walk *w, unf_configuration *c, const unf_event *path, size_t length,
                   uint64_t *values) {
  exploration *x = w->x;
  conjunction in = {x, all_values(x)};
  unf_configuration_clear(c);
  start(x, x->states);
  for (size_t i = 0; i < length; i++) {
    unf_action a;
    struct action own;
    unf_event_action(x->bridge.unfolding, path[i], &a);
    if (unf_configuration_extend(c, path[i]) != UNF_OK || !bridge_read(&x->bridge, &a, &own) ||
        !perform_all(x, x->states, &own))
      return report_fail(x->report, "a kept event cannot be performed");
    and_literal(&in, path[i]);
  }
  *values = in.values;
  return true;
}

static void note_configuration(walk *w, const unf_configuration *c, const unf_event *path,
                               size_t length, unf_event next) {
  const program *p = w->x->valued->program;
  int64_t *last = oracle_allocate((p->thread_count + 1) * sizeof *last);
  size_t index;
  for (uint32_t t = 0; t < p->thread_count; t++) {
    unf_event e;
    unf_configuration_last(c, w->x->bridge.threads[t], &e);
    last[t] = e;
  }
  if (rows_add(&w->configurations, last, &index)) {
    w->paths = oracle_reserve(w->paths, index, &w->path_capacity, sizeof *w->paths);
    w->lengths = oracle_reserve(w->lengths, index, &w->length_capacity, sizeof *w->lengths);
    w->paths[index] = oracle_allocate((length + 1) * sizeof **w->paths);
    if (length > 0) memcpy(w->paths[index], path, length * sizeof *path);
    w->lengths[index] = length;
    if (next != 0) w->paths[index][w->lengths[index]++] = next;
  }
  free(last);
}

static bool note_states(walk *w, uint64_t values) {
  exploration *x = w->x;
  for (uint32_t v = 0; v < x->valued->values; v++) {
    size_t index;
    if ((values >> v & 1) == 0) continue;
    valued_essence(x->valued, state_of(x, x->states, v), x->bare);
    if (rows_add(&x->valued->subject.states, x->bare, &index))
      return report_fail(x->report, "a configuration leads to a state that cannot be reached");
    w->reached += !w->seen[index];
    w->seen[index] = true;
  }
  return true;
}

/* The n-th of what a thread can do for some of the values; false: there is none. Of a branch each
 * value has its outcome. */
static bool list_action(exploration *x, const int64_t *states, uint32_t t, uint64_t values,
                        uint64_t n, struct action *own) {
  const machine *m = &x->valued->subject.machine;
  const uint32_t first = (uint32_t)__builtin_ctzll(values);
  const bool branches = machine_next(m, states + first * m->words, t).kind == OPERATION_BRANCH;
  if (!branches) return machine_action(m, states + first * m->words, t, n, own);
  for (uint32_t v = 0; v < x->valued->values; v++)
    if ((values >> v & 1) != 0 && n-- == 0)
      return machine_action(m, states + v * m->words, t, 0, own);
  return false;
}

/* One action of a thread at a configuration of kept events. */
static bool try_action(walk *w, unf_configuration *c, size_t number, const struct action *own) {
  exploration *x = w->x;
  uint64_t values;
  unf_action a = bridge_action(&x->bridge, own);
  unf_event e;
  unf_cutoff_verdict verdict;
  if (!replay(w, c, w->paths[number], w->lengths[number], &values)) return false;
  if (unf_configuration_perform(c, &a, &e) != UNF_OK ||
      unf_cutoffs_verdict(unf_explorer_cutoffs(x->explorer), e, &verdict) != UNF_OK)
    return report_fail(x->report, "an action that is not possible after kept events");
  if (verdict == UNF_CUTOFF_UNKNOWN)
    return report_fail(x->report, "an event after kept ones was never performed");
  if (verdict == UNF_CUTOFF_KEPT) note_configuration(w, c, w->paths[number], w->lengths[number], e);
  return true;
}

/* The configurations of kept events, breadth-first. */
static bool walk_configurations(walk *w, unf_configuration *c) {
  exploration *x = w->x;
  const size_t size = x->valued->values * words_of(x) * sizeof *x->states;
  note_configuration(w, c, NULL, 0, 0);
  for (size_t i = 0; i < w->configurations.count; i++) {
    uint64_t values;
    if (i == MOST_CUTS) x->many = true;
    if (x->many) return false;
    if (!replay(w, c, w->paths[i], w->lengths[i], &values) || !note_states(w, values)) return false;
    if (values == 0) continue; /* the solver did not know */
    memcpy(x->before, x->states, size);
    for (uint32_t t = 0; t < x->valued->program->thread_count; t++) {
      struct action own;
      for (uint64_t n = 0; list_action(x, x->before, t, values, n, &own); n++)
        if (!try_action(w, c, i, &own)) return false;
    }
  }
  if (w->reached == x->valued->subject.states.count) return true;
  return report_fail(x->report, "%zu of %zu states are reached", w->reached,
                     x->valued->subject.states.count);
}

static bool check_states(exploration *x) {
  walk w = {.x = x};
  unf_configuration *c = NULL;
  w.configurations.words = x->valued->program->thread_count;
  w.seen = oracle_allocate(x->valued->subject.states.count * sizeof *w.seen);
  bool good =
      unf_configuration_new(x->bridge.unfolding, &c) == UNF_OK && walk_configurations(&w, c);
  unf_configuration_free(c);
  for (size_t i = 0; i < w.configurations.count; i++)
    free(w.paths[i]);
  rows_free(&w.configurations);
  free(w.paths);
  free(w.lengths);
  free(w.seen);
  return good;
}

/* ---- verdicts as names ---- */

typedef struct names {
  uint64_t (*data)[3]; /* fingerprint and verdict */
  size_t count;
} names;

static int by_name(const void *a, const void *b) {
  return memcmp(a, b, 3 * sizeof(uint64_t));
}

/* Also: in the total order the states of kept events are all different. */
static bool collect(exploration *x, unf_cutoff_order order, names *out, uint64_t *cut) {
  unf_unfolding *u = x->bridge.unfolding;
  unf_cutoffs *cutoffs = unf_explorer_cutoffs(x->explorer);
  uint32_t events = unf_unfolding_events(u);
  unf_cutoff_counts counts;
  out->data = oracle_allocate((events + 1) * sizeof *out->data);
  out->count = 0;
  for (unf_event e = 1; e <= events; e++) {
    unf_cutoff_verdict verdict;
    if (unf_cutoffs_verdict(cutoffs, e, &verdict) != UNF_OK) return false;
    if (verdict != UNF_CUTOFF_KEPT && verdict != UNF_CUTOFF_IS) continue;
    unf_event_fingerprint(u, e, out->data[out->count]);
    out->data[out->count++][2] = verdict;
  }
  qsort(out->data, out->count, sizeof *out->data, by_name);
  unf_cutoffs_counts(cutoffs, &counts);
  *cut += counts.cutoffs;
  if (order == UNF_CUTOFFS_ERV && counts.kept + 1 != counts.states)
    return report_fail(x->report, "two kept events with one state");
  return true;
}

static bool same_names(const names *a, const names *b, report *r) {
  if (a->count == b->count && memcmp(a->data, b->data, a->count * sizeof *a->data) == 0)
    return true;
  return report_fail(r, "other verdicts than in another order of the search: %zu and %zu events",
                     a->count, b->count);
}

/* ---- all ways to explore ---- */

static const struct manner {
  unf_algorithm algorithm;
  uint32_t k;
  unf_order order;
} manners[] = {{UNF_QPOR, UNF_K_OPTIMAL, UNF_ORDER_DEPTH_FIRST},
               {UNF_QPOR, UNF_K_OPTIMAL, UNF_ORDER_BREADTH_FIRST},
               {UNF_QPOR, UNF_K_OPTIMAL, UNF_ORDER_RANDOM},
               {UNF_QPOR, 1, UNF_ORDER_DEPTH_FIRST},
               {UNF_QPOR, 2, UNF_ORDER_DEEPEST},
               {UNF_SDPOR, 1, UNF_ORDER_DEPTH_FIRST},
               {UNF_DFS, 1, UNF_ORDER_DEPTH_FIRST}};

typedef struct tally {
  uint64_t programs, large, left_out, failed, runs, executions, cutoffs, undecided;
} tally;

static void make_room(exploration *x) {
  const size_t size = (x->valued->values * words_of(x) + 1) * sizeof *x->states;
  x->states = oracle_allocate(size);
  x->before = oracle_allocate(size);
  x->scratch = oracle_allocate(size);
  x->bare = oracle_allocate(size);
  x->last = oracle_allocate((x->valued->program->thread_count + 1) * sizeof *x->last);
  x->points = oracle_allocate(MOST_POINTS * sizeof *x->points);
  x->ended = oracle_allocate((x->valued->subject.states.count + 1) * sizeof *x->ended);
}

static void free_room(exploration *x) {
  free(x->states);
  free(x->before);
  free(x->scratch);
  free(x->bare);
  free(x->last);
  free(x->points);
  free(x->ended);
}

static bool open_exploration(exploration *x, const uint32_t *thread_order, const struct manner *m,
                             unf_cutoff_order order) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  const unf_consistency consistency = solver_of(x);
  options.algorithm = m->algorithm;
  options.alternative.k = m->k;
  options.order = m->order;
  options.seed = x->random.state;
  options.cutoffs = order;
  if (!bridge_open(&x->bridge, x->valued->program, NULL, thread_order, 8, x->report)) return false;
  unf_status s = unf_unfolding_set_consistency(x->bridge.unfolding, &consistency);
  if (s == UNF_OK) s = unf_explorer_new(x->bridge.unfolding, &options, &x->explorer);
  return s == UNF_OK || failed(x, "unf_explorer_new", s);
}

static bool valid(exploration *x) {
  unf_status s = unf_check_explorer(x->explorer);
  if (s == UNF_OK) s = unf_check_cutoffs(unf_explorer_cutoffs(x->explorer));
  return s == UNF_OK || failed(x, "a validator", s);
}

static fate one_way(exploration *x, const uint32_t *thread_order, const struct manner *m,
                    unf_cutoff_order order, names *expected, tally *t) {
  names seen = {NULL, 0};
  make_room(x);
  bool good = open_exploration(x, thread_order, m, order);
  x->report->text[0] = '\0';
  good = good && explore(x);
  bool large = x->executions > MOST_EXECUTIONS;
  good = good && collect(x, order, &seen, &t->cutoffs);
  const bool compares = good && x->unknown == 0;
  if (compares && expected->data != NULL) good = same_names(expected, &seen, x->report);
  good = good && check_states(x) && check_ends(x) && valid(x) && x->report->text[0] == '\0';
  large = large || x->many;
  t->runs += good;
  t->executions += x->executions;
  t->undecided += x->undecided;
  if (compares && expected->data == NULL)
    *expected = seen;
  else
    free(seen.data);
  unf_explorer_free(x->explorer);
  bridge_close(&x->bridge);
  free_room(x);
  return good ? GOOD : x->left_out ? RACY : large ? LARGE : FAILED;
}

static fate every_way(valued *v, unf_cutoff_order order, telling_kind telling, uint64_t seed,
                      tally *t, report *r) {
  uint32_t names_of[SKETCH_THREADS_MAX];
  const size_t count = v->program->thread_count;
  random_source random = {seed + (uint64_t)order};
  fate result = GOOD;
  bool first = true; /* later, the first manner and some of the others */
  for (uint32_t i = 0; i < count; i++)
    names_of[i] = i;
  do {
    names expected = {NULL, 0};
    for (size_t i = 0; result == GOOD && i < sizeof manners / sizeof manners[0]; i++) {
      if (i > 0 && !first && random_chance(&random, 75)) continue;
      exploration x = {.valued = v, .telling = telling, .report = r};
      x.random = (random_source){random_next(&random)};
      if (random_chance(&random, 15)) x.unknown = 1 + random_below(&random, 60);
      result = one_way(&x, names_of, &manners[i], order, &expected, t);
      if (result == LARGE && (manners[i].algorithm == UNF_DFS || x.unknown > 0)) result = GOOD;
      if (result == FAILED)
        printf("order %d, %s, manner %zu, unknown %u, the first thread is child %" PRIu32 "\n",
               (int)order, tellings[telling], i, x.unknown, names_of[0]);
    }
    free(expected.data);
    first = false;
  } while (result == GOOD && next_permutation(names_of, count));
  return result;
}

/* The seed is 0 for a kept program. */
static void check_program(const char *source, uint64_t seed, tally *t) {
  char error[ORACLE_ERROR_MAX];
  program_options options = {.bound = -1};
  report r = {{0}};
  program *p = program_read(source, &options, error);
  if (p == NULL) {
    printf("FAILED: unreadable: %s\n%s\n", error, source);
    t->failed++;
    return;
  }
  fate result = GOOD;
  for (telling_kind telling = TELL_WHOLE; result == GOOD && telling < TELLINGS; telling++) {
    valued v;
    /* The machine counts the rounds of barriers, so the words themselves do not come again. */
    if (telling == TELL_TERMS && strstr(source, "arrive(") != NULL) continue;
    valued_open(&v, p, telling != TELL_READ);
    result = valued_search(&v);
    for (int order = UNF_CUTOFFS_SIZE; result == GOOD && order <= UNF_CUTOFFS_ERV; order++)
      result = every_way(&v, (unf_cutoff_order)order, telling, seed, t, &r);
    valued_close(&v);
  }
  t->programs += result == GOOD;
  t->large += result == LARGE;
  t->left_out += result == RACY;
  t->failed += result == FAILED;
  if (result == FAILED) printf("FAILED: seed %" PRIu64 ": %s\n%s\n", seed, r.text, source);
  program_free(p);
}

static void check_random(uint64_t seed, bool show, tally *t) {
  random_source random = {seed};
  cyclic c = {.inputs = true};
  cyclic_generate(&c, &random);
  if (show) puts(c.data);
  if (strstr(c.data, "branch(") == NULL) return;
  check_program(c.data, seed, t);
}

int main(int argc, char **argv) {
  uint64_t programs = 5, only = 0, seed = 1;
  tally t = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--programs") == 0) programs = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--only") == 0) only = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--seed") == 0) seed = strtoull(argv[i + 1], NULL, 10);
  }
  if (only != 0) check_random(only, true, &t);
  for (uint64_t i = seed; only == 0 && t.programs < programs && t.failed < 3; i++)
    check_random(i, false, &t);
  printf("%" PRIu64 " programs with inputs passed, %" PRIu64 " too large, %" PRIu64
         " left out, %" PRIu64 " failed; %" PRIu64 " explorations, %" PRIu64 " executions, %" PRIu64
         " cutoffs, %" PRIu64 " undecided\n",
         t.programs, t.large, t.left_out, t.failed, t.runs, t.executions, t.cutoffs, t.undecided);
  return t.failed == 0 && (only != 0 || t.programs == programs) ? 0 : 1;
}
