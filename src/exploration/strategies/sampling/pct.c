/*
 * Probabilistic concurrency testing ("A Randomized Scheduler with Probabilistic Guarantees of
 * Finding Bugs", ASPLOS 2010), Algorithm 1 there.
 *
 * With n threads and k steps, a defect of depth d (one that d orders between steps are enough for)
 * is in an execution with probability 1 / (n · k^(d-1)) at least. That needs a k which no
 * execution exceeds, and that executions differ by their schedules alone; where one of these does
 * not hold the bound is withdrawn.
 */
#include "base/table.h"
#include "exploration/explorer.h"
#include "exploration/options.h"
#include "exploration/strategies/sampling/sampling.h"
#include "exploration/strategies/strategies.h"
#include "extension/adds.h"

/* Random walks to measure how long executions are. */
#define WALKS 10u

/* A step at which the thread that would go on has its priority lowered. */
struct change_point {
  uint64_t step;   /* from 0 */
  uint32_t thread; /* NONE: not yet */
};

struct pct {
  struct sampling sampling;
  uint32_t changes;   /* of an execution */
  uint64_t drawn_for; /* number of the execution that they were drawn for, from 1 */
  struct change_point change[UNF_MAX_DEPTH - 1];
  VECTOR(uint32_t) lowered; /* by thread: number of the change that lowered it last, from 1, or 0 */
};

static struct pct *pct_of(const unf_explorer *x) {
  return x->strategy_state;
}

static void begin(unf_explorer *x, const unf_explorer_options *options) {
  struct pct *p = pct_of(x);
  unfi_sampling_begin(x, options);
  p->changes = options->depth - 1;
  p->sampling.seen.depth = options->depth;
  p->sampling.seen.steps = options->steps;
}

static void end(unf_explorer *x) {
  vector_free(x->u->context, &pct_of(x)->lowered);
  unfi_sampling_end(x);
}

/* Priorities that were not lowered are in the upper half of all numbers, in an order that belongs
 * to the execution; one that was lowered is the number of the change. */
static uint64_t priority(const unf_explorer *x, uint32_t thread) {
  uint32_t change = pct_of(x)->lowered.data[thread];
  if (change != 0) return change;
  return unfi_sampling_draw(x, UINT64_MAX - 1, thread) | 1ull << 63;
}

static uint32_t highest_thread(unf_explorer *x) {
  const struct ready *ready = &x->run.ready;
  uint32_t best = NONE;
  uint64_t highest = 0;
  for (uint32_t t = unfi_ready_next(ready, 0); t != NONE; t = unfi_ready_next(ready, t + 1)) {
    uint64_t here = priority(x, t);
    if (here <= highest || unfi_sampling_is_idle(x, t)) continue;
    highest = here;
    best = t;
  }
  return best;
}

/* Draws the changes of the execution at hand, unless that was done. */
static void draw_changes(unf_explorer *x) {
  struct pct *p = pct_of(x);
  uint64_t number = p->sampling.seen.executions + 1, steps = p->sampling.seen.steps;
  if (p->drawn_for == number && x->run.at > 0) return;
  p->drawn_for = number;
  for (uint32_t t = 0; t < p->lowered.capacity; t++)
    p->lowered.data[t] = 0;
  for (uint32_t i = 0; i < p->changes; i++) {
    uint64_t draw = unfi_sampling_draw(x, UINT64_MAX - 2, i);
    p->change[i] = (struct change_point){steps > 0 ? draw % steps : 0, NONE};
  }
}

/* Lowers the thread that would go on, if a change is due at this step. */
static bool lower(unf_explorer *x, uint32_t thread) {
  struct pct *p = pct_of(x);
  uint32_t i = 0;
  while (i < p->changes && !(p->change[i].step == x->run.at && p->change[i].thread == NONE))
    i++;
  if (i == p->changes) return false;
  p->change[i].thread = thread;
  p->lowered.data[thread] = i + 1;
  return true;
}

static bool measures(const struct pct *p) {
  return p->sampling.seen.steps == 0;
}

static unf_status choose(unf_explorer *x) {
  struct pct *p = pct_of(x);
  if (measures(p)) return unfi_sampling_step(x, unfi_sampling_any_thread);
  if (!vector_reserve_zero(x->u->context, &p->lowered, x->u->threads.count))
    return unfi_refused(x->u->context);
  draw_changes(x);
  for (;;) {
    unf_status status = unfi_sampling_step(x, highest_thread);
    bool acts = status == UNF_OK && x->run.step.kind == UNF_STEP_ACTION;
    if (!acts || !lower(x, x->run.step.action.thread)) return status;
  }
}

/* 1 / (n · k^(d-1)), or -1. */
static double bound_of(const unf_sampling *seen) {
  double bound = 1 / (double)seen->threads;
  if (seen->steps == 0 || seen->longest > seen->steps || seen->drawn) return -1;
  for (uint32_t i = 1; i < seen->depth; i++)
    bound /= (double)seen->steps;
  return bound;
}

static unf_status learn(unf_explorer *x, bool *fresh) {
  unf_sampling *seen = &pct_of(x)->sampling.seen;
  bool measured = measures(pct_of(x));
  unf_status status = unfi_sampling_learn(x, fresh);
  if (status != UNF_OK) return status;
  seen->measured += measured;
  /* A program of no step at all has executions of none. */
  if (measured && seen->measured == WALKS) seen->steps = seen->longest > 0 ? seen->longest : 1;
  seen->bound = bound_of(seen);
  return UNF_OK;
}

const struct strategy unfi_pct = {
    .name = "pct",
    .supports = FEATURE_COLLECT,
    .state = sizeof(struct pct),
    .samples = true,
    .names_traces = true,
    .begin = begin,
    .end = end,
    .choose = choose,
    .learn = learn,
    .leave = unfi_sampling_leave,
    .write = unfi_sampling_write,
    .read = unfi_sampling_read,
};
