/*
 * One program: walk its lattice once, then for every order of the threads explore with each
 * algorithm, through both doors of the explorer, and compare; in one order, drawn, compare all
 * relations too. The names of threads decide nothing about the lattice, so one lattice serves all
 * orders. Every random choice comes from the seed, so that a failing program fails again while it
 * is cut down.
 */
#include "program_check.h"

#include "commute.h"
#include "permutation.h"

#include <stdlib.h>
#include <string.h>

#define SHRINK_TRIES 4000u

static const manner manners[] = {
    {"optimal", UNF_QPOR, UNF_K_OPTIMAL, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0,
     0},
    {"k=1", UNF_QPOR, 1, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"k=2", UNF_QPOR, 2, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"k=3", UNF_QPOR, 3, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"odpor", UNF_ODPOR, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"eager", UNF_EAGER, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"sdpor", UNF_SDPOR, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"dfs", UNF_DFS, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"random", UNF_RANDOM, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
    {"pct", UNF_PCT, 0, false, false, UNF_SPIKES_FEWEST, UNF_CANDIDATES_NEWEST, 0, 0},
};
#define MANNERS (sizeof manners / sizeof manners[0])

/* ---- orders ---- */

static uint64_t factorial(size_t n) {
  return n <= 1 ? 1 : n > 12 ? UINT64_MAX / 2 : n * factorial(n - 1);
}

static uint32_t draw_skip_step(random_source *random) {
  static const uint32_t steps[] = {8, 8, 0, 2, 3};
  return steps[random_below(random, 5)];
}

/* Half of the orders share one unfolding among all explorers, half have one each. */
static bool explore_order(const lattice *l, const uint32_t *order, const program_limits *limits,
                          random_source *random, program_facts *facts, report *r) {
  bool share = random_chance(random, 50), good = true, open = false;
  bridge b;
  for (size_t i = 0; i < MANNERS && good; i++) {
    manner m = manners[i];
    unsigned door = random_below(random, 4);
    bool usual = random_chance(random, 70);
    unf_spike_choice spikes = (unf_spike_choice)random_below(random, 3);
    unf_candidate_order candidates = (unf_candidate_order)random_below(random, 2);
    if (m.algorithm == UNF_DFS &&
        (l->configurations[0].paths > limits->paths || !random_chance(random, 25))) {
      continue;
    }
    m.resume = door == 1;
    m.push = door == 2 && m.algorithm != UNF_EAGER && m.algorithm < UNF_RANDOM;
    if (!usual) m.spikes = spikes, m.candidates = candidates, m.later = door;
    if (m.algorithm != UNF_DFS && (limits->collect || random_chance(random, 30))) {
      m.collect = limits->collect ? 1 : 1 + random_below(random, 20);
    }
    if (open && m.collect > 0) bridge_close(&b), open = false;
    if (!open) good = bridge_open(&b, l->program, l, order, draw_skip_step(random), r);
    open = true;
    report inner = {{0}};
    if (good && !explore_compare(&b, &m, random, &facts->executions, &inner)) {
      good = report_fail(r, "%s%s%s%s%s: %.900s", m.name, m.push ? ", whole traces" : "",
                         m.resume ? ", resuming" : "", m.collect > 0 ? ", collecting" : "",
                         m.later > 0 ? ", extending later" : "", inner.text);
    }
    if (!share || m.collect > 0) bridge_close(&b), open = false;
  }
  if (open) bridge_close(&b);
  return good;
}

static bool relate(const lattice *l, const uint32_t *order, uint32_t most, random_source *random,
                   report *r) {
  bridge b;
  if (!lattice_commutes(l, most, r->text, sizeof r->text)) return false;
  relations *o = relations_make(l);
  bool good = bridge_open(&b, l->program, l, order, draw_skip_step(random), r) &&
              relate_compare(&b, o, most, random, r);
  bridge_close(&b);
  relations_free(o);
  return good;
}

static bool compare_orders(const lattice *l, const program_limits *limits, uint64_t seed,
                           program_facts *facts, uint32_t *order, report *r) {
  size_t n = l->program->thread_count;
  random_source random = {seed};
  uint64_t chosen = random_next(&random) % factorial(n);
  for (size_t i = 0; i < n; i++) {
    order[i] = (uint32_t)i;
  }
  do {
    if (facts->orders++ == chosen && !relate(l, order, limits->related, &random, r)) return false;
    if (!explore_order(l, order, limits, &random, facts, r)) return false;
  } while (next_permutation(order, n));
  return true;
}

program_fate program_check(const char *text, const program_options *options,
                           const program_limits *limits, uint64_t seed, program_facts *facts,
                           uint32_t *order, report *r) {
  program_fate fate = PROGRAM_GOOD;
  memset(facts, 0, sizeof *facts);
  program *p = program_read(text, options, r->text);
  if (p == NULL) return PROGRAM_UNREADABLE;
  lattice *l = lattice_walk(p, limits->configurations);
  if (l->status != LATTICE_WHOLE) {
    fate = l->status == LATTICE_LIMIT       ? PROGRAM_LARGE
           : l->status == LATTICE_RACE      ? PROGRAM_RACY
           : l->status == LATTICE_CONTENDED ? PROGRAM_CONTENDED
                                            : PROGRAM_RUNTIME;
  } else if (l->counts.maximal > limits->work / factorial(p->thread_count)) {
    fate = PROGRAM_LARGE;
  } else {
    program_find_facts(l, facts);
    if (!compare_orders(l, limits, seed, facts, order, r)) fate = PROGRAM_FAILED;
  }
  lattice_free(l);
  program_free(p);
  return fate;
}

/* ---- shrinking ---- */

static bool still_fails(const sketch *s, const program_limits *limits, uint64_t seed) {
  program_facts facts;
  uint32_t order[SKETCH_THREADS_MAX];
  report r;
  char *text = sketch_text(s);
  const program_options options = {
      .bound = s->bound, .commuting = s->commuting, .saturating = true};
  program_fate fate = program_check(text, &options, limits, seed, &facts, order, &r);
  free(text);
  return fate == PROGRAM_FAILED;
}

/* Takes the cut program if it fails too. */
static bool accept(sketch **best, sketch *candidate, bool changed, const program_limits *limits,
                   uint64_t seed) {
  if (!changed || !still_fails(candidate, limits, seed)) {
    sketch_free(candidate);
    return false;
  }
  sketch_free(*best);
  *best = candidate;
  return true;
}

sketch *program_shrink(const sketch *s, const program_limits *limits, uint64_t seed) {
  sketch *best = sketch_copy(s);
  unsigned tries = 0;
  bool progress = true;
  while (progress && tries < SHRINK_TRIES) {
    progress = false;
    for (unsigned t = best->threads; t-- > 0;) {
      sketch *candidate = sketch_copy(best);
      bool changed = sketch_cut_thread(candidate, t);
      progress = accept(&best, candidate, changed, limits, seed) || progress;
    }
    for (unsigned cut = 0; cut < CUT_KINDS; cut++) {
      for (unsigned at = 0; at < sketch_size(best) && tries < SHRINK_TRIES; tries++) {
        sketch *candidate = sketch_copy(best);
        bool changed = sketch_cut_at(candidate, at, (sketch_cut)cut);
        bool taken = accept(&best, candidate, changed, limits, seed);
        progress = progress || taken;
        if (!taken) at++;
      }
    }
    if (best->bound >= 0) {
      sketch *candidate = sketch_copy(best);
      candidate->bound = -1;
      progress = accept(&best, candidate, true, limits, seed) || progress;
    }
    for (unsigned i = 0; i < SKETCH_SEMAPHORES; i++) {
      sketch *candidate = sketch_copy(best);
      candidate->maxima[i] = 0;
      progress = accept(&best, candidate, best->maxima[i] > 0, limits, seed) || progress;
    }
    if (best->commuting) {
      sketch *candidate = sketch_copy(best);
      candidate->commuting = false;
      progress = accept(&best, candidate, true, limits, seed) || progress;
    }
  }
  return best;
}
