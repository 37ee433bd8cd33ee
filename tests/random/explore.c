/*
 * Explorations against the lattice. The program under test is the lattice itself: at each
 * configuration it says what every thread does next and where an action leads, so that an execution
 * costs a few look-ups. What must hold:
 * - a run never leaves the lattice, its end is maximal when the explorer says so, and its verdict
 * is that of the oracle;
 * - the runs that count reach every maximal configuration exactly once;
 * - optimal: no redundant run; dfs: as many executions as there are interleavings; drawn: as many
 * as were asked for, each of which is one of the lattice;
 * - the shared prefix that is announced is shared; a handle always stands for the same event.
 */
#include "compare.h"
#include "inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct exploration {
  bridge *bridge;
  const lattice *lattice;
  const manner *manner;
  random_source *random;
  report *report;
  unf_explorer *explorer;
  uint32_t *at;     /* configurations of the run: at[0] is the empty one */
  uint32_t *events; /* of the run: events[i] leads from at[i] to at[i + 1] */
  uint32_t *last;   /* events of the run before */
  uint32_t steps, last_steps, longest;
  bool comparable; /* the run before was finished: what is announced as shared is of it */
  bool *reached;   /* maximal configurations */
  uint64_t collections;
  uint64_t runs, traces;
  unf_counts made; /* what the runs that count came to */
} exploration;

/* Executions, where they are drawn. */
#define DRAWN 4u

static bool fail_call(exploration *x, const char *call, unf_status status) {
  return bridge_fail(x->bridge, x->report, call, status);
}

static uint32_t here(const exploration *x) {
  return x->at[x->steps];
}

/* Takes a step of the lattice; false with a report if there is none. */
static bool move(exploration *x, const unf_action *a) {
  action own;
  const edge *e = bridge_read(x->bridge, a, &own) ? lattice_step(x->lattice, here(x), &own) : NULL;
  if (e == NULL) {
    char text[96];
    unf_action_text(x->bridge->unfolding, a, text, sizeof text);
    return report_fail(x->report, "step %" PRIu32 ": %s is not possible there", x->steps + 1, text);
  }
  x->events[x->steps] = e->event;
  x->at[++x->steps] = e->to;
  return true;
}

