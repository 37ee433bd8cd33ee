/*
 * Forward purity conditions (Definition 1 of the paper), propagated backwards through the blocks of
 * one loop, in the reverse of a topological order. At an edge back to the header the condition is
 * that the edge is taken and that every live phi of the header keeps its value; along edges that
 * leave the loop or go back to an inner header it is false; a statement adds its guard.
 *
 * Beyond the paper: registers are replaced by what they were computed from, and phis by their
 * operands along each edge, so that a condition can be decided earlier; a phi whose operand may or
 * may not be equal to it gives a comparison instead of false. The paper compares the operand with
 * the one on first entry, which is wrong when another edge back leaves a third value.
 */
#include "purity/propagate.h"

#include <string.h>

#include "purity/graph.h"
#include "purity/loops.h"
#include "purity/purity.h"
#include "purity/term.h"

struct pass {
  unf_purity *purity;
  const unf_flow *flow;
  struct logic *logic;
  const uint8_t *live;
  const struct loop *loop;
  uint32_t number;
  struct condition *at;   /* by block: the condition at its start */
  unf_block contradicted; /* a block where conditions contradict each other, or none */
  uint32_t budget;        /* steps left for expanding a term */
};

static void remark(struct pass *p, unf_impurity why, unf_block block, uint32_t statement,
                   unf_register variable) {
  unf_purity *u = p->purity;
  unf_remark r = {p->number, why, block, statement, variable};
  for (uint32_t i = u->remarks.count; i-- > 0 && u->remarks.data[i].loop == p->number;) {
    const unf_remark *o = &u->remarks.data[i];
    if (o->why == why && o->block == block && o->statement == statement && o->variable == variable)
      return;
  }
  if (!vector_reserve(u->flow->context, &u->remarks, (uint64_t)u->remarks.count + 1)) {
    p->logic->refused = true;
    return;
  }
  vector_push(&u->remarks, r);
}

/* Makes remarks of the flags of exceeded bounds. */
static void bounded(struct pass *p, unf_block block, struct condition *c) {
  if (p->logic->too_many) {
    c->count = 0;
    remark(p, UNF_IMPURITY_DISJUNCTS, block, UINT32_MAX, UNF_REGISTER_NONE);
  }
  if (p->logic->too_long) remark(p, UNF_IMPURITY_CONJUNCTS, block, UINT32_MAX, UNF_REGISTER_NONE);
  p->logic->too_many = p->logic->too_long = false;
}

static unf_term phi_operand(const unf_flow *flow, unf_register phi, unf_block from) {
  const struct variable *v = &flow->variables.data[phi];
  uint32_t i = 0;
  while (v->operands.data[i].from != from)
    i++;
  return v->operands.data[i].value;
}

/* c = c ∧ "the edge number `edge` of the block is the one that is taken". */
static void take_edge(struct logic *logic, const struct block *block, uint32_t edge,
                      struct condition *c) {
  /* The edge's own condition first: it often implies that the conditions of
   * earlier edges fail. */
  for (uint32_t i = edge + 1; i-- > 0 && !logic->refused;)
    if (block->edges.data[i].condition != UNF_TERM_NONE)
      unfi_condition_and_term(logic, c, block->edges.data[i].condition, i == edge);
}

/* A term with registers replaced by what they were computed from, as far as the budget goes. */
static unf_term expanded(struct pass *p, unf_term term) {
  const struct term t = *term_at(p->flow, term);
  if (p->budget == 0) return term;
  p->budget--;
  if (t.op == UNF_OPERATOR_CONSTANT) return term;
  if (t.op == UNF_OPERATOR_REGISTER) {
    const struct variable *v = &p->flow->variables.data[t.left];
    if (v->definition != DEFINED_BY_STATEMENT) return term;
    const unf_statement *s = &p->flow->blocks.data[v->block].statements.data[v->index];
    return s->kind == UNF_STATEMENT_LOCAL && p->loop->inside[v->block] ? expanded(p, s->a) : term;
  }
  unf_term left = expanded(p, t.left), right = expanded(p, t.right);
  if (p->logic->refused || (left == t.left && right == t.right) ||
      1u + term_at(p->flow, left)->nodes + term_at(p->flow, right)->nodes > UNF_TERM_NODES_MAX)
    return term;
  unf_term made = unfi_term_make(p->logic->flow, (unf_operator)t.op, left, right);
  p->logic->refused |= made == UNF_TERM_NONE;
  return p->logic->refused ? term : made;
}

