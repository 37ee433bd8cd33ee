/*
 * Random programs with data races. Each is explored, with the oracle's machine as the program, and
 * for every execution the pairs of lines that race are worked out from the definition: the order of
 * causality is the closure of the dependence of its actions. Compared with it are
 *
 * - a detector made for that execution alone: the same pairs, each where two accesses race;
 * - detectors that go along, whose front-end starts over or resumes where it may: the same pairs,
 *   each with the number of executions that have it;
 * - one that watches some of the executions: the pairs of those;
 * - the oracle's walk over all configurations: it meets a race exactly where there is a pair.
 *
 * What threads do does not depend on shared cells, as the language page asks of racy programs.
 *
 *   race_programs [--programs N] [--only SEED]
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "sketch.h"

enum {
  LINES = 80,
  ACTIONS = 120,
  ACCESSES = 400,
  TEXT = 4000,
  MOST_EXECUTIONS = 1500,
  MOST_CONFIGURATIONS = 4000
};

/* ---- programs ---- */

typedef struct writer {
  random_source *random;
  char text[TEXT];
  size_t size;
  unsigned threads, thread, registers, budget;
  bool alone; /* thread 0 is main and starts the others */
} writer;

static void line(writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  w->size += (size_t)vsnprintf(w->text + w->size, TEXT - w->size, format, arguments);
  va_end(arguments);
  w->text[w->size++] = '\n';
  w->text[w->size] = '\0';
}

static void statements(writer *w, unsigned depth, unsigned most);

static void access_cell(writer *w) {
  unsigned cell = random_below(w->random, 3);
  switch (random_below(w->random, 3)) {
  case 0:
    line(w, "s[%u] = %u;", cell, random_below(w->random, 3));
    break;
  case 1:
    line(w, "int r%u = s[%u];", w->registers++, cell);
    break;
  default:
    line(w, "s[%u] = s[%u] %%\n2;", cell, random_below(w->random, 3));
  }
}

static void section(writer *w, unsigned depth, const char *take, const char *give) {
  line(w, "%s", take);
  statements(w, depth + 1, 3);
  line(w, "%s", give);
}

static void attempt(writer *w, unsigned depth) {
  unsigned r = w->registers++;
  line(w, "int r%u = trylock(m[0]); if (r%u) {", r, r);
  statements(w, depth + 1, 2);
  line(w, "unlock(m[0]); } else {");
  statements(w, depth + 1, 2);
  line(w, "}");
}

static void join(writer *w) {
  unsigned other = random_below(w->random, w->threads);
  if (w->alone && other == 0)
    line(w, "join(main);");
  else
    line(w, "join(t%u);", other);
}

static void repeat(writer *w, unsigned depth) {
  unsigned r = w->registers++;
  line(w, "int r%u; while (r%u < 2) { r%u = r%u + 1;", r, r, r, r);
  statements(w, depth + 1, 3);
  line(w, "}");
}

static void statement(writer *w, unsigned depth) {
  unsigned kind = random_below(w->random, depth < 2 ? 100 : 62);
  if (kind < 47)
    access_cell(w);
  else if (kind < 51)
    line(w, "post(e);");
  else if (kind < 53)
    line(w, "sem_wait(e);");
  else if (kind < 55)
    line(w, random_chance(w->random, 50) ? "futex_wait(f, 0);" : "futex_wake(f, %u);",
         1 + random_below(w->random, 2));
  else if (kind < 58)
    join(w);
  else if (kind < 62)
    line(w, "%s(c);", random_chance(w->random, 50) ? "signal" : "broadcast");
  else if (kind < 76)
    section(w, depth, "lock(m[0]);", "unlock(m[0]);");
  else if (kind < 82)
    section(w, depth, "lock(m[1]);", "unlock(m[1]);");
  else if (kind < 85)
    repeat(w, depth);
  else if (kind < 89)
    attempt(w, depth);
  else if (kind < 93)
    section(w, depth, "rdlock(k);", "unlock(k);");
  else if (kind < 97)
    section(w, depth, "wrlock(k);", "unlock(k);");
  else
    section(w, depth, "lock(m[1]); wait(c, m[1]);", "unlock(m[1]);");
}

static void statements(writer *w, unsigned depth, unsigned most) {
  for (unsigned i = 1 + random_below(w->random, most); i > 0 && w->budget > 0; i--) {
    w->budget--;
    statement(w, depth);
  }
}

