/* The other door: executions that ran elsewhere, taken as whole traces under the schedule that was given out. Each step goes through the same path. */
#include "exploration/explorer.h"

unf_status unf_explorer_prefix(unf_explorer *x, unf_action_visitor visit, void *user,
                               unf_run *run) {
  unf_run ignored;
  if (run == NULL) run = &ignored;
  unf_status status = unf_explorer_next(x, run);
  if (status != UNF_OK || run->finished) return status;
  for (uint32_t i = 0; i < x->base + x->clue.count; i++) {
    uint32_t event = i < x->base ? x->path.data[i].event : x->clue.data[i - x->base];
    unf_action action = unfi_action(x->u, event_at(x->u, event)->action);
    if (!visit(user, &action)) break;
  }
  return UNF_OK;
}

static unf_status at_step(unf_explorer *x, unf_status status) {
  if (status != UNF_OK && x->u->context->detail.step == 0)
    x->u->context->detail.step = (uint64_t)x->at + 1;
  return status;
}

/* One step; *redundant when it goes where everything was explored. */
static unf_status take(unf_explorer *x, const unf_traced *traced, bool *redundant) {
  unf_unfolding *u = x->u;
  struct cut C = configuration_cut(&x->C);
  unf_status status = unfi_offer_at(x, traced->action.thread, &traced->operation);
  if (status != UNF_OK) return status;
  uint32_t event = unfi_decided(x);
  if (event != NONE) {
    unf_action expected = unfi_action(u, event_at(u, event)->action);
    const unf_action *seen = &traced->action;
    if (expected.kind != seen->kind || expected.thread != seen->thread ||
        expected.target != seen->target || expected.value != seen->value)
      return unfi_divergence(x, &expected, seen);
    return unfi_advance(x, event, traced->cookie);
  }
  struct causes causes;
  status = unfi_causes(u, C, &traced->action, &causes);
  if (status == UNF_OK) status = unfi_check_offered(u, C, &traced->action);
  if (status != UNF_OK) return status;
  *redundant = unfi_asleep(x, &traced->action);
  if (*redundant) return UNF_OK;
  status = unfi_event_intern(u, &causes, &event);
  return status == UNF_OK ? unfi_advance(x, event, traced->cookie) : status;
}

static bool first_action(void *user, const unf_action *action) {
  *(unf_action *)user = *action;
  return false;
}

/* The trace must be maximal: no thread can go on. */
static unf_status check_end(unf_explorer *x, const unf_pending *pending, uint64_t count) {
  unf_unfolding *u = x->u;
  for (uint64_t i = 0; i < count; i++) {
    unf_status status = unfi_offer_at(x, pending[i].thread, &pending[i].operation);
    if (status != UNF_OK) return status;
  }
  uint32_t decided = unfi_decided(x);
  if (decided != NONE) {
    unf_action expected = unfi_action(u, event_at(u, decided)->action);
    return unfi_divergence(x, &expected, NULL);
  }
  struct cut C = configuration_cut(&x->C);
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t last = cut_last(u, C, t);
    if (last == NONE) continue;
    if (next_after(u, t, last) == 0) return unfi_missing(u, t);
    unf_action enabled;
    if (!unfi_outcomes(u, C, t, next_after(u, t, last), first_action, &enabled))
      return unfi_divergence(x, &enabled, NULL);
  }
  return UNF_OK;
}

unf_status unf_explorer_feed(unf_explorer *x, const unf_traced *trace, uint64_t count,
                             const unf_pending *pending, uint64_t pending_count, bool error,
                             unf_verdict *verdict) {
  if (x->state != RUNNING || x->at != 0) return unfi_wrong_state(x, "feed");
  unf_status status = UNF_OK;
  bool redundant = false;
  for (uint64_t i = 0; status == UNF_OK && !redundant && i < count; i++)
    status = at_step(x, take(x, &trace[i], &redundant));
  if (status == UNF_OK && !redundant) status = at_step(x, check_end(x, pending, pending_count));
  if (status == UNF_OK) {
    x->step.kind = redundant ? UNF_STEP_REDUNDANT : UNF_STEP_MAXIMAL;
    x->state = ENDED;
    status = unf_explorer_finish(x, error, verdict);
  }
  if (status == UNF_OK) return UNF_OK;
  /* Back to where unf_explorer_prefix() left it; what was learned of operations stays true. */
  unf_detail detail = x->u->context->detail;
  unfi_path_rewind(x);
  x->at = 0;
  for (uint32_t t = 0; t < x->replayed.count; t++)
    x->replayed.data[t] = x->u->threads.data[t].initial ? 0 : NONE;
  x->state = RUNNING;
  x->u->context->detail = detail;
  return status;
}
