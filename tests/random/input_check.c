/*
 * Programs with inputs, explored with a solver that tries all values, against the oracle, in every
 * order of their threads:
 *
 * - the executions are the maximal configurations of the oracle, each once, and no run leaves them;
 * - optimal qpor, odpor and eager: no redundant run; dfs: as many runs as there are interleavings;
 * - the events performed are those of the oracle, and ex, en and cex of configurations on the way
 *   are those of the definition;
 * - events that are said to be known to be consistent are so;
 * - the validators find nothing wrong in configurations on the way and in the unfolding.
 *
 * In some of the explorations the inputs have fewer values than those that the program was walked
 * for, and the solver does not know now and then: then every execution comes all the same, and only
 * such executions count as infeasible as are none.
 */
#include "input_check.h"

#include "inside.h"
#include "permutation.h"
#include "sketch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 400u

static const struct manner {
  const char *name;
  unf_algorithm algorithm;
  uint32_t k;
  bool optimal;
} manners[] = {
    {"optimal", UNF_QPOR, UNF_K_OPTIMAL, true},
    {"k=1", UNF_QPOR, 1, false},
    {"k=2", UNF_QPOR, 2, false},
    {"k=3", UNF_QPOR, 3, false},
    {"sdpor", UNF_SDPOR, 0, false},
    {"odpor", UNF_ODPOR, 0, true},
    {"eager", UNF_EAGER, 0, true},
    {"dfs", UNF_DFS, 0, false},
};
_Static_assert(sizeof manners / sizeof manners[0] == INPUT_MANNERS, "a name for each");

const char *input_manner_name(size_t manner) {
  return manners[manner].name;
}

struct exploration {
  bridge bridge;
  const symbolic *symbolic;
  const lattice *lattice;
  const struct manner *manner;
  random_source *random;
  report *report;
  unf_explorer *explorer;
  uint64_t domain;    /* the values that the inputs have, a bit each */
  unsigned unknown;   /* per cent of the questions, of those that the domain answers with YES */
  unsigned unrefuted; /* and with NO */
  bool twice;         /* executions may come twice */
  bool cores;         /* the solver says what excludes each other */
  bool forgetting;    /* the library forgets what excludes each other */
  bool *reached;
  uint64_t runs, collections, repeated;
  uint32_t at, steps;
  unf_event handles[STEPS_MAX];
  uint32_t places[STEPS_MAX + 1];
};

/* ---- the solver ---- */

static uint64_t values_of(const struct exploration *x, unf_event asked) {
  unf_literal literal;
  unf_status s = unf_event_literal(x->bridge.unfolding, asked, &literal);
  if (s != UNF_OK || literal.term >= x->symbolic->point_count ||
      literal.outcome >= x->symbolic->points[literal.term].outcomes) {
    report_fail(x->report, "an event without a literal was asked about");
    return 0;
  }
  return x->symbolic->points[literal.term].values[literal.outcome];
}

/* Leaves events away, from the first on, as long as the others exclude each other. */
static void find_core(const struct exploration *x, const unf_event *events, uint64_t count,
                      unf_event *core, uint64_t *core_count) {
  memcpy(core, events, count * sizeof *core);
  for (uint64_t i = 0; i < count;) {
    uint64_t all = x->domain & (UINT64_MAX >> (64 - x->symbolic->valuations));
    for (uint64_t j = 0; j < count; j++) {
      if (j != i) all &= values_of(x, core[j]);
    }
    if (all != 0) {
      i++;
      continue;
    }
    memmove(core + i, core + i + 1, (count - i - 1) * sizeof *core);
    count--;
  }
  *core_count = count;
}

static unf_answer solve(void *user, const unf_event *events, uint64_t count, uint64_t known,
                        unf_event *core, uint64_t *core_count, uint64_t *witness) {
  struct exploration *x = user;
  uint64_t all = UINT64_MAX >> (64 - x->symbolic->valuations);
  for (uint64_t i = 0; i < count; i++) {
    if (i == known && x->unknown == 0 && (all & x->domain) == 0)
      report_fail(x->report, "events that are known to be consistent are not");
    for (uint64_t j = 0; j < i; j++)
      if (events[j] == events[i]) report_fail(x->report, "an event twice in a question");
    all &= values_of(x, events[i]);
  }
  if (x->forgetting) inside_forget_answers(x->bridge.unfolding);
  unsigned unknown = (all & x->domain) != 0 ? x->unknown : x->unrefuted;
  if (all != 0 && random_below(x->random, 100) < unknown) return UNF_ANSWER_UNKNOWN;
  all &= x->domain;
  if (all != 0) *witness = 1 + (uint64_t)__builtin_ctzll(all);
  if (all == 0 && x->cores) find_core(x, events, count, core, core_count);
  return all != 0 ? UNF_ANSWER_YES : UNF_ANSWER_NO;
}

