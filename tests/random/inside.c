#include "inside.h"

#include "exploration/explorer.h"
#include "exploration/orders/tree_search.h"
#include "exploration/probes/estimate.h"
#include "exploration/probes/probe.h"
#include "exploration/strategies/qpor/qpor.h"
#include "exploration/strategies/strategies.h"
#include "structure/consistency.h"

unf_status inside_begin(unf_explorer *x) {
  unf_run ignored;
  return unfi_probe_begin(x, &ignored);
}

uint32_t inside_count(const unf_explorer *x) {
  const struct probes *p = &x->probes;
  if (p->contenders.count > 0) return p->actions.count;
  return (uint32_t)(1 / p->prospects.data[p->prospects.count - 1].chance + 0.5);
}

unf_status inside_take(unf_explorer *x, uint32_t which, int64_t low, unf_action *out,
                       double *chance) {
  struct probes *p = &x->probes;
  const struct prospect *end = p->prospects.data + p->prospects.count;
  unf_status status = UNF_OK;
  if (p->contenders.count == 0) {
    *chance = end[-1].chance;
    if (x->run.step.action.kind == UNF_DID_LOCAL) x->run.step.action.value = low + which;
  } else {
    uint32_t i = 0;
    while (which >= p->contenders.data[i].first + p->contenders.data[i].count)
      i++;
    *chance = (end - p->contenders.count)[i].chance;
    status = unfi_probe_take(x, p->actions.data[which]);
  }
  *out = x->run.step.action;
  return status;
}

unf_status inside_end(unf_explorer *x, double *value) {
  unf_status status = unfi_probe_value(x, value);
  unfi_probe_end(x);
  return status;
}

void inside_forget_answers(unf_unfolding *u) {
  unfi_nogoods_drop(&u->consistency->nogoods);
  unfi_memo_drop(&u->consistency->memo);
}

void inside_look_often(unf_context *context, uint32_t steps) {
  context->work.between = steps;
  context->work.look = context->work.steps;
}

void inside_extend_later(unf_explorer *x, uint32_t steps) {
  if (x->strategy == &unfi_qpor || x->strategy == &unfi_sdpor) qpor_of(x)->extended_at_once = steps;
}

void inside_ask_portions(unf_explorer *x, uint32_t leaves) {
  if (x->order->next == unfi_tree_search_next && tree_of(x)->portion != NONE)
    tree_of(x)->portion = leaves;
}

void inside_allow_run(unf_context *context, uint32_t steps) {
  context->limits.runs = context->runs + 1;
  context->work.behind = steps;
}

bool inside_unlearned(const unf_explorer *x) {
  return x->run.unlearned;
}
