/*
 * Random cyclic programs, explored with cutoffs in every order of their threads and with every
 * algorithm, against a plain breadth-first search over the states of the oracle's machine:
 *
 * - the exploration ends;
 * - the configurations of kept events lead to exactly the reachable states;
 * - the kept events and the cutoffs, by their canonical fingerprints, are always the same;
 * - in the total order no two kept events lead to the same state;
 * - an execution that ends without cutoffs ends where no thread can go on, and every such reachable
 * state is the end of one;
 * - all of this, and the number of executions, when the exploration is written down after every
 * n-th execution, thrown away, and gone on with in another context.
 *
 *   cutoff_programs [--programs N] [--only SEED]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "cyclic.h"
#include "cyclic_states.h"
#include "permutation.h"

#define MOST_EXECUTIONS 6000u
#define MOST_CUTS       30000u

/* ---- exploring ---- */

typedef struct exploration {
  subject *subject;
  bridge bridge;
  unf_explorer *explorer;
  int64_t *state, *before, *bare, *bare_before;
  bool *ended;    /* by state: an execution ended there */
  int64_t *saved; /* states that are kept, by name */
  size_t saved_count, saved_capacity;
  bool saves;
  report *report;
  uint64_t executions;
  unf_explorer_options options;
  const uint32_t *order;   /* of the threads */
  uint64_t every, written; /* written down after so many executions, or 0; how often */
} exploration;

/* ---- writing down ---- */

typedef struct image {
  char *bytes;
  size_t size, room, at;
} image;

static bool put_bytes(void *user, const char *bytes, size_t size) {
  image *in = user;
  if (in->room - in->size < size) {
    in->room = 2 * in->room + size;
    in->bytes = realloc(in->bytes, in->room);
  }
  memcpy(in->bytes + in->size, bytes, size);
  in->size += size;
  return in->bytes != NULL;
}

static bool get_bytes(void *user, void *bytes, size_t size, size_t *got) {
  image *in = user;
  *got = size < in->size - in->at ? size : in->size - in->at;
  memcpy(bytes, in->bytes + in->at, *got);
  in->at += *got;
  return true;
}

/* Goes on in another context; what is written there at once is what was read. */
static bool write_down(exploration *x) {
  image first = {.size = 0}, second = {.size = 0};
  unf_status s = unf_explorer_write(x->explorer, put_bytes, &first);
  if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_write", s);
  unf_explorer_free(x->explorer);
  x->explorer = NULL;
  bridge_close(&x->bridge);
  if (!bridge_open(&x->bridge, x->subject->program, NULL, x->order, 8, x->report)) return false;
  s = unf_explorer_read(x->bridge.unfolding, &x->options, get_bytes, &first, &x->explorer);
  if (s == UNF_OK) s = unf_explorer_write(x->explorer, put_bytes, &second);
  const bool same =
      x->options.algorithm == UNF_DFS ||
      (first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0);
  free(first.bytes);
  free(second.bytes);
  x->written++;
  if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_read", s);
  return same || report_fail(x->report, "written again it is something else");
}

static bool offer_all(exploration *x) {
  const program *p = x->subject->program;
  for (uint32_t t = 0; t < p->thread_count; t++) {
    operation o = machine_next(&x->subject->machine, x->state, t);
    if (o.kind == OPERATION_WAITING) continue;
    unf_operation op = bridge_operation(&x->bridge, &o);
    unf_status s = unf_explorer_offer(x->explorer, x->bridge.threads[t], &op);
    if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_offer", s);
  }
  return true;
}

/* The words of a state that are fragments: instead of what a barrier counts, each thread knows its
 * own arrivals, and whether the round that it is in is an odd one. */
static void list_fragments(const subject *s, const int64_t *state, int64_t *out) {
  const machine *m = &s->machine;
  for (size_t i = 0; i < m->words; i++)
    out[i] = s->ignored[i] ? 0 : state[i];
  memset(out + m->base[SYMBOL_BARRIER], 0, s->program->counts[SYMBOL_BARRIER] * sizeof *out);
  for (uint32_t t = 0; t < s->program->thread_count; t++) {
    int64_t *own = machine_thread(m, out, t);
    if (own[THREAD_KIND] == OPERATION_ARRIVE || own[THREAD_KIND] == OPERATION_PASS)
      own[THREAD_SECOND] %= 2;
    if (own[THREAD_KIND] == OPERATION_FINISHED || own[THREAD_KIND] == OPERATION_STOPPED)
      own[THREAD_SECOND] = 0;
  }
}

