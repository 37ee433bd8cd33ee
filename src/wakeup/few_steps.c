/* Words of steps: O(uses) to enter one or take it back. */
#include "wakeup/few_steps.h"

#include "structure/layer.h"

bool unfi_few_enlarge(const unf_unfolding *u, struct few_steps *few) {
  return vector_reserve(u->context, &few->before, FEW_STEPS) &&
         vector_reserve_zero(u->context, &few->sites, u->sites.count);
}

void unfi_few_free(unf_context *context, struct few_steps *few) {
  vector_free(context, &few->before);
  vector_free(context, &few->sites);
}

static void use(struct few_steps *few, uint32_t site, enum access access, uint64_t step) {
  struct site_steps *s = &few->sites.data[site];
  s->all |= step;
  if (access != ACCESS_WRITE) s->alike[access] |= step;
}

static void unuse(struct few_steps *few, uint32_t site, enum access access, uint64_t step) {
  struct site_steps *s = &few->sites.data[site];
  s->all &= ~step;
  s->alike[access] &= ~step;
}

void unfi_few_back(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                   uint32_t count) {
  while (few->before.count > count) {
    uint32_t step = --few->before.count, uses_count;
    const struct action *a = &u->actions.data[steps[step].action];
    const struct use *uses = uses_of(u, a, &uses_count);
    unuse(few, a->site, ACCESS_WRITE, (uint64_t)1 << step);
    for (uint32_t i = 0; i < uses_count; i++)
      unuse(few, uses[i].site, uses[i].access, (uint64_t)1 << step);
  }
}

/* An event, if it is not ⊥, and what comes before it. */
static inline uint64_t up_to(const struct few_steps *few, uint32_t event,
                             const struct noted *events) {
  return event == 0 ? 0 : few->before.data[events[event].step];
}

uint64_t unfi_few_causes(const unf_unfolding *u, const struct few_steps *few, uint32_t event,
                         const struct noted *events) {
  uint32_t count;
  const uint32_t *follows = event_follows(u, event, &count);
  uint64_t causes = up_to(few, event_at(u, event)->before, events);
  for (uint32_t i = 0; i < count; i++) {
    if (!(follows[i] & ROW_TAG)) {
      causes |= up_to(few, follows[i], events);
      continue;
    }
    const struct layer *layer = layer_at(u, follows[i]);
    for (uint32_t j = 0; j < layer_count(layer); j++)
      causes |= up_to(few, layer->members[j], events);
  }
  return causes;
}

void unfi_few_enter(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                    const struct noted *events) {
  uint32_t step = few->before.count, count;
  const struct action *a = &u->actions.data[steps[step].action];
  const struct use *uses = uses_of(u, a, &count);
  uint64_t bit = (uint64_t)1 << step;
  vector_push(&few->before, bit | unfi_few_causes(u, few, steps[step].event, events));
  use(few, a->site, ACCESS_WRITE, bit);
  for (uint32_t i = 0; i < count; i++)
    use(few, uses[i].site, uses[i].access, bit);
}

uint64_t unfi_few_dependent_several(const unf_unfolding *u, const struct few_steps *few,
                                    const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  uint64_t steps = few->sites.data[a->site].all;
  for (uint32_t i = 0; i < count; i++) {
    const struct site_steps *site = &few->sites.data[uses[i].site];
    steps |= site->all & ~site->alike[uses[i].access];
  }
  return steps;
}
