/* The free step: where nothing is decided, the first action that is enabled and not asleep. */
#include "exploration/free_step.h"

#include <string.h>

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/cut.h"
#include "structure/event.h"

struct free_step {
  unf_explorer *x;
  bool asleep, cut_off, found;
  bool infeasible; /* a thread has a branch, and none of its outcomes is possible */
  bool any;        /* the thread at hand can do something */
  unf_status status;
};

static bool consider(void *user, const unf_action *action) {
  struct free_step *c = user;
  bool cut_off = false, asleep = false;
  unf_explorer *x = c->x;
  c->any = true;
  if (x->cutoffs.table == NULL && x->path.D.first == NONE) {
    c->found = true;
    action_copy(&x->run.step.action, action);
    return false;
  }
  if (x->cutoffs.table != NULL) c->status = unfi_action_cut_off(x, action, &cut_off);
  if (c->status != UNF_OK) return false;
  c->cut_off = c->cut_off || cut_off;
  if (cut_off) return true;
  if (x->path.D.first != NONE) c->status = unfi_asleep(x, action, &asleep);
  c->asleep = c->asleep || asleep;
  if (c->status != UNF_OK || asleep) return c->status == UNF_OK;
  c->found = true;
  action_copy(&x->run.step.action, action);
  return false;
}

/* Whether an outcome of a branch can be next; it cannot where it sleeps, or is not performed again.
 * Only with `asking` is that asked where no witness says so. */
static unf_status try_outcome(unf_explorer *x, const unf_action *action, bool asking, bool *asleep,
                              bool *cut_off, unf_answer *answer) {
  struct causes causes;
  uint32_t event;
  *answer = UNF_ANSWER_NO;
  *cut_off = false;
  unf_status status = unfi_asleep(x, action, asleep);
  if (status != UNF_OK || *asleep) return status;
  status = unfi_causes_of_outcome(x->u, configuration_cut(&x->path.C), action, &causes);
  if (status == UNF_OK) status = unfi_event_intern(x->u, &causes, &event);
  if (status == UNF_OK) status = unfi_event_cut_off(x, event, cut_off);
  if (status != UNF_OK || *cut_off) return status;
  if (asking) return unfi_next_ask(x, event, answer);
  if (unfi_next_witnessed(x, event)) *answer = UNF_ANSWER_YES;
  return UNF_OK;
}

/* Outcomes of a branch: first one that a witness has, which is known without asking. */
static NOINLINE unf_status consider_branch(struct free_step *c, uint32_t thread, int64_t outcomes) {
  unf_explorer *x = c->x;
  unf_action action = {UNF_DID_BRANCH, thread, 0, 0, 0};
  bool some = false, left_out = false;
  if (!unfi_list_branches(x, x->path.steps.count)) return unfi_refused(x->u->context);
  for (int64_t i = 0; i < 2 * outcomes; i++) {
    bool asking = i >= outcomes, asleep, cut_off;
    unf_answer answer;
    action.value = asking ? i - outcomes : i;
    unf_status status = try_outcome(x, &action, asking, &asleep, &cut_off, &answer);
    if (status != UNF_OK) return status;
    some = some || asleep;
    left_out = left_out || cut_off;
    if (answer == UNF_ANSWER_NO) continue;
    c->found = true;
    x->run.step.action = action;
    return UNF_OK;
  }
  c->asleep = c->asleep || some;
  c->cut_off = c->cut_off || left_out;
  c->infeasible = c->infeasible || !(some || left_out);
  return UNF_OK;
}

/* Siblings, of which one is as good as the other. */
static NOINLINE unf_status consider_siblings(struct free_step *c, uint32_t head,
                                             struct siblings siblings) {
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

/* Considers what a thread of the set can do, and takes it out of the set if that is nothing. */
static unf_status consider_thread(unf_explorer *x, uint32_t thread, struct free_step *step) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->path.C);
  const unf_operation *operation = unfi_ready_operation(u, &x->run.ready, thread);
  const struct operation_row *row = &u->effects->operations[operation->kind];
  if (x->run.blocking && x->run.blocked.data[thread]) return UNF_OK;
  unfi_count(u->context, 1);
  if (row->numbers == NUMBERS_RANGE) {
    uint32_t head = unfi_sleeping_head(x, thread, cut_last(u, C, thread));
    struct siblings siblings = {operation->low, operation->high};
    if (head != NONE) return consider_siblings(step, head, siblings);
  }
  if (operation->kind == UNF_BRANCH) return consider_branch(step, thread, operation->high);
  step->any = false;
  unf_status status = row->family->outcomes(u, C, thread, operation, consider, step);
  if (status == UNF_OK) status = step->status;
  if (status != UNF_OK || step->any) return status;
  bool good = unfi_ready_wait(x->u, &x->run.ready, thread, operation);
  return good ? UNF_OK : unfi_refused(x->u->context);
}

unf_status unfi_free_step(unf_explorer *x) {
  struct free_step step = {.x = x};
  struct ready *ready = &x->run.ready;
  uint32_t preferred = x->bounds.on ? unfi_bounds_prefer(x) : NONE;
  unf_status status = unfi_ready_update(x->u, ready, configuration_cut(&x->path.C));
  if (status == UNF_OK && preferred != NONE && unfi_ready_has(ready, preferred))
    status = consider_thread(x, preferred, &step);
  for (uint32_t t = 0; status == UNF_OK && !step.found; t++) {
    t = unfi_ready_next(ready, t);
    if (t == NONE) break;
    status = consider_thread(x, t, &step);
  }
  if (status != UNF_OK) return status;
  if (!step.found) memset(&x->run.step.action, 0, sizeof x->run.step.action);
  x->run.chosen = NONE;
  if (x->bounds.on && unfi_bounds_exceeded(x) != UNF_BOUND_NONE)
    x->run.step.kind = UNF_STEP_TRUNCATED;
  else if (step.found)
    x->run.step.kind = UNF_STEP_ACTION;
  else if (step.infeasible)
    x->run.step.kind = UNF_STEP_INFEASIBLE;
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
  uint32_t certain = x->consistent.certain;
  unf_status status = unfi_work(x->u->context, x->u->threads.count);
  if (status != UNF_OK) return status;
  /* The path is not at the end of the run at hand. */
  x->run.ready.made = false;
  status = unfi_free_step(x);
  x->run.ready.made = false;
  unf_action action = x->run.step.action;
  *found = status == UNF_OK && x->run.step.kind == UNF_STEP_ACTION;
  x->run.step = ended;
  x->consistent.certain = certain;
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