typedef struct arrivals {
  exploration *x;
  uint32_t thread, barrier;
  unf_event last;
  int64_t count;
} arrivals;

static bool count_arrival(void *user, unf_event e) {
  arrivals *in = user;
  unf_action a;
  struct action own;
  if (unf_event_action(in->x->bridge.unfolding, e, &a) == UNF_OK &&
      bridge_read(&in->x->bridge, &a, &own))
    in->count += own.kind == ACTION_ARRIVE && own.thread == in->thread && own.target == in->barrier;
  return e != in->last;
}

/* A round is over when so many have arrived as it is for; so much of their sum has to be known, and
 * whether the round is an odd one. */
static void count_arrivals(exploration *x, const struct action *own, unf_fingerprint *change) {
  const machine *m = &x->subject->machine;
  if (own->kind != ACTION_ARRIVE) return;
  arrivals in = {x, own->thread, own->target, unf_explorer_last(x->explorer), 0};
  if (in.last != UNF_EVENT_BOTTOM) unf_explorer_path(x->explorer, count_arrival, &in);
  int64_t period = 2 * machine_barrier_count(m, own->target);
  int64_t before = in.count % period, after = (in.count + 1) % period;
  size_t place = m->words + own->thread * x->subject->program->counts[SYMBOL_BARRIER] + own->target;
  unf_fingerprint_replace(UNF_HASH_FAST, change, place, &before, &after, sizeof before);
}

static bool perform(exploration *x, const unf_action *taken) {
  const machine *m = &x->subject->machine;
  unf_fingerprint change = UNF_FINGERPRINT_INIT;
  struct action own;
  memcpy(x->before, x->state, m->words * sizeof *x->state);
  if (!bridge_read(&x->bridge, taken, &own) ||
      !machine_perform(&x->subject->machine, x->state, &own))
    return report_fail(x->report, "an action that is not possible");
  list_fragments(x->subject, x->before, x->bare_before);
  list_fragments(x->subject, x->state, x->bare);
  size_t first = m->base[SYMBOL_SEMAPHORE];
  for (size_t i = 0; i < m->words; i++)
    if (i >= first && i < first + x->subject->program->counts[SYMBOL_SEMAPHORE])
      unf_fingerprint_count(UNF_HASH_FAST, &change, i, x->bare[i] - x->bare_before[i]);
    else if (x->bare[i] != x->bare_before[i])
      unf_fingerprint_replace(UNF_HASH_FAST, &change, i, &x->bare_before[i], &x->bare[i],
                              sizeof x->bare[i]);
  count_arrivals(x, &own, &change);
  unf_status s = unf_explorer_commit(x->explorer, taken, 0);
  if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_commit", s);
  s = unf_explorer_changed(x->explorer, &change);
  if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_changed", s);
  return offer_all(x);
}

/* Keeps the state after every third step. */
static bool save(exploration *x, uint64_t steps) {
  size_t words = x->subject->machine.words, end = (x->saved_count + 1) * words;
  if (!x->saves || steps % 3 != 0) return true;
  while (x->saved_capacity < end)
    x->saved = oracle_reserve(x->saved, x->saved_capacity, &x->saved_capacity, sizeof *x->saved);
  memcpy(x->saved + x->saved_count++ * words, x->state, words * sizeof *x->state);
  unf_status s = unf_explorer_save(x->explorer, x->saved_count);
  return s == UNF_OK || bridge_fail(&x->bridge, x->report, "unf_explorer_save", s);
}

static bool begin(exploration *x, const unf_run *run) {
  size_t words = x->subject->machine.words;
  if (run->saved == 0) {
    machine_start(&x->subject->machine, x->state);
    return offer_all(x);
  }
  memcpy(x->state, x->saved + (run->state - 1) * words, words * sizeof *x->state);
  unf_status s = unf_explorer_resume(x->explorer, run->saved);
  return s == UNF_OK || bridge_fail(&x->bridge, x->report, "unf_explorer_resume", s);
}

