/* Analyses as a whole, and their results. */
#include "purity/purity.h"

#include <string.h>

#include "base/null.h"
#include "purity/graph.h"
#include "purity/insert.h"
#include "purity/logic.h"
#include "purity/loops.h"
#include "purity/propagate.h"
#include "purity/term.h"
#include "purity/verify.h"

void unf_purity_free(unf_purity *p) {
  if (p == NULL) return;
  unf_context *context = p->flow->context;
  for (uint32_t i = 0; i < p->loops.count; i++)
    unfi_reallocate(context, p->loops.data[i].inside, (size_t)p->graph.blocks + 1, 0);
  unfi_graph_free(context, &p->graph);
  vector_free(context, &p->loops);
  vector_free(context, &p->insertions);
  vector_free(context, &p->remarks);
  unfi_reallocate(context, p, sizeof *p, 0);
}

static void analyse_loop(unf_purity *p, uint32_t number, const uint8_t *live, struct logic *logic) {
  unf_loop *loop = &p->loops.data[number].is;
  uint32_t insertions = p->insertions.count, remarks = p->remarks.count;
  struct condition c = unfi_condition_new(logic);
  if (!logic->refused && loop->irreducible) {
    unf_remark r = {number, UNF_IMPURITY_IRREDUCIBLE, loop->header, UINT32_MAX, UNF_REGISTER_NONE};
    if (vector_reserve(p->flow->context, &p->remarks, (uint64_t)p->remarks.count + 1))
      vector_push(&p->remarks, r);
    else
      logic->refused = true;
  }
  if (!logic->refused && !loop->irreducible) unfi_loop_condition(p, number, live, logic, &c);
  if (!logic->refused) unfi_loop_insertions(p, number, logic, &c);
  if (!logic->refused) loop->condition = unfi_condition_term(logic, &c);
  loop->insertions = p->insertions.count - insertions;
  loop->remarks = p->remarks.count - remarks;
  unfi_condition_free(logic, &c);
}

/* Analyses a flow, after the arguments were checked. */
static unf_status analyse(unf_purity *p, const unf_purity_options *options) {
  unf_flow *flow = p->flow;
  struct logic logic = {
      .flow = flow, .disjuncts = options->disjuncts, .conjuncts = options->conjuncts};
  size_t variables = flow->variables.count;
  if (!unfi_graph_make(flow, &p->graph)) return unfi_refused(flow->context);
  unf_status status = unfi_flow_verify(flow, &p->graph);
  if (status != UNF_OK) return status;
  uint8_t *live = unfi_flow_live(flow, &p->graph);
  logic.map = unfi_take(flow->context, variables, sizeof *logic.map);
  logic.zero = unfi_term_constant(flow, 0);
  logic.refused =
      live == NULL || logic.map == NULL || logic.zero == UNF_TERM_NONE || !unfi_loops_find(p);
  for (uint32_t i = 0; i < p->loops.count && !logic.refused; i++)
    analyse_loop(p, i, live, &logic);
  if (logic.refused) status = unfi_refused(flow->context);
  if (live != NULL) unfi_reallocate(flow->context, live, variables + 1, 0);
  if (logic.map != NULL)
    unfi_reallocate(flow->context, logic.map, (variables + 1) * sizeof *logic.map, 0);
  return status;
}

unf_status unf_purity_new(unf_flow *flow, const unf_purity_options *options, unf_purity **out) {
  RETURN_IF_NULL(flow->context, flow, out);
  static const unf_purity_options defaults = UNF_PURITY_OPTIONS_INIT;
  unf_context *context = flow->context;
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options)
    return unfi_wrong_option(context, "unf_purity_options.size", options->size, sizeof *options);
  if (options->disjuncts < 1 || options->disjuncts > 64)
    return unfi_wrong_option(context, "unf_purity_options.disjuncts", options->disjuncts, 0);
  if (options->conjuncts < 1 || options->conjuncts > 64)
    return unfi_wrong_option(context, "unf_purity_options.conjuncts", options->conjuncts, 0);
  if (flow->blocks.count == 0)
    return unfi_fail(context, UNF_INVALID, "a description without blocks");
  unf_purity *p = unfi_take(context, 0, sizeof *p);
  if (p == NULL) return unfi_refused(context);
  p->flow = flow;
  unf_status status = analyse(p, options);
  if (status == UNF_OK)
    *out = p;
  else
    unf_purity_free(p);
  return status;
}

static unf_status no_such(const unf_purity *p) {
  return unfi_fail(p->flow->context, UNF_INVALID,
                   "a loop, insertion or remark that does not exist");
}

uint32_t unf_purity_loops(const unf_purity *p) {
  return p == NULL ? 0 : p->loops.count;
}

unf_status unf_purity_loop(const unf_purity *p, uint32_t loop, unf_loop *out) {
  RETURN_IF_NULL(p->flow->context, p, out);
  if (loop >= p->loops.count) return no_such(p);
  *out = p->loops.data[loop].is;
  return UNF_OK;
}

bool unf_purity_contains(const unf_purity *p, uint32_t loop, unf_block block) {
  return p != NULL && loop < p->loops.count && block < p->graph.blocks &&
         p->loops.data[loop].inside[block];
}

bool unf_purity_edge(const unf_purity *p, uint32_t loop, unf_block from, unf_block to) {
  return unf_purity_contains(p, loop, from) && unf_purity_contains(p, loop, to) &&
         to != p->loops.data[loop].is.header && goes_back(&p->graph, from, to);
}

uint32_t unf_purity_insertions(const unf_purity *p) {
  return p == NULL ? 0 : p->insertions.count;
}

unf_status unf_purity_insertion(const unf_purity *p, uint32_t index, unf_insertion *out) {
  RETURN_IF_NULL(p->flow->context, p, out);
  if (index >= p->insertions.count) return no_such(p);
  *out = p->insertions.data[index];
  return UNF_OK;
}

uint32_t unf_purity_remarks(const unf_purity *p) {
  return p == NULL ? 0 : p->remarks.count;
}

unf_status unf_purity_remark(const unf_purity *p, uint32_t index, unf_remark *out) {
  RETURN_IF_NULL(p->flow->context, p, out);
  if (index >= p->remarks.count) return no_such(p);
  *out = p->remarks.data[index];
  return UNF_OK;
}

const char *unf_impurity_text(unf_impurity why) {
  static const char *const texts[] = {
#define TEXT(name, text) text,
      UNF_IMPURITY_TABLE(TEXT)
#undef TEXT
  };
  return (unsigned)why < UNF_IMPURITY_COUNT ? texts[why] : "?";
}
