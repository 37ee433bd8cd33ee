/*
 * Bounds of the schedule: switches and preemptions along the path, as explore.h defines them. What
 * the path spent stands by node, so that going back costs nothing.
 */
#include "exploration/bound.h"

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/event.h"

static bool stop_at_first(void *user, const unf_action *action) {
  (void)action;
  *(bool *)user = true;
  return false;
}

/* Whether a thread could go on from the path's end. */
static unf_status could_go_on(const unf_explorer *x, uint32_t thread, bool *possible) {
  struct cut C = configuration_cut(&x->path.C);
  uint32_t next = next_after(x->u, thread, cut_last(x->u, C, thread));
  *possible = false;
  if (next == 0 || x->run.blocked.data[thread]) return UNF_OK;
  return unfi_outcomes(x->u, C, thread, next, stop_at_first, possible);
}

static uint32_t last_thread(const unf_explorer *x) {
  return action_of(x->u, x->path.steps.data[x->path.steps.count - 1].event)->thread;
}

void unfi_bounds_again(unf_explorer *x, uint32_t event, bool preempted) {
  if (!x->bounds.on) return;
  struct spent *spent = x->bounds.spent.data, none = {0, 0};
  uint32_t node = x->path.steps.count;
  bool switches = node > 0 && last_thread(x) != action_of(x->u, event)->thread;
  if (node == 0) spent[0] = none;
  spent[node + 1].switches = spent[node].switches + switches;
  spent[node + 1].preemptions = spent[node].preemptions + preempted;
}

unf_status unfi_bounds_spend(unf_explorer *x, uint32_t event) {
  bool possible = false;
  unf_status status = UNF_OK;
  if (!x->bounds.on) return UNF_OK;
  if (x->path.steps.count > 0 && last_thread(x) != action_of(x->u, event)->thread)
    status = could_go_on(x, last_thread(x), &possible);
  if (status == UNF_OK) unfi_bounds_again(x, event, possible);
  return status;
}

bool unfi_bounds_preempted(const unf_explorer *x, uint32_t node) {
  const struct spent *spent = x->bounds.spent.data;
  return x->bounds.on && spent[node + 1].preemptions > spent[node].preemptions;
}

uint32_t unfi_bounds_exceeded(const unf_explorer *x) {
  uint32_t exceeded = UNF_BOUND_NONE;
  if (!x->bounds.on || x->path.steps.count == 0) return exceeded;
  const struct spent *spent = &x->bounds.spent.data[x->path.steps.count];
  if (spent->switches > x->bounds.max_switches) exceeded |= UNF_BOUND_SWITCHES;
  if (spent->preemptions > x->bounds.max_preemptions) exceeded |= UNF_BOUND_PREEMPTIONS;
  return exceeded;
}

uint32_t unfi_bounds_prefer(const unf_explorer *x) {
  return x->bounds.on && x->path.steps.count > 0 ? last_thread(x) : NONE;
}