static bool offer(exploration *x, uint32_t thread) {
  operation o = lattice_next(x->lattice, here(x), thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(x->bridge, &o);
  unf_status s = unf_explorer_offer(x->explorer, x->bridge->threads[thread], &op);
  return s == UNF_OK || fail_call(x, "unf_explorer_offer", s);
}

static bool offer_all(exploration *x) {
  bool good = true;
  for (uint32_t t = 0; t < x->bridge->program->thread_count && good; t++) {
    good = offer(x, x->bridge->thread_at[t]);
  }
  return good;
}

static bool same_outcome(const exploration *x, const unf_verdict *v) {
  const outcome *o = &x->lattice->configurations[here(x)].outcome;
  uint32_t blocked = 0;
  for (uint32_t t = 0; t < x->bridge->program->thread_count; t++) {
    operation_kind kind = lattice_next(x->lattice, here(x), t).kind;
    if (kind > OPERATION_STOPPED) blocked++;
  }
  return v->complete == o->complete && v->deadlock == o->deadlock && v->error == o->error &&
         v->blocked == blocked;
}

/* Whether executions are drawn, each of which counts. */
static bool draws(const exploration *x) {
  return x->manner->algorithm == UNF_RANDOM || x->manner->algorithm == UNF_PCT;
}

/* The verdict of a run that counts, and that it is new. */
static bool account(exploration *x, const unf_verdict *v, bool maximal) {
  x->runs++;
  if (v->redundant) {
    if (v->complete || v->deadlock || v->error) {
      return report_fail(x->report, "a redundant run has an outcome");
    }
    return true;
  }
  if (!maximal) return report_fail(x->report, "a run that was cut short counts as a trace");
  if (!same_outcome(x, v)) return report_fail(x->report, "another verdict than the oracle's");
  bool again = x->reached[here(x)];
  if (again && !draws(x)) return report_fail(x->report, "a maximal configuration came twice");
  x->reached[here(x)] = true;
  x->traces += !again;
  x->made.complete += v->complete;
  x->made.blocked += !v->complete;
  x->made.deadlocks += v->deadlock;
  x->made.errors += v->error;
  return true;
}

typedef struct path_check {
  exploration *exploration;
  uint32_t position;
  bool good;
} path_check;

static bool visit_path(void *user, unf_event handle) {
  path_check *c = user;
  exploration *x = c->exploration;
  c->good =
      c->good && c->position < x->steps && bridge_match(x->bridge, x->events[c->position], handle);
  c->position++;
  return c->good;
}

/* The handles on the path are those of the events of the run, in order. */
static bool check_path(exploration *x, bool whole) {
  path_check c = {x, 0, true};
  unf_explorer_path(x->explorer, visit_path, &c);
  if (c.good && (!whole || c.position == x->steps)) return true;
  return report_fail(x->report, "the path differs from the steps made at position %" PRIu32,
                     c.position);
}

/* The step form: from RUNNING to ENDED. */
static bool run_steps(exploration *x, bool *maximal, bool *dropped) {
  for (;;) {
    unf_step step;
    unf_status s = unf_explorer_step(x->explorer, &step);
    if (s != UNF_OK) return fail_call(x, "unf_explorer_step", s);
    if (step.kind != UNF_STEP_ACTION) {
      *maximal = step.kind == UNF_STEP_MAXIMAL;
      return true;
    }
    if (step.number != x->steps + 1u) return report_fail(x->report, "a wrong step number");
    if (!move(x, &step.action)) return false;
    if (x->manner->resume && random_chance(x->random, 1)) {
      unf_explorer_abandon(x->explorer);
      *dropped = true;
      return true;
    }
    s = unf_explorer_commit(x->explorer, random_chance(x->random, 50) ? &step.action : NULL, 0);
    if (s != UNF_OK) return fail_call(x, "unf_explorer_commit", s);
    const action *a = &x->lattice->events[x->events[x->steps - 1]].action;
    if (!offer(x, a->thread)) return false;
    if (a->kind == ACTION_SPAWN && !offer(x, a->target)) return false;
  }
}

static bool check_run(exploration *x, const unf_run *run) {
  if (run->decided < run->shared) return report_fail(x->report, "fewer steps decided than shared");
  if (x->comparable && run->shared > x->last_steps) {
    return report_fail(x->report, "more steps shared than the last run had");
  }
  return true;
}

static bool one_run(exploration *x, const unf_run *run) {
  bool maximal = false, dropped = false;
  unf_verdict verdict;
  uint32_t resumed = 0;
  x->steps = 0;
  if (!check_run(x, run)) return false;
  if (x->manner->resume && x->comparable && run->shared > 0) {
    resumed = random_below(x->random, (unsigned)run->shared + 1);
    unf_status s = unf_explorer_resume(x->explorer, resumed);
    if (s != UNF_OK) return fail_call(x, "unf_explorer_resume", s);
    for (; x->steps < resumed; x->steps++) {
      x->events[x->steps] = x->last[x->steps];
      action a = x->lattice->events[x->events[x->steps]].action;
      x->at[x->steps + 1] = lattice_step(x->lattice, here(x), &a)->to;
    }
  }
  if (resumed == 0 && !offer_all(x)) return false;
  if (!run_steps(x, &maximal, &dropped)) return false;
  x->comparable = !dropped;
  if (dropped) return true;
  for (uint32_t i = 0; i < run->shared && x->comparable && x->runs > 0 && i < x->steps; i++) {
    if (x->events[i] != x->last[i]) return report_fail(x->report, "a shared step is another");
  }
  if (maximal != x->lattice->configurations[here(x)].maximal) {
    return report_fail(x->report, "a run ends as %s where the oracle says otherwise",
                       maximal ? "maximal" : "redundant");
  }
  unf_status s = unf_explorer_finish(x->explorer, false, &verdict);
  if (s != UNF_OK) return fail_call(x, "unf_explorer_finish", s);
  return account(x, &verdict, maximal) && check_path(x, true);
}

/* ---- the push form ---- */

static bool visit_prefix(void *user, const unf_action *a) {
  exploration *x = user;
  return move(x, a);
}

/* Goes on at random to the end. */
static void run_freely(exploration *x) {
  const configuration *c = &x->lattice->configurations[here(x)];
  while (!c->maximal) {
    const edge *e = &x->lattice->edges[c->first_edge + random_below(x->random, c->edge_count)];
    x->events[x->steps] = e->event;
    x->at[++x->steps] = e->to;
    c = &x->lattice->configurations[here(x)];
  }
}

static bool feed(exploration *x) {
  uint32_t threads = (uint32_t)x->bridge->program->thread_count, started = 0;
  unf_traced *trace = oracle_allocate(x->steps * sizeof *trace);
  unf_pending *pending = oracle_allocate(threads * sizeof *pending);
  for (uint32_t i = 0; i < x->steps; i++) {
    const action *a = &x->lattice->events[x->events[i]].action;
    operation o = lattice_next(x->lattice, x->at[i], a->thread);
    trace[i].action = bridge_action(x->bridge, a);
    trace[i].operation = bridge_operation(x->bridge, &o);
    trace[i].cookie = 1 + x->events[i];
  }
  for (uint32_t t = 0; t < threads; t++) {
    operation o = lattice_next(x->lattice, here(x), t);
    if (o.kind == OPERATION_WAITING) continue;
    pending[started].thread = x->bridge->threads[t];
    pending[started++].operation = bridge_operation(x->bridge, &o);
  }
  unf_verdict verdict;
  unf_status s = unf_explorer_feed(x->explorer, trace, x->steps, pending, started, false, &verdict);
  free(trace);
  free(pending);
  if (s != UNF_OK) return fail_call(x, "unf_explorer_feed", s);
  return account(x, &verdict, true) && check_path(x, !verdict.redundant);
}

/* Events have other handles after some were freed. */
static void look_for_collections(exploration *x) {
  unf_counts c;
  unf_explorer_counts(x->explorer, &c);
  if (c.collections > x->collections) bridge_renumbered(x->bridge);
  x->collections = c.collections;
}

static bool next_run(exploration *x, bool *finished) {
  unf_run run;
  unf_status s;
  x->steps = 0;
  x->report->text[0] = '\0';
  if (x->manner->push) {
    s = unf_explorer_prefix(x->explorer, visit_prefix, x, &run);
  } else {
    s = unf_explorer_next(x->explorer, &run);
  }
  if (s != UNF_OK) return fail_call(x, "unf_explorer_next", s);
  if (x->report->text[0] != '\0') return false;
  look_for_collections(x);
  *finished = run.finished;
  if (run.finished) return true;
  if (x->manner->push) {
    if (x->steps != run.decided) return report_fail(x->report, "a prefix of another length");
    run_freely(x);
    if (!feed(x)) return false;
  } else if (!one_run(x, &run)) {
    return false;
  }
  memcpy(x->last, x->events, x->steps * sizeof *x->last);
  x->last_steps = x->steps;
  return true;
}

/* ---- totals ---- */

static bool same(exploration *x, uint64_t seen, uint64_t expected, const char *what) {
  if (seen == expected) return true;
  return report_fail(x->report, "%s is %" PRIu64 ", expected %" PRIu64, what, seen, expected);
}

/* Of executions that are drawn: so many were asked for, and some are the same trace. */
static bool check_drawn(exploration *x) {
  unf_counts c;
  unf_explorer_counts(x->explorer, &c);
  return same(x, c.executions, DRAWN, "executions drawn") &&
         same(x, c.executions, x->runs, "executions") &&
         same(x, c.executions, c.traces + c.redundant, "traces + redundant") &&
         same(x, c.traces > x->traces, false, "more traces than there are") &&
         same(x, c.traces > 0, true, "some trace") &&
         same(x, c.complete, x->made.complete, "complete") &&
         same(x, c.blocked, x->made.blocked, "blocked") &&
         same(x, c.deadlocks, x->made.deadlocks, "deadlocks") &&
         same(x, c.errors, x->made.errors, "errors");
}

static bool check_totals(exploration *x) {
  const manner *m = x->manner;
  const lattice_counts *o = &x->lattice->counts;
  unf_counts c;
  unf_explorer_counts(x->explorer, &c);
  bool good =
      same(x, x->traces, o->maximal, "the number of maximal configurations reached") &&
      same(x, c.traces, o->maximal, "traces") && same(x, c.complete, o->complete, "complete") &&
      same(x, c.blocked, o->blocked, "blocked") &&
      same(x, c.deadlocks, o->deadlocks, "deadlocks") && same(x, c.errors, o->errors, "errors") &&
      (m->collect > 0 || same(x, c.events, o->events, "events")) &&
      same(x, c.truncated, 0, "truncated") && same(x, c.executions, x->runs, "executions") &&
      same(x, c.executions, c.traces + c.redundant, "traces + redundant");
  bool optimal = x->manner->algorithm == UNF_QPOR && x->manner->k == UNF_K_OPTIMAL;
  if (good && (optimal || m->algorithm == UNF_ODPOR || m->algorithm == UNF_EAGER)) {
    good = same(x, c.redundant, 0, "redundant in optimal mode");
  }
  if (good && x->manner->algorithm == UNF_DFS) {
    good = same(x, c.executions, x->lattice->configurations[0].paths, "executions of dfs");
  }
  unf_status s = good ? unf_check_explorer(x->explorer) : UNF_OK;
  return s == UNF_OK ? good : fail_call(x, "unf_check_explorer", s);
}

static bool explore_all(exploration *x) {
  uint64_t most = x->manner->algorithm == UNF_DFS
                      ? x->lattice->configurations[0].paths
                      : 1000 + 100 * (uint64_t)x->lattice->counts.maximal;
  bool finished = false;
  while (!finished) {
    if (x->runs > most) return report_fail(x->report, "the exploration does not end");
    if (!next_run(x, &finished)) return false;
  }
  return draws(x) ? check_drawn(x) : check_totals(x);
}

bool explore_compare(bridge *b, const manner *m, random_source *random, uint64_t *executions,
                     report *r) {
  const lattice *l = b->lattice;
  exploration x = {.bridge = b, .lattice = l, .manner = m, .random = random, .report = r};
  for (size_t i = 0; i < l->configuration_count; i++) {
    if (l->configurations[i].count > x.longest) x.longest = l->configurations[i].count;
  }
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.algorithm = m->algorithm;
  options.alternative.k = m->k;
  options.alternative.spikes = m->spikes;
  options.alternative.candidates = m->candidates;
  options.collect = m->collect;
  options.collect_percent = 0;
  options.runs = DRAWN;
  options.steps = x.longest + 1; /* nothing is measured */
  options.seed = m->algorithm == UNF_RANDOM || m->algorithm == UNF_PCT ? random_next(random) : 0;
  unf_status s = unf_explorer_new(b->unfolding, &options, &x.explorer);
  if (s != UNF_OK) return bridge_fail(b, r, "unf_explorer_new", s);
  if (m->later > 0) inside_extend_later(x.explorer, m->later);
  x.at = oracle_allocate((x.longest + 1u) * sizeof *x.at);
  x.events = oracle_allocate((x.longest + 1u) * sizeof *x.events);
  x.last = oracle_allocate((x.longest + 1u) * sizeof *x.last);
  x.reached = oracle_allocate(l->configuration_count * sizeof *x.reached);
  bool good = explore_all(&x);
  *executions += x.runs;
  unf_explorer_free(x.explorer);
  free(x.at);
  free(x.events);
  free(x.last);
  free(x.reached);
  return good;
}