/* c = every live phi of the header keeps its value. */
static void unchanged(struct pass *p, unf_block from, struct condition *c) {
  const struct block *header = &p->flow->blocks.data[p->loop->is.header];
  unfi_condition_set(c, true);
  for (uint32_t i = 0; i < header->phis.count && c->count > 0 && !p->logic->refused; i++) {
    unf_register phi = header->phis.data[i];
    if (!p->live[phi]) continue;
    unf_term old = unfi_term_register(p->logic->flow, phi);
    p->logic->refused |= old == UNF_TERM_NONE;
    if (p->logic->refused) return;
    p->budget = UNF_TERM_NODES_MAX;
    struct atom same = {old, expanded(p, phi_operand(p->flow, phi, from)), EQUAL};
    if (p->logic->refused) return;
    unfi_condition_and_atom(p->logic, c, same);
    if (c->count == 0 && !p->logic->refused && !p->logic->too_long)
      remark(p, UNF_IMPURITY_CHANGED, from, UINT32_MAX, phi);
  }
}

/* Notes a contradiction, if a condition that was not false has become false. */
static void contradicted(struct pass *p, unf_block block, const struct condition *c) {
  if (c->count == 0 && !p->logic->refused && !p->logic->too_many && !p->logic->too_long)
    p->contradicted = block;
}

/* Replaces the phis of a block by their operands along an edge. */
static void through_phis(struct pass *p, unf_block from, unf_block to, struct condition *c) {
  const struct block *block = &p->flow->blocks.data[to];
  if (block->phis.count == 0 || c->count == 0) return;
  for (uint32_t i = 0; i < block->phis.count; i++)
    p->logic->map[block->phis.data[i]] = phi_operand(p->flow, block->phis.data[i], from);
  unfi_condition_substitute(p->logic, c);
  contradicted(p, from, c);
  for (uint32_t i = 0; i < block->phis.count; i++)
    p->logic->map[block->phis.data[i]] = UNF_TERM_NONE;
}

/* Adds the condition that comes from an edge to the condition at the end of its block. */
static void through_edge(struct pass *p, unf_block from, uint32_t edge, struct condition *end) {
  const struct block *block = &p->flow->blocks.data[from];
  unf_block to = block->edges.data[edge].to;
  if (!p->loop->inside[to]) return;
  bool home = to == p->loop->is.header;
  if (!home && goes_back(&p->purity->graph, from, to)) {
    remark(p, UNF_IMPURITY_INNER, from, UINT32_MAX, UNF_REGISTER_NONE);
    return;
  }
  struct condition c = unfi_condition_new(p->logic);
  if (!p->logic->refused && home) unchanged(p, from, &c);
  if (!p->logic->refused && !home) {
    unfi_condition_or(p->logic, &p->at[to], &c);
    if (!p->logic->refused) through_phis(p, from, to, &c);
  }
  if (!p->logic->refused && c.count > 0) {
    take_edge(p->logic, block, edge, &c);
    contradicted(p, from, &c);
  }
  if (!p->logic->refused) unfi_condition_or(p->logic, &c, end);
  unfi_condition_free(p->logic, &c);
}

