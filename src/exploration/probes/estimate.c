/* What the probes report: their values (probe.h), and how much is still to come. */
#include "exploration/probes/estimate.h"

#include <float.h>
#include <string.h>

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/event.h"

/* Takes in that a step uses a site; returns the number of steps after which it could do so. */
static uint32_t use(struct last_use *last, enum access access, uint32_t step) {
  uint32_t after = last->written;
  bool reads = access == ACCESS_READ || access == ACCESS_END;
  if (!reads && last->read > after) after = last->read;
  if (access != ACCESS_ADD && last->added > after) after = last->added;
  *(reads ? &last->read : access == ACCESS_ADD ? &last->added : &last->written) = step + 1;
  return after;
}

static uint32_t ready_after(struct probes *p, uint32_t step) {
  const struct action *a = action_of(p->u, p->events.data[step]);
  uint32_t after = use(&p->uses.data[a->site], ACCESS_WRITE, step), count;
  const struct use *uses = uses_of(p->u, a, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t other = use(&p->uses.data[uses[i].site], uses[i].access, step);
    if (other > after) after = other;
  }
  return after;
}

unf_status unfi_probe_value(unf_explorer *x, double *out) {
  struct probes *p = &x->probes;
  unf_context *context = x->u->context;
  uint32_t steps = p->events.count;
  if (!vector_reserve(context, &p->ready, steps) ||
      !vector_reserve(context, &p->next, p->u->threads.count) ||
      !vector_reserve(context, &p->uses, p->u->sites.count))
    return unfi_refused(context);
  for (uint32_t i = 0; i < p->u->sites.count; i++)
    p->uses.data[i] = (struct last_use){0, 0, 0};
  unf_status status = unfi_work(context, p->u->sites.count);
  for (uint32_t i = 0; status == UNF_OK && i < steps; status = unfi_work(context, 1), i++)
    p->ready.data[i] = ready_after(p, i);
  for (uint32_t t = 0; t < p->u->threads.count; t++)
    p->next.data[t] = NONE;
  double value = 1;
  for (uint32_t i = steps; status == UNF_OK && i-- > 0;) {
    p->next.data[action_of(p->u, p->events.data[i])->thread] = i;
    double chance = 0;
    for (uint32_t k = i > 0 ? p->ends.data[i - 1] : 0; k < p->ends.data[i]; k++) {
      uint32_t next = p->next.data[p->prospects.data[k].thread];
      if (next != NONE && p->ready.data[next] <= i) chance += p->prospects.data[k].chance;
    }
    value /= chance;
    status = unfi_work(context, 1 + p->ends.data[i] - (i > 0 ? p->ends.data[i - 1] : 0));
  }
  *out = value;
  if (status == UNF_OK) unfi_done(context);
  return status;
}

void unfi_estimate_add(unf_explorer *x, double value) {
  struct probes *p = &x->probes;
  double off = value - p->mean;
  p->count++;
  p->mean += off / (double)p->count;
  p->squares += off * (value - p->mean);
}

/* The library uses nothing of libm. Newton's method from above falls until it is exact. */
static double square_root(double a) {
  double root = a > 1 ? a : 1;
  if (!(a > 0)) return 0;
  for (double next; (next = (root + a / root) / 2) < root;)
    root = next;
  return root;
}

void unf_explorer_estimate(const unf_explorer *x, unf_estimate *out) {
  if (x == NULL || out == NULL) return;
  const struct probes *p = &x->probes;
  memset(out, 0, sizeof *out);
  out->samples = p->count;
  if (x->branch == BRANCH_NONE && !x->strategy->samples) return;
  out->left = out->error = -1;
  if (p->count == 0 || p->lost || !(p->mean <= DBL_MAX)) return;
  double left = p->mean - (double)x->counts.traces, n = (double)p->count, error = -1;
  if (p->count > 1 && p->squares <= DBL_MAX) error = square_root(p->squares / (n - 1) / n);
  /* More was found than the probes can account for: they missed most of it. */
  if (left + 2 * (error > 0 ? error : 0) < 0) return;
  out->left = left > 0 ? left : 0;
  out->error = error;
}
