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

static inline void use(struct site_steps *sites, struct use use, uint64_t step) {
  struct site_steps *s = &sites[use.site];
  s->all |= step;
  if (use.access != ACCESS_WRITE) s->alike[use.access] |= step;
}

static inline void unuse(struct site_steps *sites, struct use use, uint64_t kept) {
  struct site_steps *s = &sites[use.site];
  s->all &= kept;
  s->alike[use.access] &= kept;
}

void unfi_few_back(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                   uint32_t count) {
  const struct action *actions = u->actions.data;
  struct site_steps *sites = few->sites.data;
  uint64_t kept = steps_between(0, count);
  for (uint32_t step = count; step < few->before.count; step++) {
    const struct action *a = &actions[steps[step].action];
    sites[a->site].all &= kept;
    if (a->count == 1) unuse(sites, a->first, kept);
    if (a->count <= 1) continue;
    uint32_t uses_count;
    const struct use *uses = uses_of(u, a, &uses_count);
    for (uint32_t i = 0; i < uses_count; i++)
      unuse(sites, uses[i], kept);
  }
  if (few->before.count > count) few->before.count = count;
}

/* An event, if it is not ⊥, and what comes before it. */
static inline uint64_t up_to(const struct few_steps *few, uint32_t event,
                             const struct noted *events) {
  return event == 0 ? 0 : few->before.data[events[event].step];
}

/* The steps that come before what is at the top of an entry, or are that. */
static inline uint64_t up_to_entry(const unf_unfolding *u, const struct few_steps *few,
                                   uint32_t entry, const struct noted *events) {
  if (!(entry & ROW_TAG)) return up_to(few, entry, events);
  const struct layer *layer = layer_at(u, entry);
  uint64_t causes = 0;
  for (uint32_t i = 0; i < layer_count(layer); i++)
    causes |= up_to(few, layer->members[i], events);
  return causes;
}

/* The causes of an event with this action that are steps. */
WITHIN uint64_t causes_of(const unf_unfolding *u, const struct few_steps *few, uint32_t event,
                          const struct action *a, const struct noted *events) {
  const struct event *e = event_at(u, event);
  uint32_t count;
  uint64_t causes = up_to(few, e->before, events);
  if (a->count <= 1) return causes | up_to_entry(u, few, e->follows, events);
  const uint32_t *follows = event_follows(u, event, &count);
  for (uint32_t i = 0; i < count; i++)
    causes |= up_to_entry(u, few, follows[i], events);
  return causes;
}

uint64_t unfi_few_causes(const unf_unfolding *u, const struct few_steps *few, uint32_t event,
                         const struct noted *events) {
  return causes_of(u, few, event, action_of(u, event), events);
}

uint64_t unfi_few_enter(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                        const struct noted *events, uint32_t count) {
  const struct action *actions = u->actions.data;
  struct site_steps *sites = few->sites.data;
  uint64_t common = UINT64_MAX;
  for (uint32_t step = few->before.count; step < count; step++) {
    const struct action *a = &actions[steps[step].action];
    uint64_t bit = (uint64_t)1 << step;
    uint64_t before = bit | causes_of(u, few, steps[step].event, a, events);
    few->before.data[step] = before;
    common &= before;
    sites[a->site].all |= bit;
    if (a->count == 1) use(sites, a->first, bit);
    if (a->count <= 1) continue;
    uint32_t uses_count;
    const struct use *uses = uses_of(u, a, &uses_count);
    for (uint32_t i = 0; i < uses_count; i++)
      use(sites, uses[i], bit);
  }
  if (few->before.count < count) few->before.count = count;
  return common;
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