/* c = c ∧ guard. */
static void guard(struct pass *p, const unf_statement *s, struct condition *c) {
  unf_term result = UNF_TERM_NONE;
  if (s->result != UNF_REGISTER_NONE) {
    result = unfi_term_register(p->logic->flow, s->result);
    p->logic->refused |= result == UNF_TERM_NONE;
    if (p->logic->refused) return;
  }
  switch (s->kind) {
  case UNF_STATEMENT_STORE:
    unfi_condition_set(c, false);
    break;
  case UNF_STATEMENT_FETCH_ADD:
    unfi_condition_and_atom(p->logic, c, (struct atom){s->a, p->logic->zero, EQUAL});
    break;
  case UNF_STATEMENT_EXCHANGE:
  case UNF_STATEMENT_EXCHANGE_AWAIT:
    unfi_condition_and_atom(p->logic, c, (struct atom){result, s->a, EQUAL});
    break;
  case UNF_STATEMENT_CAS:
    unfi_condition_and_atom(p->logic, c, (struct atom){result, s->a, LESS | GREATER});
    break;
  case UNF_STATEMENT_TRY:
    unfi_condition_and_atom(p->logic, c, (struct atom){result, p->logic->zero, EQUAL});
    break;
  case UNF_STATEMENT_ASSUME:
  case UNF_STATEMENT_ASSERT:
  case UNF_STATEMENT_EFFECT:
    unfi_condition_and_term(p->logic, c, s->a, true);
    break;
  default:
    break;
  }
}

static bool stops_before(const unf_statement *s) {
  return s->kind == UNF_STATEMENT_AWAIT || s->kind == UNF_STATEMENT_EXCHANGE_AWAIT ||
         (s->flags & UNF_STATEMENT_MAY_FAIL) != 0;
}

/* Turns the condition after a statement into the condition before it. */
static void through_statement(struct pass *p, unf_block block, uint32_t index,
                              struct condition *c) {
  const unf_statement *s = &p->flow->blocks.data[block].statements.data[index];
  guard(p, s, c);
  if (c->count == 0 && !p->logic->refused && !p->logic->too_many && !p->logic->too_long)
    remark(p, UNF_IMPURITY_EFFECT, block, index, UNF_REGISTER_NONE);
  if (s->kind == UNF_STATEMENT_LOCAL && c->count > 0 && !p->logic->refused) {
    p->logic->map[s->result] = s->a;
    unfi_condition_substitute(p->logic, c);
    contradicted(p, block, c);
    p->logic->map[s->result] = UNF_TERM_NONE;
  }
  for (uint32_t i = 0; i < c->count && stops_before(s); i++)
    if (c->disjuncts[i].barrier.block == UNF_BLOCK_NONE)
      c->disjuncts[i].barrier = (struct position){block, index};
    else
      c->disjuncts[i].more = true;
}

static void through_block(struct pass *p, unf_block at, struct condition *c) {
  const struct block *block = &p->flow->blocks.data[at];
  c->count = 0;
  for (uint32_t i = 0; i < block->edges.count && !p->logic->refused; i++)
    through_edge(p, at, i, c);
  bounded(p, at, c);
  for (uint32_t i = block->statements.count; i-- > 0 && c->count > 0 && !p->logic->refused;) {
    through_statement(p, at, i, c);
    bounded(p, at, c);
  }
}

void unfi_loop_condition(unf_purity *purity, uint32_t loop, const uint8_t *live,
                         struct logic *logic, struct condition *out) {
  const struct graph *g = &purity->graph;
  unf_context *context = purity->flow->context;
  struct condition *at = unfi_take(context, g->blocks, sizeof *at);
  struct pass p = {.purity = purity,
                   .flow = purity->flow,
                   .logic = logic,
                   .live = live,
                   .loop = &purity->loops.data[loop],
                   .number = loop,
                   .at = at,
                   .contradicted = purity->loops.data[loop].is.header};
  logic->refused |= at == NULL;
  out->count = 0;
  for (uint32_t i = g->reached; i-- > 0 && !logic->refused;) {
    unf_block block = g->sequence[i];
    if (!p.loop->inside[block]) continue;
    through_block(&p, block, out);
    if (!logic->refused) at[block] = unfi_condition_copy(logic, out);
    if (block == p.loop->is.header) break;
  }
  const unf_remark *last =
      purity->remarks.count == 0 ? NULL : &purity->remarks.data[purity->remarks.count - 1];
  if (!logic->refused && out->count == 0 && (last == NULL || last->loop != loop))
    remark(&p, UNF_IMPURITY_CONTRADICTION, p.contradicted, UINT32_MAX, UNF_REGISTER_NONE);
  for (uint32_t b = 0; at != NULL && b < g->blocks; b++)
    unfi_condition_free(logic, &at[b]);
  if (at != NULL) unfi_reallocate(context, at, ((size_t)g->blocks + 1) * sizeof *at, 0);
}
