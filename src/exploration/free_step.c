/* The free step: where nothing is decided, the first action that is enabled and not asleep. */
#include "exploration/free_step.h"

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/event.h"

struct free_step {
  unf_explorer *x;
  bool asleep, cut_off, found;
  unf_status status;
  unf_action action;
};

static bool consider(void *user, const unf_action *action) {
  struct free_step *c = user;
  bool cut_off, asleep = false;
  c->status = unfi_action_cut_off(c->x, action, &cut_off);
  if (c->status != UNF_OK) return false;
  c->cut_off = c->cut_off || cut_off;
  if (cut_off) return true;
  c->status = unfi_asleep(c->x, action, &asleep);
  c->asleep = c->asleep || asleep;
  if (c->status != UNF_OK || asleep) return c->status == UNF_OK;
  c->found = true;
  c->action = *action;
  return false;
}

/* The same for siblings, of which one is as good as the other. */
static unf_status consider_siblings(struct free_step *c, uint32_t head, struct siblings siblings) {
  unf_explorer *x = c->x;
  unf_action action = unfi_action(x->u, event_at(x->u, x->path.D.entries.data[head].event)->action);
  bool any;
  action.value = siblings.low;
  c->asleep = true;
  for (;;) {
    c->status = unfi_awake_from(x, head, NONE, siblings, &action.value, &any);
    if (c->status != UNF_OK || !any || !consider(c, &action)) return c->status;
    if (action.value == siblings.high) return UNF_OK;
    action.value++;
  }
}

static bool is_blocked(const unf_explorer *x, uint32_t thread) {
  return thread < x->run.blocked.capacity && x->run.blocked.data[thread];
}

/* Considers what a thread can do; *missing: its operation is not known. */
static unf_status consider_thread(unf_explorer *x, uint32_t thread, struct free_step *step,
                                  bool *missing) {
  struct cut C = configuration_cut(&x->path.C);
  uint32_t last = cut_last(x->u, C, thread);
  *missing = false;
  if (last == NONE) return UNF_OK;
  uint32_t next = next_after(x->u, thread, last);
  *missing = next == 0;
  if (next == 0 || step->found || is_blocked(x, thread)) return UNF_OK;
  struct siblings siblings;
  bool some = unfi_siblings(x->u, &x->u->operations.data[next], &siblings);
  uint32_t head = some ? unfi_sleeping_head(x, thread, last) : NONE;
  if (head != NONE) return consider_siblings(step, head, siblings);
  unf_status status = unfi_outcomes(x->u, C, thread, next, consider, step);
  return status == UNF_OK ? step->status : status;
}

unf_status unfi_free_step(unf_explorer *x) {
  struct free_step step = {x, false, false, false, UNF_OK, {0}};
  uint32_t preferred = unfi_bounds_prefer(x);
  bool missing;
  unf_status status = UNF_OK;
  if (preferred != NONE) status = consider_thread(x, preferred, &step, &missing);
  for (uint32_t t = 0; status == UNF_OK && t < x->u->threads.count; t++) {
    status = consider_thread(x, t, &step, &missing);
    if (status == UNF_OK && missing) return unfi_missing(x->u, t);
  }
  if (status != UNF_OK) return status;
  x->run.step.action = step.action;
  x->run.chosen = NONE;
  if (unfi_bounds_exceeded(x) != UNF_BOUND_NONE)
    x->run.step.kind = UNF_STEP_TRUNCATED;
  else if (step.found)
    x->run.step.kind = UNF_STEP_ACTION;
  else if (step.asleep)
    x->run.step.kind = UNF_STEP_REDUNDANT;
  else
    x->run.step.kind = step.cut_off ? UNF_STEP_CUTOFF : UNF_STEP_MAXIMAL;
  return UNF_OK;
}

unf_status unfi_free_branch(unf_explorer *x, bool *found) {
  struct siblings siblings;
  struct causes causes;
  uint32_t event;
  unf_step ended = x->run.step;
  unf_status status = unfi_free_step(x);
  unf_action action = x->run.step.action;
  *found = status == UNF_OK && x->run.step.kind == UNF_STEP_ACTION;
  x->run.step = ended;
  if (!*found) return status;
  if (!vector_reserve(x->u->context, &x->run.clue, 1)) return unfi_refused(x->u->context);
  status = unfi_causes(x->u, configuration_cut(&x->path.C), &action, &causes);
  if (status == UNF_OK) status = unfi_event_intern(x->u, &causes, &event);
  if (status != UNF_OK) return status;
  x->run.clue.data[0] = event;
  x->run.clue.count = 1;
  x->run.drawn = unfi_siblings_of(x->u, event, &siblings);
  return UNF_OK;
}