static void generate(writer *w) {
  w->size = w->registers = 0;
  w->threads = random_chance(w->random, 40) ? 2 : 3;
  w->alone = random_chance(w->random, 50);
  line(w, "shared int s[3]; mutex m[2]; rwlock k; semaphore e = %u; cond c; atomic int f;",
       random_below(w->random, 2));
  for (w->thread = 0; w->thread < w->threads; w->thread++) {
    bool starts = w->alone && w->thread == 0;
    w->budget = w->threads == 2 ? 18 : 10;
    line(w, starts ? "thread main {" : "thread t%u {", w->thread);
    for (unsigned t = 1; t < w->threads && starts; t++)
      line(w, "spawn(t%u);", t);
    statements(w, 0, 8);
    line(w, "}");
  }
}

/* ---- one execution ---- */

typedef struct made {
  uint32_t thread, cell, line, steps;
  bool write;
} made;

typedef bool pairs[LINES][LINES];

typedef struct execution {
  action actions[ACTIONS];
  unf_event events[ACTIONS];
  bool causes[ACTIONS][ACTIONS]; /* [i][j]: i is j or before it */
  uint32_t steps, count;
  made accesses[ACCESSES];
  pairs racing;
} execution;

static void note(void *user, uint32_t thread, uint32_t cell, bool write, uint32_t at) {
  execution *x = user;
  made access = {thread, cell, at, x->steps, write};
  if (x->count < ACCESSES && at < LINES) x->accesses[x->count++] = access;
}

static void close_causes(execution *x) {
  memset(x->causes, 0, sizeof x->causes);
  for (uint32_t j = 0; j < x->steps; j++) {
    x->causes[j][j] = true;
    for (uint32_t i = j; i-- > 0;) {
      for (uint32_t k = i + 1; k <= j && !x->causes[i][j]; k++) {
        x->causes[i][j] = x->causes[k][j] && actions_dependent(&x->actions[i], &x->actions[k]);
      }
    }
  }
}

/* The last step before an access that is of its thread, or starts it; ORACLE_NONE: none. */
static uint32_t step_before(const execution *x, const made *access) {
  for (uint32_t i = access->steps; i-- > 0;) {
    const action *a = &x->actions[i];
    if (a->thread == access->thread || (a->kind == ACTION_SPAWN && a->target == access->thread)) {
      return i;
    }
  }
  return ORACLE_NONE;
}

static bool comes_before(const execution *x, const made *a, const made *b) {
  uint32_t f = step_before(x, b);
  for (uint32_t n = a->steps; f != ORACLE_NONE && n <= f; n++) {
    const action *end = &x->actions[n];
    bool ends = end->thread == a->thread || (end->kind == ACTION_JOIN && end->target == a->thread);
    if (ends && x->causes[n][f]) return true;
  }
  return false;
}

static void find_races(execution *x) {
  memset(x->racing, 0, sizeof x->racing);
  close_causes(x);
  for (uint32_t i = 0; i < x->count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const made *a = &x->accesses[j], *b = &x->accesses[i];
      bool conflict = a->thread != b->thread && a->cell == b->cell && (a->write || b->write);
      if (conflict && !comes_before(x, a, b)) {
        x->racing[a->line][b->line] = x->racing[b->line][a->line] = true;
      }
    }
  }
}

/* ---- the detector ---- */

/* Reports an execution from a step on. */
static unf_status report_accesses(unf_races *races, const bridge *b, const execution *x,
                                  uint64_t from) {
  uint32_t step = (uint32_t)from, i = 0;
  unf_status status = UNF_OK;
  while (i < x->count && from > 0 && x->accesses[i].steps <= from) {
    i++;
  }
  for (; status == UNF_OK && (i < x->count || step < x->steps);) {
    if (i < x->count && x->accesses[i].steps <= step) {
      const made *m = &x->accesses[i++];
      unf_access access = {b->threads[m->thread], m->write, 4096 + 4 * (uint64_t)m->cell, 4,
                           m->line};
      status = unf_races_access(races, &access);
    } else {
      status = unf_races_step(races, x->events[step++]);
    }
  }
  return status;
}

/* The pairs that a detector has, with its counts if they are wanted. */
static void count_races(const unf_races *races, uint64_t counts[LINES][LINES]) {
  unf_races_counts all;
  unf_race race;
  memset(counts, 0, LINES * sizeof counts[0]);
  unf_races_counts_get(races, &all);
  for (uint64_t i = 0; i < all.races && unf_races_get(races, i, &race) == UNF_OK; i++) {
    uint64_t a = race.first.place, b = race.second.place;
    counts[a][b] = counts[b][a] = race.count;
  }
}

