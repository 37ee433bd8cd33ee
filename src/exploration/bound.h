/* Bounds of the schedule. Where there are none, all of this does nothing. */
#ifndef EXPLORATION_BOUND_H
#define EXPLORATION_BOUND_H

#include <unfold/explore.h>

#include "base/vector.h"

/* What the steps of the path spent, by node. */
struct spent {
  uint32_t switches, preemptions;
};

struct bounds {
  bool on;
  uint64_t max_switches, max_preemptions;
  VECTOR(struct spent) spent;
};

/* Room for the step after so many. Returns false when refused. */
static inline bool bounds_reserve(unf_context *context, struct bounds *bounds, uint32_t steps) {
  return !bounds->on || vector_reserve(context, &bounds->spent, (uint64_t)steps + 2);
}
/* Counts what a step with the event spends, before it is pushed; room is there. */
unf_status unfi_bounds_spend(unf_explorer *x, uint32_t event);
/* As unfi_bounds_spend(), for a step that was counted before, and whether it was a preemption. */
void unfi_bounds_again(unf_explorer *x, uint32_t event, bool preempted);
/* Whether the step from a node of the path was a preemption. */
bool unfi_bounds_preempted(const unf_explorer *x, uint32_t node);
/* Bounds that the path exceeds, as UNF_BOUND_... */
uint32_t unfi_bounds_exceeded(const unf_explorer *x);
/* The thread of the last step, which goes on when it can; NONE: any will do. */
uint32_t unfi_bounds_prefer(const unf_explorer *x);

#endif