static bool one_run(exploration *x, const unf_run *run) {
  unf_step step;
  unf_verdict verdict;
  bool good = begin(x, run);
  for (;;) {
    if (!good) return false;
    unf_status s = unf_explorer_step(x->explorer, &step);
    if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_step", s);
    if (step.kind != UNF_STEP_ACTION) break;
    good = perform(x, &step.action) && save(x, step.number);
  }
  unf_status s = unf_explorer_finish(x->explorer, false, &verdict);
  if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_finish", s);
  size_t index;
  subject_essence(x->subject, x->state, x->bare);
  if (rows_add(&x->subject->states, x->bare, &index))
    return report_fail(x->report, "an execution ends in a state that cannot be reached");
  if (step.kind == UNF_STEP_MAXIMAL && !x->subject->stuck[index])
    return report_fail(x->report, "an execution ends though a thread can go on");
  if (verdict.truncated != (step.kind == UNF_STEP_CUTOFF) && !verdict.redundant)
    return report_fail(x->report, "the verdict does not fit the end of the execution");
  x->ended[index] = true;
  return true;
}

static bool explore(exploration *x) {
  for (;;) {
    unf_run run;
    unf_status s = unf_explorer_next(x->explorer, &run);
    if (s != UNF_OK) return bridge_fail(&x->bridge, x->report, "unf_explorer_next", s);
    if (run.finished) return true;
    if (++x->executions > MOST_EXECUTIONS) return false;
    if (!one_run(x, &run)) return false;
    if (x->every > 0 && x->executions % x->every == 0 && !write_down(x)) return false;
  }
}

