/* Explores a program that the interpreter of the oracle runs, from checkpoints. */
#include "front.h"

#include <stdlib.h>
#include <string.h>

/* One program under one explorer; states[d] is the state after d steps of the run. */
typedef struct front {
  bridge bridge;
  machine machine;
  unf_explorer *explorer;
  int64_t *states;
  size_t depth_capacity;
  uint32_t steps;
  report *report;
} front;

static int64_t *state_at(front *f, uint32_t depth) {
  if (depth >= f->depth_capacity) {
    f->depth_capacity = (size_t)depth * 2 + 16;
    f->states = oracle_grow(f->states, f->depth_capacity * f->machine.words * sizeof *f->states);
  }
  return f->states + depth * f->machine.words;
}

static bool offer(front *f, uint32_t thread) {
  operation o = machine_next(&f->machine, state_at(f, f->steps), thread);
  if (o.kind == OPERATION_WAITING) return true;
  unf_operation op = bridge_operation(&f->bridge, &o);
  unf_status s = unf_explorer_offer(f->explorer, f->bridge.threads[thread], &op);
  return s == UNF_OK || bridge_fail(&f->bridge, f->report, "unf_explorer_offer", s);
}

static bool one_step(front *f, const unf_action *chosen) {
  action a;
  if (!bridge_read(&f->bridge, chosen, &a)) return report_fail(f->report, "a strange action");
  state_at(f, f->steps + 1);
  memcpy(state_at(f, f->steps + 1), state_at(f, f->steps), f->machine.words * sizeof *f->states);
  f->steps++;
  if (!machine_perform(&f->machine, state_at(f, f->steps), &a)) {
    return report_fail(f->report, "run-time error: %s", f->machine.text);
  }
  unf_status s = unf_explorer_commit(f->explorer, NULL, 0);
  if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_commit", s);
  return offer(f, a.thread) && (a.kind != ACTION_SPAWN || offer(f, a.target));
}

static bool one_run(front *f, const unf_run *run) {
  unf_status s = run->shared > 0 ? unf_explorer_resume(f->explorer, run->shared) : UNF_OK;
  f->steps = (uint32_t)run->shared;
  for (uint32_t t = 0; t < f->bridge.program->thread_count && f->steps == 0; t++) {
    if (!offer(f, t)) return false;
  }
  unf_step step = {UNF_STEP_ACTION, 0, {UNF_DID_LOCAL, 0, 0, 0, 0}};
  while (s == UNF_OK && step.kind == UNF_STEP_ACTION) {
    s = unf_explorer_step(f->explorer, &step);
    if (s == UNF_OK && step.kind == UNF_STEP_ACTION && !one_step(f, &step.action)) return false;
  }
  if (s == UNF_OK) do
      s = unf_explorer_finish(f->explorer, false, NULL);
    while (s == UNF_INTERRUPTED);
  return s == UNF_OK || bridge_fail(&f->bridge, f->report, "a run", s);
}

static bool explore(front *f, explorer_maker make, const unf_explorer_options *options) {
  unf_status s = make(f->bridge.unfolding, options, &f->explorer);
  if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_new", s);
  if (!machine_start(&f->machine, state_at(f, 0))) return report_fail(f->report, "run-time error");
  for (;;) {
    unf_run run;
    do
      s = unf_explorer_next(f->explorer, &run);
    while (s == UNF_INTERRUPTED);
    if (s != UNF_OK) return bridge_fail(&f->bridge, f->report, "unf_explorer_next", s);
    if (run.finished) return true;
    if (!one_run(f, &run)) return false;
  }
}

bool front_count(const program *p, const uint32_t *order, const unf_explorer_options *options,
                 unf_counts *counts, report *out) {
  return front_count_with(unf_explorer_new, p, order, options, counts, out);
}

bool front_count_with(explorer_maker make, const program *p, const uint32_t *order,
                      const unf_explorer_options *options, unf_counts *counts, report *out) {
  front f = {.report = out};
  machine_init(&f.machine, p);
  bool good = bridge_open(&f.bridge, p, NULL, order, 8, out) && explore(&f, make, options);
  if (good) unf_explorer_counts(f.explorer, counts);
  unf_explorer_free(f.explorer);
  bridge_close(&f.bridge);
  free(f.states);
  return good;
}