static bool same_pairs(uint64_t (*seen)[LINES], uint64_t (*expected)[LINES], bool counted,
                       const char *what, report *r) {
  for (unsigned a = 0; a < LINES; a++) {
    for (unsigned b = 0; b <= a; b++) {
      bool good = counted ? seen[a][b] == expected[a][b] : !seen[a][b] == !expected[a][b];
      if (!good) {
        return report_fail(r, "%s: lines %u and %u: %" PRIu64 ", expected %" PRIu64, what, b, a,
                           seen[a][b], expected[a][b]);
      }
    }
  }
  return true;
}

static void add(uint64_t (*sum)[LINES], pairs racing) {
  for (unsigned a = 0; a < LINES; a++) {
    for (unsigned b = 0; b < LINES; b++) {
      sum[a][b] += racing[a][b];
    }
  }
}

/* ---- explorations ---- */

enum { STARTS_OVER, RESUMES, SAMPLES, DETECTORS };

typedef struct search {
  bridge b;
  machine m;
  random_source *random;
  report *report;
  unf_explorer *explorer;
  unf_races *races[DETECTORS];
  execution x;
  int64_t *state;
  uint64_t sum[LINES][LINES], sampled[LINES][LINES], seen[LINES][LINES];
  uint64_t executions, racy;
} search;

static bool offer_all(search *s) {
  for (uint32_t t = 0; t < s->b.program->thread_count; t++) {
    uint32_t thread = s->b.thread_at[t];
    operation o = machine_next(&s->m, s->state, thread);
    if (o.kind == OPERATION_WAITING) continue;
    unf_operation op = bridge_operation(&s->b, &o);
    unf_status status = unf_explorer_offer(s->explorer, s->b.threads[thread], &op);
    if (status != UNF_OK) return bridge_fail(&s->b, s->report, "unf_explorer_offer", status);
  }
  return true;
}

static bool execute(search *s) {
  unf_step step;
  s->x.steps = s->x.count = 0;
  machine_start(&s->m, s->state);
  for (;;) {
    if (!offer_all(s)) return false;
    unf_status status = unf_explorer_step(s->explorer, &step);
    if (status != UNF_OK) return bridge_fail(&s->b, s->report, "unf_explorer_step", status);
    if (step.kind != UNF_STEP_ACTION) break;
    action *a = &s->x.actions[s->x.steps];
    if (s->x.steps + 1 >= ACTIONS || !bridge_read(&s->b, &step.action, a)) {
      return report_fail(s->report, "an unknown or too distant action");
    }
    status = unf_explorer_commit(s->explorer, NULL, 0);
    if (status != UNF_OK) return bridge_fail(&s->b, s->report, "unf_explorer_commit", status);
    s->x.events[s->x.steps++] = unf_explorer_last(s->explorer);
    if (!machine_perform(&s->m, s->state, a)) return report_fail(s->report, "%s", s->m.text);
  }
  unf_status status = unf_explorer_finish(s->explorer, false, NULL);
  return status == UNF_OK || bridge_fail(&s->b, s->report, "unf_explorer_finish", status);
}

static unf_event event_before(const execution *x, const made *access) {
  const uint32_t step = step_before(x, access);
  return step != ORACLE_NONE ? x->events[step] : UNF_EVENT_BOTTOM;
}

/* Whether two accesses of the execution race, by the definition, that are those of a race found:
 * made by these threads at these lines, behind these events. */
static bool is_there(const search *s, const unf_race *race, unf_event first, unf_event second) {
  const execution *x = &s->x;
  for (uint32_t i = 0; i < x->count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const made *a = &x->accesses[j], *b = &x->accesses[i];
      if (a->cell == b->cell && (a->write || b->write) && a->thread != b->thread &&
          s->b.threads[a->thread] == race->first.thread && a->line == race->first.place &&
          s->b.threads[b->thread] == race->second.thread && b->line == race->second.place &&
          event_before(x, a) == first && event_before(x, b) == second && !comes_before(x, a, b))
        return true;
    }
  }
  return false;
}

