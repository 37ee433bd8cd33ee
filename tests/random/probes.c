/*
 * Probes, against the oracle: every interleaving that a probe can perform, with its chance. The
 * chances add up to 1, and those times the values to the number of maximal configurations, with
 * nothing learned and after a few probes. Then the exploration goes on as if nothing had been. The
 * programs are the reference programs of all effects, and random ones.
 *
 *   random_probes [--programs N] [--only SEED]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"
#include "inside.h"
#include "reference.h"
#include "sketch.h"

#define MOST_STEPS         400u
#define MOST_INTERLEAVINGS 1500u
#define FAMILIES                                                                                   \
  (FAMILY_CONDITION | FAMILY_RWLOCK | FAMILY_SEMAPHORE | FAMILY_BARRIER | FAMILY_ATOMIC |          \
   FAMILY_RANGE | FAMILY_FUTEX | FAMILY_CHANNEL | FAMILY_MAILBOX | FAMILY_FUTURE)

typedef struct front {
  bridge bridge;
  machine machine;
  unf_explorer *explorer;
  int64_t *state;
  report *report;
} front;

/* A choice on the way of the enumeration. */
typedef struct choice {
  uint32_t taken, count;
} choice;

static bool failed(front *f, const char *call, unf_status status) {
  return bridge_fail(&f->bridge, f->report, call, status);
}