static bool check_ends(exploration *x) {
  for (size_t i = 0; i < x->subject->states.count; i++)
    if (x->subject->stuck[i] && !x->ended[i])
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

/* The configuration, and its state in x->state, of a path. */
static bool replay(walk *w, unf_configuration *c, const unf_event *path, size_t length) {
  exploration *x = w->x;
  unf_configuration_clear(c);
  machine_start(&x->subject->machine, x->state);
  for (size_t i = 0; i < length; i++) {
    unf_action a;
    struct action own;
    unf_event_action(x->bridge.unfolding, path[i], &a);
    if (unf_configuration_extend(c, path[i]) != UNF_OK || !bridge_read(&x->bridge, &a, &own) ||
        !machine_perform(&x->subject->machine, x->state, &own))
      return report_fail(x->report, "a kept event cannot be performed");
  }
  return true;
}

static void note_configuration(walk *w, const unf_configuration *c, const unf_event *path,
                               size_t length, unf_event next) {
  const program *p = w->x->subject->program;
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

static bool note_state(walk *w) {
  exploration *x = w->x;
  size_t index;
  subject_essence(x->subject, x->state, x->bare);
  if (rows_add(&x->subject->states, x->bare, &index))
    return report_fail(x->report, "a configuration leads to a state that cannot be reached");
  w->reached += !w->seen[index];
  w->seen[index] = true;
  return true;
}

/* The configurations of kept events, breadth-first. */
static bool walk_configurations(walk *w, unf_configuration *c) {
  exploration *x = w->x;
  const machine *m = &x->subject->machine;
  unf_cutoffs *cutoffs = unf_explorer_cutoffs(x->explorer);
  note_configuration(w, c, NULL, 0, 0);
  for (size_t i = 0; i < w->configurations.count && i < MOST_CUTS; i++) {
    if (!replay(w, c, w->paths[i], w->lengths[i]) || !note_state(w)) return false;
    memcpy(x->before, x->state, m->words * sizeof *x->state);
    for (uint32_t t = 0; t < x->subject->program->thread_count; t++) {
      struct action own;
      for (uint64_t n = 0; machine_action(m, x->before, t, n, &own); n++) {
        unf_action a = bridge_action(&x->bridge, &own);
        unf_event e;
        unf_cutoff_verdict verdict;
        if (!replay(w, c, w->paths[i], w->lengths[i])) return false;
        if (unf_configuration_perform(c, &a, &e) != UNF_OK ||
            unf_cutoffs_verdict(cutoffs, e, &verdict) != UNF_OK)
          return report_fail(x->report, "an action that is not possible after kept events");
        if (verdict == UNF_CUTOFF_UNKNOWN)
          return report_fail(x->report, "an event after kept ones was never performed");
        if (verdict == UNF_CUTOFF_KEPT) note_configuration(w, c, w->paths[i], w->lengths[i], e);
      }
    }
  }
  if (w->reached == x->subject->states.count) return true;
  return report_fail(x->report, "%zu of %zu states are reached", w->reached,
                     x->subject->states.count);
}

static bool check_states(exploration *x) {
  walk w = {.x = x};
  unf_configuration *c = NULL;
  w.configurations.words = x->subject->program->thread_count;
  w.seen = oracle_allocate(x->subject->states.count * sizeof *w.seen);
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
static bool collect(exploration *x, unf_cutoff_order order, names *out) {
  unf_unfolding *u = x->bridge.unfolding;
  unf_cutoffs *cutoffs = unf_explorer_cutoffs(x->explorer);
  uint32_t events = unf_unfolding_events(u);
  unf_cutoff_counts counts;
  out->data = oracle_allocate((events + 1) * sizeof *out->data);
  out->count = 0;
  uint64_t kept = 0, cut = 0;
  for (unf_event e = 1; e <= events; e++) {
    unf_cutoff_verdict verdict;
    if (unf_cutoffs_verdict(cutoffs, e, &verdict) != UNF_OK) return false;
    kept += verdict == UNF_CUTOFF_KEPT;
    cut += verdict == UNF_CUTOFF_IS;
    if (verdict != UNF_CUTOFF_KEPT && verdict != UNF_CUTOFF_IS) continue;
    unf_event_fingerprint(u, e, out->data[out->count]);
    out->data[out->count++][2] = verdict;
  }
  qsort(out->data, out->count, sizeof *out->data, by_name);
  unf_cutoffs_counts(cutoffs, &counts);
  if (counts.kept != kept || counts.cutoffs != cut)
    return report_fail(x->report, "the table counts other verdicts than it gives");
  if (order == UNF_CUTOFFS_ERV && kept + 1 != counts.states)
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

typedef struct manner {
  unf_algorithm algorithm;
  uint32_t k;
  unf_candidate_order candidates;
  unf_order order;
} manner;

static const manner manners[] = {
    {UNF_QPOR, UNF_K_OPTIMAL, UNF_CANDIDATES_NEWEST, UNF_ORDER_DEPTH_FIRST},
    {UNF_QPOR, UNF_K_OPTIMAL, UNF_CANDIDATES_OLDEST, UNF_ORDER_DEPTH_FIRST},
    {UNF_QPOR, UNF_K_OPTIMAL, UNF_CANDIDATES_NEWEST, UNF_ORDER_BREADTH_FIRST},
    {UNF_QPOR, UNF_K_OPTIMAL, UNF_CANDIDATES_NEWEST, UNF_ORDER_RANDOM},
    {UNF_QPOR, UNF_K_OPTIMAL, UNF_CANDIDATES_NEWEST, UNF_ORDER_DEEPEST},
    {UNF_QPOR, 1, UNF_CANDIDATES_NEWEST, UNF_ORDER_DEPTH_FIRST},
    {UNF_QPOR, 1, UNF_CANDIDATES_NEWEST, UNF_ORDER_RANDOM},
    {UNF_SDPOR, 1, UNF_CANDIDATES_NEWEST, UNF_ORDER_DEPTH_FIRST},
    {UNF_DFS, 1, UNF_CANDIDATES_NEWEST, UNF_ORDER_DEPTH_FIRST}};

typedef struct tally {
  uint64_t programs, large, racy, failed, runs, executions, cutoffs, kept, written;
} tally;

static bool valid(exploration *x) {
  unf_status s = unf_check_explorer(x->explorer);
  if (s == UNF_OK) s = unf_check_cutoffs(unf_explorer_cutoffs(x->explorer));
  return s == UNF_OK || bridge_fail(&x->bridge, x->report, "a validator", s);
}

static fate one_way(subject *s, const uint32_t *thread_order, const manner *m,
                    unf_cutoff_order order, names *expected, tally *t, report *r) {
  exploration x = {.subject = s, .report = r, .order = thread_order};
  size_t size = (s->machine.words + 1) * sizeof *x.state;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  names seen = {NULL, 0};
  options.algorithm = m->algorithm;
  options.alternative.k = m->k;
  options.alternative.candidates = m->candidates;
  options.order = m->order;
  options.seed = t->runs;
  options.cutoffs = order;
  x.options = options;
  if (m->order == UNF_ORDER_DEPTH_FIRST && t->runs % 3 == 0) x.every = 1 + t->runs % 41;
  x.state = oracle_allocate(size);
  x.before = oracle_allocate(size);
  x.bare = oracle_allocate(size);
  x.bare_before = oracle_allocate(size);
  x.ended = oracle_allocate(s->states.count * sizeof *x.ended);
  x.saves = t->runs % 2 != 0;
  bool good = bridge_open(&x.bridge, s->program, NULL, thread_order, 8, r) &&
              unf_explorer_new(x.bridge.unfolding, &options, &x.explorer) == UNF_OK;
  r->text[0] = '\0';
  good = good && explore(&x);
  bool large = x.executions > MOST_EXECUTIONS;
  good = good && collect(&x, order, &seen) &&
         (expected->data == NULL || same_names(expected, &seen, r)) && check_states(&x) &&
         check_ends(&x) && valid(&x);
  if (good) {
    unf_cutoff_counts counts;
    unf_cutoffs_counts(unf_explorer_cutoffs(x.explorer), &counts);
    t->runs++;
    t->written += x.written;
    t->executions += x.executions;
    t->cutoffs += counts.cutoffs;
    t->kept += counts.kept;
  }
  if (good && expected->data == NULL) {
    *expected = seen;
  } else {
    free(seen.data);
  }
  unf_explorer_free(x.explorer);
  bridge_close(&x.bridge);
  free(x.state);
  free(x.before);
  free(x.bare);
  free(x.bare_before);
  free(x.ended);
  free(x.saved);
  return good ? GOOD : large ? LARGE : FAILED;
}

static fate every_way(subject *s, unf_cutoff_order order, tally *t, report *r) {
  uint32_t names_of[SKETCH_THREADS_MAX];
  size_t count = s->program->thread_count;
  fate result = GOOD;
  for (uint32_t i = 0; i < count; i++)
    names_of[i] = i;
  do {
    /* Names change with the order of threads, so verdicts are compared for one such order only. */
    names expected = {NULL, 0};
    for (size_t i = 0; result == GOOD && i < sizeof manners / sizeof manners[0]; i++) {
      result = one_way(s, names_of, &manners[i], order, &expected, t, r);
      if (result == LARGE && manners[i].algorithm == UNF_DFS) result = GOOD;
      if (result == FAILED)
        printf("order %d, manner %zu, the first thread is child %" PRIu32 "\n", (int)order, i,
               names_of[0]);
    }
    free(expected.data);
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
  subject s;
  subject_open(&s, p);
  fate result = subject_search(&s);
  for (int order = UNF_CUTOFFS_SIZE; result == GOOD && order <= UNF_CUTOFFS_ERV; order++)
    result = every_way(&s, (unf_cutoff_order)order, t, &r);
  t->programs += result == GOOD;
  t->large += result == LARGE;
  t->racy += result == RACY;
  t->failed += result == FAILED;
  if (result == FAILED)
    printf("FAILED: seed %" PRIu64 ", %zu states: %s\n%s\n", seed, s.states.count, r.text, source);
  subject_close(&s);
  program_free(p);
}

static void check_random(uint64_t seed, bool show, tally *t) {
  random_source random = {seed};
  cyclic c = {.inputs = false};
  cyclic_generate(&c, &random);
  if (show) puts(c.data);
  check_program(c.data, seed, t);
}

int main(int argc, char **argv) {
  uint64_t programs = 20, only = 0;
  tally t = {0};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--programs") == 0) programs = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--only") == 0) only = strtoull(argv[i + 1], NULL, 10);
  }
  if (only != 0) check_random(only, true, &t);
  for (size_t i = 0; only == 0 && cyclic_kept[i] != NULL; i++)
    check_program(cyclic_kept[i], 0, &t);
  if (only == 0)
    for (uint64_t i = 1; t.programs < programs && t.failed < 3 && i < 20 * programs; i++)
      check_random(i, false, &t);
  printf("%" PRIu64 " programs passed, %" PRIu64 " too large, %" PRIu64 " left out, %" PRIu64
         " failed; %" PRIu64 " explorations, %" PRIu64 " executions, %" PRIu64
         " kept events, %" PRIu64 " cutoffs; gone on with %" PRIu64 " times\n",
         t.programs, t.large, t.racy, t.failed, t.runs, t.executions, t.kept, t.cutoffs, t.written);
  return t.failed == 0 && (only != 0 || t.written > 0) && (only != 0 || t.programs == programs) ? 0
                                                                                                : 1;
}