/* The same wherever the accesses are. */
static bool is_in_execution(const search *s, const unf_race *race) {
  const execution *x = &s->x;
  for (uint32_t i = 0; i < x->count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const made *a = &x->accesses[j], *b = &x->accesses[i];
      if (a->cell == b->cell && s->b.threads[a->thread] == race->first.thread &&
          s->b.threads[b->thread] == race->second.thread && a->line == race->first.place &&
          b->line == race->second.place && a->write == race->first.write &&
          b->write == race->second.write && (a->write || b->write) && !comes_before(x, a, b))
        return true;
    }
  }
  return false;
}

/* The races of this execution are those of the definition, with accesses of this execution. */
static bool compare_here(search *s, const unf_races *races, const char *what) {
  uint64_t here[LINES][LINES] = {{0}}, expected[LINES][LINES] = {{0}}, index;
  unf_race race, found;
  for (uint64_t i = 0; i < unf_races_here_count(races); i++) {
    if (unf_races_here(races, i, &index, &race) != UNF_OK ||
        unf_races_get(races, index, &found) != UNF_OK || found.count != race.count)
      return report_fail(s->report, "%s: a race of this execution is none", what);
    const uint64_t a = race.first.place, b = race.second.place;
    here[a][b] = ++here[b][a];
    if (!is_in_execution(s, &race))
      return report_fail(s->report, "%s: lines %u and %u do not race here as is told", what,
                         (unsigned)a, (unsigned)b);
  }
  add(expected, s->x.racing);
  return same_pairs(here, expected, true, what, s->report);
}

static bool compare_places(const search *s, const unf_races *races) {
  unf_races_counts all;
  unf_race race;
  unf_event first, second;
  unf_races_counts_get(races, &all);
  for (uint64_t i = 0; i < all.races && unf_races_get(races, i, &race) == UNF_OK; i++) {
    if (unf_races_after(races, i, &first, &second) != UNF_OK ||
        !is_there(s, &race, first, second)) {
      return report_fail(s->report, "lines %u and %u do not race after %u and %u",
                         (unsigned)race.first.place, (unsigned)race.second.place, first, second);
    }
  }
  return true;
}

static bool is_of(const search *s, unf_event at, unf_thread thread) {
  unf_action a;
  if (at == UNF_EVENT_NONE || at == UNF_EVENT_BOTTOM) return true;
  return unf_event_action(s->b.unfolding, at, &a) == UNF_OK &&
         (a.thread == thread || (a.kind == UNF_DID_CREATE && a.target == thread));
}

/* After many executions, when events have been freed and have other numbers. */
static bool compare_events(const search *s, const unf_races *races) {
  unf_races_counts all;
  unf_race race;
  unf_event first, second;
  unf_races_counts_get(races, &all);
  for (uint64_t i = 0; i < all.races && unf_races_get(races, i, &race) == UNF_OK; i++) {
    if (unf_races_after(races, i, &first, &second) != UNF_OK ||
        !is_of(s, first, race.first.thread) || !is_of(s, second, race.second.thread))
      return report_fail(s->report, "events of a race are of other threads");
  }
  return true;
}

static bool compare_alone(search *s) {
  uint64_t expected[LINES][LINES] = {{0}}, resumed = 0;
  unf_races *races;
  bool watched;
  unf_status status = unf_races_new(s->b.unfolding, NULL, &races);
  if (status == UNF_OK) status = unf_races_begin(races, 0, &resumed, &watched);
  if (status == UNF_OK) status = report_accesses(races, &s->b, &s->x, 0);
  if (status != UNF_OK) return bridge_fail(&s->b, s->report, "a detector", status);
  count_races(races, s->seen);
  const bool placed = compare_places(s, races);
  unf_races_free(races);
  add(expected, s->x.racing);
  return placed && same_pairs(s->seen, expected, true, "one execution", s->report);
}

static bool go_along(search *s, uint64_t shared) {
  for (int i = 0; i < DETECTORS; i++) {
    uint64_t resumed = i == STARTS_OVER ? 0 : random_below(s->random, (unsigned)shared + 1);
    bool watched;
    unf_status status = unf_races_begin(s->races[i], shared, &resumed, &watched);
    if (status == UNF_OK && watched) status = report_accesses(s->races[i], &s->b, &s->x, resumed);
    if (status != UNF_OK)
      return bridge_fail(&s->b, s->report, "a detector that goes along", status);
    if (i == SAMPLES && watched) add(s->sampled, s->x.racing);
    if (watched && !compare_here(s, s->races[i], "here")) return false;
    if (!watched && unf_races_here_count(s->races[i]) != 0)
      return report_fail(s->report, "an execution that is not watched has races");
  }
  return true;
}

