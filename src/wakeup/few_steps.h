/*
 * The order of an execution of few steps, in words with a bit for each of them: which come before
 * which, and which use a site. What a reversal leaves out and whether an event begins a rest are
 * then a few operations on words (rest.h). A longer execution has no such words: they would cost
 * the square of its length.
 */
#ifndef WAKEUP_FEW_STEPS_H
#define WAKEUP_FEW_STEPS_H

#include "structure/action.h"
#include "structure/event.h"

#ifdef UNF_PLAIN_ARENAS
#define FEW_STEPS 9u
#else
#define FEW_STEPS 64u
#endif

/* An event of an execution, with what is asked of it often. */
struct placed {
  uint32_t event, action, thread, before;
  uint32_t next; /* the step of its thread after it, if that is one: it may be left from a longer
                    execution. Of no use in an execution of few steps */
};

/* What is known of an event. */
struct noted {
  uint32_t stamp; /* of the last execution that had it as a reversal */
  uint32_t step;  /* where it was in the last execution that had it */
};

/* The steps that use a site. */
struct site_steps {
  uint64_t all;
  uint64_t alike[ACCESS_END + 1]; /* by access: those that commute with it; of a write none */
};

struct few_steps {
  VECTOR(uint64_t) before;         /* by step: those that come before it, and itself */
  VECTOR(struct site_steps) sites; /* by site */
};

/* Room for all sites. Returns false when refused. */
RARE bool unfi_few_enlarge(const unf_unfolding *u, struct few_steps *few);
static inline bool few_reserve(const unf_unfolding *u, struct few_steps *few) {
  return u->sites.count <= few->sites.capacity || unfi_few_enlarge(u, few);
}
void unfi_few_free(unf_context *context, struct few_steps *few);
/* Takes the last of the steps back, so that no more than `count` are left. */
void unfi_few_back(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                   uint32_t count);
/* Enters steps until there are `count`; those that come before all of them, or are that. There is
 * room. */
uint64_t unfi_few_enter(const unf_unfolding *u, struct few_steps *few, const struct placed *steps,
                        const struct noted *events, uint32_t count);

/* The causes of an event that are steps: all that are there if those of its thread and those that
 * it follows are. */
uint64_t unfi_few_causes(const unf_unfolding *u, const struct few_steps *few, uint32_t event,
                         const struct noted *events);

/* The steps from one on, of so many. */
static inline uint64_t steps_between(uint32_t first, uint32_t count) {
  uint64_t all = count == FEW_STEPS ? UINT64_MAX >> (64 - FEW_STEPS) : ((uint64_t)1 << count) - 1;
  return first < count ? all & UINT64_MAX << first : 0;
}

uint64_t unfi_few_dependent_several(const unf_unfolding *u, const struct few_steps *few,
                                    const struct action *a);
/* The steps that depend on an action. */
WITHIN uint64_t few_dependent(const unf_unfolding *u, const struct few_steps *few,
                              const struct action *a) {
  if (a->count > 1) return unfi_few_dependent_several(u, few, a);
  uint64_t steps = few->sites.data[a->site].all;
  if (a->count == 0) return steps;
  const struct site_steps *site = &few->sites.data[a->first.site];
  return steps | (site->all & ~site->alike[a->first.access]);
}

/* Steps of some, and all of the first `count` that come after one of them. */
static inline uint64_t few_after(const struct few_steps *few, uint64_t steps, uint32_t count) {
  if (steps == 0) return 0;
  for (uint32_t i = (uint32_t)__builtin_ctzll(steps) + 1; i < count; i++)
    steps |= (uint64_t)((few->before.data[i] & steps) != 0) << i;
  return steps;
}

#endif