static bool holds(void *user, uint64_t witness, unf_event asked) {
  return values_of(user, asked) >> (witness - 1) & 1;
}

/* ---- one run ---- */

static bool failed(const struct exploration *x, const char *call, unf_status status) {
  return bridge_fail(&x->bridge, x->report, call, status);
}

static bool offer(struct exploration *x, uint32_t thread) {
  operation o = lattice_next(x->lattice, x->at, thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(&x->bridge, &o);
  unf_status s = unf_explorer_offer(x->explorer, x->bridge.threads[thread], &op);
  return s == UNF_OK || failed(x, "unf_explorer_offer", s);
}

static bool perform(struct exploration *x, const unf_action *a) {
  action own;
  const edge *e = bridge_read(&x->bridge, a, &own) ? lattice_step(x->lattice, x->at, &own) : NULL;
  if (e == NULL) {
    char text[96];
    unf_action_text(x->bridge.unfolding, a, text, sizeof text);
    return report_fail(x->report, "step %" PRIu32 ": %s is not possible there", x->steps + 1, text);
  }
  unf_status s = unf_explorer_commit(x->explorer, NULL, 0);
  if (s != UNF_OK) return failed(x, "unf_explorer_commit", s);
  x->handles[x->steps] = unf_explorer_last(x->explorer);
  if (!bridge_match(&x->bridge, e->event, x->handles[x->steps]))
    return report_fail(x->report, "step %" PRIu32 ": another event", x->steps + 1);
  x->places[++x->steps] = x->at = e->to;
  return offer(x, own.thread) && (own.kind != ACTION_SPAWN || offer(x, own.target));
}

static bool is_consistent(const struct exploration *x, uint32_t place) {
  return (x->symbolic->of_configuration[place] & x->domain) != 0;
}

static bool same_outcome(const struct exploration *x, const unf_verdict *v) {
  const outcome *o = &x->lattice->configurations[x->at].outcome;
  return v->complete == o->complete && v->deadlock == o->deadlock && v->error == o->error;
}

static bool account(struct exploration *x, unf_step_kind end, const unf_verdict *v) {
  bool maximal = x->lattice->configurations[x->at].maximal;
  x->runs++;
  if (end != UNF_STEP_REDUNDANT && end != UNF_STEP_INFEASIBLE && !maximal)
    return report_fail(x->report, "a run ends where the oracle goes on");
  if ((v->undecided || v->infeasible) && x->unknown == 0)
    return report_fail(x->report, "undecided or infeasible, though the solver always knows");
  bool cut_short = x->manner->algorithm == UNF_EAGER && !maximal;
  if (v->infeasible && is_consistent(x, x->at) && !cut_short)
    return report_fail(x->report, "an execution counts as infeasible");
  if (v->redundant || v->infeasible) return true;
  if (!is_consistent(x, x->at))
    return v->undecided || report_fail(x->report, "an inconsistent execution");
  if (!same_outcome(x, v)) return report_fail(x->report, "another verdict than the oracle's");
  if (x->reached[x->at] && !x->twice) return report_fail(x->report, "an execution came twice");
  x->repeated += x->reached[x->at];
  x->reached[x->at] = true;
  return true;
}

/* ---- extensions ---- */

struct expected_events {
  struct exploration *x;
  uint8_t *seen; /* by event of the lattice: 1 expected, 2 seen */
  bool good;
};

static bool visit_extension(void *user, unf_event handle) {
  struct expected_events *in = user;
  bridge *b = &in->x->bridge;
  unf_action a;
  action own;
  unf_status s = unf_event_action(b->unfolding, handle, &a);
  in->good = in->good && s == UNF_OK && bridge_read(b, &a, &own);
  uint32_t found = bridge_event(b, handle);
  /* An event that was never performed is known by its action; several with one action have
   * different causes, any of which may be meant. */
  for (uint32_t e = 0; in->good && found == ORACLE_NONE && e < in->x->lattice->event_count; e++) {
    const action *o = &in->x->lattice->events[e].action;
    bool same = o->kind == own.kind && o->thread == own.thread && o->target == own.target &&
                o->second == own.second && o->value == own.value;
    if (same && in->seen[e] == 1 && b->handle_of[e] == UNF_EVENT_NONE) found = e;
  }
  if (found == ORACLE_NONE || in->seen[found] != 1) {
    char text[160];
    bridge_text(b, handle, text, sizeof text);
    in->good = false;
    return report_fail(in->x->report, "not an extension: %s", text);
  }
  in->seen[found] = 2;
  return true;
}

/* Compares what one function gives with the events that are marked. */
static bool compare_extensions(struct exploration *x, unf_configuration *c, uint8_t *marks,
                               unf_status (*list)(unf_configuration *, unf_event_visitor, void *),
                               const char *what) {
  struct expected_events in = {x, marks, true};
  unf_status s = list(c, visit_extension, &in);
  if (s != UNF_OK) return failed(x, what, s);
  for (uint32_t e = 0; in.good && e < x->lattice->event_count; e++) {
    char text[160];
    if (marks[e] != 1) continue;
    lattice_event_text(x->lattice, e, text, sizeof text);
    return report_fail(x->report, "%s at step %" PRIu32 " lacks %s", what, x->steps, text);
  }
  return in.good;
}

/* Events whose causes are all in a configuration, and which exist; en: with an edge there. */
static void mark_extensions(const struct exploration *x, uint32_t place, uint8_t *enabled,
                            uint8_t *others) {
  const lattice *l = x->lattice;
  const configuration *c = &l->configurations[place];
  uint8_t *inside = oracle_allocate(l->event_count);
  for (uint32_t i = 0; i < c->count; i++) {
    inside[c->events[i]] = 1;
  }
  for (uint32_t e = 0; e < l->event_count; e++) {
    const event *o = &l->events[e];
    others[e] = !inside[e] && (x->symbolic->of_event[e] & x->domain) != 0;
    for (uint32_t i = 0; i < o->cause_count; i++) {
      if (!inside[o->causes[i]]) others[e] = 0;
    }
  }
  for (uint32_t i = 0; i < c->edge_count; i++) {
    const edge *o = &l->edges[c->first_edge + i];
    if (!is_consistent(x, o->to)) continue;
    enabled[o->event] = 1;
    others[o->event] = 0;
  }
  free(inside);
}

/* What is checked without the oracle: there is nothing wrong. */
static bool check_validators(struct exploration *x, unf_configuration *c) {
  unf_status s = unf_check_configuration(c);
  if (s != UNF_OK) return failed(x, "unf_check_configuration", s);
  s = unf_check_independence(c);
  if (s != UNF_OK) return failed(x, "unf_check_independence", s);
  if (random_below(x->random, 20) > 0) return true;
  s = unf_check_unfolding(x->bridge.unfolding);
  return s == UNF_OK || failed(x, "unf_check_unfolding", s);
}

/* ex, en and cex at a node of the run at hand, which has ended. */
static bool check_extensions(struct exploration *x) {
  uint32_t length = random_below(x->random, x->steps + 1), place = x->places[length];
  uint32_t count = (uint32_t)x->lattice->event_count;
  unf_configuration *c;
  unf_answer answer;
  unf_status s = unf_configuration_new(x->bridge.unfolding, &c);
  for (uint32_t i = 0; s == UNF_OK && i < length; i++) {
    s = unf_configuration_extend(c, x->handles[i]);
  }
  if (s == UNF_OK) s = unf_configuration_consistent(c, &answer);
  if (s != UNF_OK) return failed(x, "a configuration", s);
  if (answer != UNF_ANSWER_YES) return report_fail(x->report, "a node that is not consistent");
  uint8_t *enabled = oracle_allocate(count), *others = oracle_allocate(count);
  mark_extensions(x, place, enabled, others);
  bool good = compare_extensions(x, c, enabled, unf_extensions_enabled, "en") &&
              compare_extensions(x, c, others, unf_extensions_conflicting, "cex");
  mark_extensions(x, place, enabled, others);
  for (uint32_t e = 0; e < count; e++) {
    others[e] = others[e] == 1 || enabled[e] == 1;
  }
  good = good && compare_extensions(x, c, others, unf_extensions_all, "ex");
  if (good) good = check_validators(x, c);
  free(enabled);
  free(others);
  unf_configuration_free(c);
  return good;
}

/* ---- an exploration ---- */

static void look_for_collections(struct exploration *x) {
  unf_counts c;
  unf_explorer_counts(x->explorer, &c);
  if (c.collections > x->collections) bridge_renumbered(&x->bridge);
  x->collections = c.collections;
}

static bool one_run(struct exploration *x, bool *finished) {
  unf_run run;
  unf_step step;
  unf_verdict verdict;
  unf_status s = unf_explorer_next(x->explorer, &run);
  if (s != UNF_OK) return failed(x, "unf_explorer_next", s);
  *finished = run.finished;
  if (run.finished) return true;
  look_for_collections(x);
  x->steps = 0;
  x->places[0] = x->at = lattice_find(x->lattice, NULL, 0);
  for (uint32_t t = 0; t < x->bridge.program->thread_count; t++) {
    if (!offer(x, t)) return false;
  }
  for (;;) {
    s = unf_explorer_step(x->explorer, &step);
    if (s != UNF_OK) return failed(x, "unf_explorer_step", s);
    if (step.kind != UNF_STEP_ACTION) break;
    if (x->steps == STEPS_MAX) return report_fail(x->report, "a run without end");
    if (!perform(x, &step.action)) return false;
    if (random_below(x->random, 200) == 0) {
      unf_explorer_abandon(x->explorer);
      return true;
    }
  }
  s = unf_explorer_finish(x->explorer, false, &verdict);
  if (s != UNF_OK) return failed(x, "unf_explorer_finish", s);
  if (!account(x, step.kind, &verdict)) return false;
  if (step.kind != UNF_STEP_MAXIMAL || x->unknown > 0 || random_below(x->random, 8) > 0)
    return true;
  return check_extensions(x);
}

static bool same(const struct exploration *x, uint64_t seen, uint64_t expected, const char *what) {
  if (seen == expected) return true;
  return report_fail(x->report, "%s: %" PRIu64 ", expected %" PRIu64, what, seen, expected);
}

static bool check_totals(struct exploration *x, bool collecting, input_totals *totals) {
  const lattice *l = x->lattice;
  uint64_t expected = 0, found = 0, events = 0;
  unf_counts c;
  unf_explorer_counts(x->explorer, &c);
  for (uint32_t i = 0; i < l->configuration_count; i++) {
    if (l->configurations[i].maximal && is_consistent(x, i)) {
      expected++;
      found += x->reached[i];
    }
  }
  for (uint32_t e = 0; e < l->event_count; e++) {
    events += (x->symbolic->of_event[e] & x->domain) != 0;
  }
  unf_status s = unf_check_explorer(x->explorer);
  if (s != UNF_OK) return failed(x, "unf_check_explorer", s);
  size_t number = (size_t)(x->manner - manners);
  totals->explorations++;
  totals->runs += x->runs;
  totals->redundant[number] += c.redundant;
  totals->undecided += c.undecided;
  totals->infeasible += c.infeasible;
  totals->twice += x->repeated;
  bool whole = x->domain == UINT64_MAX && x->unknown == 0;
  return same(x, found, expected, "executions reached") &&
         same(x, c.executions, x->runs, "executions counted") &&
         (x->unknown > 0 || same(x, c.traces, expected, "traces")) &&
         (x->unknown > 0 || collecting || same(x, c.events, events, "events")) &&
         (!x->manner->optimal || same(x, c.redundant, 0, "redundant runs")) &&
         (!whole || x->manner->algorithm != UNF_DFS ||
          same(x, c.executions, l->configurations[lattice_find(l, NULL, 0)].paths,
               "interleavings"));
}

static uint64_t choose(void *user, const unf_leaf *leaves, uint64_t count) {
  (void)leaves;
  return random_below(user, (unsigned)count);
}

/* Few values of many, or all; the explorations that differ in nothing else know everything. */
static void draw_domain(struct exploration *x) {
  x->domain = UINT64_MAX;
  x->unknown = x->unrefuted = 0;
  if (!random_chance(x->random, 40)) return;
  uint64_t all = UINT64_MAX >> (64 - x->symbolic->valuations);
  x->domain =
      random_next(x->random) & (random_chance(x->random, 50) ? UINT64_MAX : random_next(x->random));
  if ((x->domain & all) == 0) x->domain = UINT64_MAX;
  x->unknown = random_chance(x->random, 70) ? 1 + random_below(x->random, 60) : 0;
  /* What was refuted once is unknown again only when it was forgotten, or if nothing is refuted. */
  x->forgetting = x->unknown % 2 == 1;
  x->unrefuted = x->unknown % 4 == 2 ? 100 : x->unknown;
}

static bool explore(struct exploration *x, const uint32_t *order, input_totals *totals) {
  unf_consistency consistency = UNF_CONSISTENCY_INIT;
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  unf_consistency_counts asked;
  const lattice *l = x->lattice;
  draw_domain(x);
  consistency.consistent = solve;
  consistency.holds = random_chance(x->random, 60) ? holds : NULL;
  consistency.user = x;
  x->cores = random_chance(x->random, 60);
  options.algorithm = x->manner->algorithm;
  options.alternative.k = x->manner->k;
  if (random_chance(x->random, 30)) {
    options.alternative.spikes = (unf_spike_choice)random_below(x->random, 3);
    options.alternative.candidates = (unf_candidate_order)random_below(x->random, 2);
    options.alternative.greedy = random_chance(x->random, 50);
  }
  bool orders = options.algorithm != UNF_ODPOR && options.algorithm != UNF_EAGER;
  if (orders && random_chance(x->random, 40))
    options.order = (unf_order)random_below(x->random, UNF_ORDER_COUNT);
  options.seed = random_next(x->random);
  options.choose = choose;
  options.choose_user = x->random;
  if (options.algorithm != UNF_DFS && random_chance(x->random, 30))
    options.collect = 1 + random_below(x->random, 10);
  options.collect_percent = 0;
  x->twice = options.algorithm == UNF_EAGER && x->unknown > 0;
  x->runs = x->collections = x->repeated = 0;
  if (!bridge_open(&x->bridge, l->program, l, order, 8, x->report)) return false;
  unf_status s = unf_unfolding_set_consistency(x->bridge.unfolding, &consistency);
  if (s == UNF_OK) s = unf_explorer_new(x->bridge.unfolding, &options, &x->explorer);
  if (s != UNF_OK) return failed(x, "unf_explorer_new", s);
  x->reached = oracle_allocate(l->configuration_count * sizeof *x->reached);
  uint64_t most = 1000 + 200 * (uint64_t)l->counts.maximal + l->configurations[0].paths;
  bool finished = false, good = true;
  while (good && !finished && x->report->text[0] == '\0') {
    good = one_run(x, &finished);
    if (x->runs > most) good = report_fail(x->report, "the exploration does not end");
  }
  good = good && x->report->text[0] == '\0' && check_totals(x, options.collect > 0, totals);
  unf_unfolding_consistency_counts(x->bridge.unfolding, &asked);
  totals->questions += asked.questions;
  totals->calls += asked.calls;
  if (!good)
    printf("%s, order %s%s%s, unknown %u%%, domain %" PRIx64 "\n", x->manner->name,
           unf_order_text(options.order), options.collect > 0 ? ", collecting" : "",
           consistency.holds != NULL ? ", witnesses" : "", x->unknown, x->domain);
  unf_explorer_free(x->explorer);
  free(x->reached);
  bridge_close(&x->bridge);
  return good;
}

/* ---- all orders ---- */

bool input_check(const symbolic *s, uint64_t seed, int only, input_totals *totals, report *r) {
  static struct exploration x;
  uint32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  random_source random = {seed};
  bool good = true;
  do {
    for (size_t m = 0; good && m < INPUT_MANNERS; m++) {
      bool many = s->lattice->configurations[0].paths > 2000 || random_below(&random, 4) > 0;
      if (only >= 0 && m != (size_t)only) continue;
      if (manners[m].algorithm == UNF_DFS && many && only < 0) continue;
      memset(&x, 0, sizeof x);
      x.symbolic = s;
      x.lattice = s->lattice;
      x.manner = &manners[m];
      x.random = &random;
      x.report = r;
      good = explore(&x, order, totals);
    }
    if (!good) {
      printf("order of the threads:");
      for (size_t t = 0; t < s->lattice->program->thread_count; t++) {
        printf(" %" PRIu32, order[t]);
      }
      printf("\n");
    }
  } while (good && next_permutation(order, s->lattice->program->thread_count));
  return good;
}