static bool explore(search *s) {
  for (;; s->executions++) {
    unf_run run;
    unf_status status = unf_explorer_next(s->explorer, &run);
    if (status != UNF_OK) return bridge_fail(&s->b, s->report, "unf_explorer_next", status);
    if (run.finished || s->executions == MOST_EXECUTIONS) break;
    if (!execute(s)) return false;
    find_races(&s->x);
    add(s->sum, s->x.racing);
    if (!compare_alone(s) || !go_along(s, run.shared)) return false;
  }
  for (int i = 0; i < DETECTORS; i++) {
    static const char *const names[] = {"starting over", "resuming", "a share"};
    count_races(s->races[i], s->seen);
    if (!compare_events(s, s->races[i])) return false;
    if (!same_pairs(s->seen, i == SAMPLES ? s->sampled : s->sum, true, names[i], s->report)) {
      return false;
    }
  }
  return true;
}

static bool compare_oracle(search *s, bool *racy) {
  lattice *l = lattice_walk(s->b.program, MOST_CONFIGURATIONS);
  bool found = false;
  for (unsigned a = 0; a < LINES; a++) {
    for (unsigned b = 0; b < LINES; b++) {
      found = found || s->sum[a][b] > 0;
    }
  }
  bool decided =
      l->status == LATTICE_RACE || (l->status == LATTICE_WHOLE && s->executions < MOST_EXECUTIONS);
  bool good = !decided || found == (l->status == LATTICE_RACE) ||
              (!found && s->executions == MOST_EXECUTIONS);
  lattice_free(l);
  *racy = found;
  return good || report_fail(s->report, "the oracle %s a race", found ? "has not" : "has");
}

static bool open_search(search *s, const program *p) {
  uint32_t order[SKETCH_THREADS_MAX] = {0, 1, 2, 3, 4};
  unf_races_options options = UNF_RACES_OPTIONS_INIT;
  unf_explorer_options exploring = UNF_EXPLORER_OPTIONS_INIT;
  /* In every other program events are freed, and the detectors get the new handles. */
  if (random_chance(s->random, 50)) exploring.collect = 1 + random_below(s->random, 8);
  exploring.collect_percent = 0;
  bool good = bridge_open(&s->b, p, NULL, order, 8, s->report) &&
              unf_explorer_new(s->b.unfolding, &exploring, &s->explorer) == UNF_OK;
  for (int i = 0; i < DETECTORS && good; i++) {
    options.every = i == SAMPLES ? 3 : 1;
    options.seed = i == SAMPLES ? random_below(s->random, 2) * 5 : 0;
    good = unf_races_new(s->b.unfolding, &options, &s->races[i]) == UNF_OK;
  }
  machine_init(&s->m, p);
  s->m.noted = note;
  s->m.noted_user = &s->x;
  s->state = oracle_allocate(s->m.words * sizeof *s->state);
  return good;
}

static bool check_program(const char *text, random_source *random, bool *racy, uint64_t *executions,
                          report *r) {
  program_options options = {.bound = -1};
  program *p = program_read(text, &options, r->text);
  if (p == NULL) return false;
  search *s = oracle_allocate(sizeof *s);
  s->random = random;
  s->report = r;
  bool good = open_search(s, p) && explore(s) && compare_oracle(s, racy);
  *executions += s->executions;
  for (int i = 0; i < DETECTORS; i++) {
    unf_races_free(s->races[i]);
  }
  unf_explorer_free(s->explorer);
  bridge_close(&s->b);
  free(s->state);
  free(s);
  program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 2500, only = 0, racy = 0, executions = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t number = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = number;
    if (strcmp(argv[i], "--only") == 0) only = number;
  }
  for (uint64_t seed = only > 0 ? only : 1; seed <= (only > 0 ? only : programs); seed++) {
    random_source random = {seed * 0x9E3779B97F4A7C15u};
    writer w = {.random = &random};
    report r = {{0}};
    bool has = false;
    generate(&w);
    if (!check_program(w.text, &random, &has, &executions, &r)) {
      printf("seed %" PRIu64 ": %s\n%s", seed, r.text, w.text);
      return 1;
    }
    racy += has;
  }
  printf("%" PRIu64 " programs, %" PRIu64 " with a race, %" PRIu64 " executions\n",
         only > 0 ? 1 : programs, racy, executions);
  return only == 0 && (racy * 10 < programs * 3 || racy * 10 > programs * 9);
}