static bool offer(front *f, uint32_t thread) {
  operation o = machine_next(&f->machine, f->state, thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(&f->bridge, &o);
  unf_status s = unf_explorer_offer(f->explorer, f->bridge.threads[thread], &op);
  return s == UNF_OK || failed(f, "unf_explorer_offer", s);
}

static bool begin(front *f) {
  if (!machine_start(&f->machine, f->state)) return report_fail(f->report, "run-time error");
  for (uint32_t t = 0; t < f->bridge.program->thread_count; t++)
    if (!offer(f, t)) return false;
  return true;
}

static bool perform(front *f, const unf_action *chosen) {
  action a;
  if (!bridge_read(&f->bridge, chosen, &a)) return report_fail(f->report, "a strange action");
  if (!machine_perform(&f->machine, f->state, &a))
    return report_fail(f->report, "run-time error: %s", f->machine.text);
  unf_status s = unf_explorer_commit(f->explorer, NULL, 0);
  if (s != UNF_OK) return failed(f, "unf_explorer_commit", s);
  return offer(f, a.thread) && (a.kind != ACTION_SPAWN || offer(f, a.target));
}

/* One run of the protocol, ordinary or a probe. */
static bool run(front *f, unf_run *run) {
  unf_step step;
  unf_status s = unf_explorer_next(f->explorer, run);
  if (s != UNF_OK) return failed(f, "unf_explorer_next", s);
  if (run->finished) return true;
  if (!begin(f)) return false;
  while ((s = unf_explorer_step(f->explorer, &step)) == UNF_OK && step.kind == UNF_STEP_ACTION)
    if (!perform(f, &step.action)) return false;
  unf_verdict verdict;
  if (s == UNF_OK) s = unf_explorer_finish(f->explorer, false, &verdict);
  if (s != UNF_OK) return failed(f, "a run", s);
  return verdict.probe == run->probe || report_fail(f->report, "a probe is no probe");
}

/* Alternative number `which` of a step instead of the one that was drawn. */
static unf_status take(front *f, unf_action *chosen, uint32_t which, double *chance) {
  operation o = machine_next(&f->machine, f->state, f->bridge.thread_at[chosen->thread]);
  unf_operation op = bridge_operation(&f->bridge, &o);
  return inside_take(f->explorer, which, op.low, chosen, chance);
}

/* The interleaving that the choices lead to, and on with the first alternatives. */
static bool follow(front *f, choice *choices, uint32_t *depth, double *chance, double *value) {
  unf_step step;
  unf_status s = inside_begin(f->explorer);
  uint32_t at = 0;
  if (s != UNF_OK) return failed(f, "the beginning of a probe", s);
  if (!begin(f)) return false;
  for (*chance = 1; at < MOST_STEPS; at++) {
    s = unf_explorer_step(f->explorer, &step);
    if (s != UNF_OK) return failed(f, "unf_explorer_step", s);
    if (step.kind != UNF_STEP_ACTION) break;
    if (at == *depth) choices[(*depth)++].taken = 0;
    double own;
    choices[at].count = inside_count(f->explorer);
    s = take(f, &step.action, choices[at].taken, &own);
    if (s != UNF_OK) return failed(f, "a step of a probe", s);
    if (!perform(f, &step.action)) return false;
    *chance *= own;
  }
  s = inside_end(f->explorer, value);
  if (s != UNF_OK) return failed(f, "the end of a probe", s);
  return at < MOST_STEPS || report_fail(f->report, "too many steps");
}

/* *whole: there were not too many. */
static bool enumerate(front *f, uint32_t traces, uint64_t *interleavings, bool *whole) {
  static choice choices[MOST_STEPS];
  uint32_t depth = 0;
  double chances = 0, expectation = 0;
  *whole = false;
  for (uint32_t i = 0; i < MOST_INTERLEAVINGS; i++) {
    double chance = 0, value = 0;
    if (!follow(f, choices, &depth, &chance, &value)) return false;
    chances += chance;
    expectation += chance * value;
    ++*interleavings;
    while (depth > 0 && choices[depth - 1].taken + 1 == choices[depth - 1].count)
      depth--;
    *whole = depth == 0;
    if (*whole) break;
    choices[depth - 1].taken++;
  }
  if (!*whole) return true;
  if (fabs(chances - 1) > 1e-9) return report_fail(f->report, "chances of %.12g", chances);
  return fabs(expectation - traces) <= 1e-9 * traces ||
         report_fail(f->report, "an expectation of %.12g for %" PRIu32, expectation, traces);
}

static bool explore(front *f, const lattice *l, uint64_t *interleavings, bool *whole) {
  unf_explorer_options options = UNF_EXPLORER_OPTIONS_INIT;
  options.probes = 4;
  unf_status s = unf_explorer_new(f->bridge.unfolding, &options, &f->explorer);
  if (s != UNF_OK) return failed(f, "unf_explorer_new", s);
  unf_run next = {0};
  for (uint32_t runs = 0; !next.finished; runs++) {
    if (!run(f, &next)) return false;
    if (next.finished || (runs != 0 && runs != 6)) continue;
    if (!enumerate(f, l->counts.maximal, interleavings, whole)) return false;
  }
  unf_counts counts;
  unf_estimate estimate;
  unf_explorer_counts(f->explorer, &counts);
  unf_explorer_estimate(f->explorer, &estimate);
  if (counts.traces != l->counts.maximal || counts.redundant != 0)
    return report_fail(f->report, "%" PRIu64 " traces, %" PRIu64 " redundant runs for %" PRIu32,
                       counts.traces, counts.redundant, l->counts.maximal);
  return (estimate.left == 0 && estimate.error == 0) || report_fail(f->report, "something left");
}

static bool check_program(const program *p, const lattice *l, uint64_t *interleavings, bool *whole,
                          report *r) {
  uint32_t order[SKETCH_THREADS_MAX + 8];
  front f = {.report = r};
  if (p->thread_count > sizeof order / sizeof *order) return true;
  for (uint32_t t = 0; t < p->thread_count; t++)
    order[t] = t;
  machine_init(&f.machine, p);
  f.state = oracle_allocate(f.machine.words * sizeof *f.state);
  bool good = bridge_open(&f.bridge, p, NULL, order, 8, r) && explore(&f, l, interleavings, whole);
  unf_explorer_free(f.explorer);
  bridge_close(&f.bridge);
  free(f.state);
  return good;
}

/* False when it failed, with the program and what is wrong printed. */
static bool check(const char *text, int64_t bound, bool commuting, uint64_t *done,
                  uint64_t *interleavings) {
  report r = {{0}};
  program_options options = {.bound = bound, .commuting = commuting, .saturating = true};
  program *p = program_read(text, &options, r.text);
  bool good = p != NULL, whole = false;
  lattice *l = good ? lattice_walk(p, 1500) : NULL;
  if (l != NULL && l->status == LATTICE_WHOLE && l->counts.maximal > 1)
    good = check_program(p, l, interleavings, &whole, &r);
  *done += whole;
  if (!good) printf("FAILED:\n%s\n%s\n", text, r.text);
  if (l != NULL) lattice_free(l);
  if (p != NULL) program_free(p);
  return good;
}

int main(int argc, char **argv) {
  uint64_t programs = 300, only = 0, done = 0, interleavings = 0;
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--programs") == 0) programs = value;
    if (strcmp(argv[i], "--only") == 0) only = value;
  }
  for (size_t i = 0; only == 0 && i < reference_count; i++) {
    const reference_program *q = &reference_programs[i];
    if (!check(q->text, q->bound, q->commuting, &done, &interleavings)) return 1;
  }
  uint64_t references = done;
  for (uint64_t i = 1; done < programs + references; i++) {
    uint64_t drawn = only != 0 ? only : i;
    random_source random = {drawn};
    sketch *s = sketch_generate(&random, drawn % 4 == 0 ? 0 : FAMILIES);
    char *text = sketch_text(s);
    bool good = check(text, s->bound, s->commuting, &done, &interleavings);
    if (!good) printf("--only %" PRIu64 "\n", drawn);
    free(text);
    sketch_free(s);
    if (!good) return 1;
    if (only != 0) break;
  }
  printf("%" PRIu64 " reference programs and %" PRIu64 " random ones, %" PRIu64 " interleavings\n",
         references, done - references, interleavings);
  return done > references || only != 0 ? 0 : 1;
}
