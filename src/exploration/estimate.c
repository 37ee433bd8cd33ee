/* How much is still to come; the estimators are described at unf_explorer_estimate(). */
#include <string.h>

#include "exploration/explorer.h"

#define RUNS_BEFORE_EXTRAPOLATION 100

void unfi_estimate_sample(unf_explorer *x, double value) {
  struct estimating *e = &x->estimating;
  if (e->now.count > e->last.count) {
    e->last = e->now;
    memset(&e->now, 0, sizeof e->now);
  }
  e->samples++;
  e->now.count++;
  e->now.sum += value;
  e->now.squares += value * value;
}

/* The library uses nothing of libm. Newton's method from above falls until it is exact. */
static double square_root(double a) {
  double root = a > 1 ? a : 1;
  if (!(a > 0)) return 0;
  for (double next; (next = (root + a / root) / 2) < root;)
    root = next;
  return root;
}

static void from_samples(const unf_explorer *x, unf_estimate *out) {
  const struct block *a = &x->estimating.last, *b = &x->estimating.now;
  double n = (double)(a->count + b->count);
  double mean = (a->sum + b->sum) / n;
  double squares = a->squares + b->squares - n * mean * mean;
  double left = mean - (double)x->counts.traces;
  out->left = left > 0 ? left : 0;
  out->error = n > 1 ? square_root(squares / (n - 1) / n) : -1;
  out->samples = x->estimating.samples;
}

/* Bottom up along the path: how many leaves a branch of a level has, and how many branches of the
 * nodes on the path were not taken yet. */
static double extrapolated(const unf_explorer *x) {
  const struct level *levels = x->estimating.levels.data;
  uint64_t closed = 0, branches = 0;
  uint32_t count = x->path.count, sleeper = x->D.count;
  if (count > x->estimating.levels.capacity) count = x->estimating.levels.capacity;
  if (x->counts.executions < RUNS_BEFORE_EXTRAPOLATION) return -1;
  for (uint32_t i = 0; i < count; i++) {
    closed += levels[i].closed;
    branches += levels[i].branches;
  }
  if (closed == 0) return -1;
  double everywhere = (double)branches / (double)closed, left = 0, leaves = 1;
  for (uint32_t i = count; i-- > 0;) {
    double mean =
        levels[i].closed == 0 ? everywhere : (double)levels[i].branches / (double)levels[i].closed;
    double taken = 1;
    for (; sleeper > 0 && x->D.data[sleeper - 1].depth >= i; sleeper--)
      taken += x->D.data[sleeper - 1].depth == i;
    if (mean > taken) left += (mean - taken) * leaves;
    leaves *= mean;
  }
  return left * (double)x->counts.traces / (double)x->counts.executions;
}

void unf_explorer_estimate(const unf_explorer *x, unf_estimate *out) {
  memset(out, 0, sizeof *out);
  if (x->branch == BRANCH_NONE) return;
  out->left = out->error = -1;
  if (x->estimating.samples > 0)
    from_samples(x, out);
  else if (x->search.order == UNF_ORDER_DEPTH_FIRST)
    out->left = extrapolated(x);
}
