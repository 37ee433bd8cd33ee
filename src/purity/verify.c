/*
 * What a description must satisfy before it is analysed: every register has a value where it is
 * used (its definition dominates the use), and every phi has an operand for each block that leads
 * to it. The analysis relies on this: a register of a loop that is used after the loop has its
 * value from the last iteration, so the phis of the header are the only way in which one iteration
 * can pass something to the next.
 */
#include "purity/verify.h"

#include <string.h>

#include "purity/graph.h"
#include "purity/purity.h"
#include "purity/term.h"

struct check {
  const unf_flow *flow;
  const struct graph *graph;
  struct position at; /* the position of the use; UINT32_MAX: the end of the block */
  unf_status status;
};

static bool has_value(const struct check *c, unf_register variable) {
  const struct variable *v = &c->flow->variables.data[variable];
  if (v->definition == DEFINED_OUTSIDE) return true;
  if (c->graph->order[v->block] == UINT32_MAX) return false;
  if (v->block != c->at.block) return unfi_dominates(c->graph, v->block, c->at.block);
  return v->definition == DEFINED_BY_PHI || v->index < c->at.statement;
}

static void use(void *user, unf_register variable) {
  struct check *c = user;
  if (c->status != UNF_OK || has_value(c, variable)) return;
  char name[96];
  unfi_register_text(c->flow, variable, name, sizeof name);
  c->status = unfi_fail(c->flow->context, UNF_INVALID, "register ", name,
                        " has no value on some way to where it is used");
}

static void use_at(struct check *c, unf_block block, uint32_t statement, unf_term term) {
  c->at = (struct position){block, statement};
  unfi_term_visit(c->flow, term, use, c);
}

static void check_phi(struct check *c, unf_block block, unf_register phi) {
  const struct variable *v = &c->flow->variables.data[phi];
  for (uint32_t i = c->graph->first[block]; i < c->graph->first[block + 1]; i++) {
    uint32_t j = 0;
    while (j < v->operands.count && v->operands.data[j].from != c->graph->from[i])
      j++;
    if (j < v->operands.count) {
      use_at(c, c->graph->from[i], UINT32_MAX, v->operands.data[j].value);
      continue;
    }
    char name[96];
    unfi_register_text(c->flow, phi, name, sizeof name);
    c->status = unfi_fail(c->flow->context, UNF_INVALID, "phi ", name,
                          " has no operand for a block that leads to it");
  }
}

unf_status unfi_flow_verify(const unf_flow *flow, const struct graph *graph) {
  struct check c = {flow, graph, NOWHERE, UNF_OK};
  for (uint32_t i = 0; i < graph->reached && c.status == UNF_OK; i++) {
    unf_block at = graph->sequence[i];
    const struct block *block = &flow->blocks.data[at];
    for (uint32_t j = 0; j < block->phis.count; j++)
      check_phi(&c, at, block->phis.data[j]);
    for (uint32_t j = 0; j < block->statements.count; j++) {
      use_at(&c, at, j, block->statements.data[j].a);
      use_at(&c, at, j, block->statements.data[j].b);
      use_at(&c, at, j, block->statements.data[j].where);
    }
    for (uint32_t j = 0; j < block->edges.count; j++)
      use_at(&c, at, UINT32_MAX, block->edges.data[j].condition);
  }
  return c.status;
}

struct spread {
  const unf_flow *flow;
  const struct graph *graph;
  uint8_t *live;
  bool changed;
};

static void mark(void *user, unf_register variable) {
  struct spread *s = user;
  s->changed |= !s->live[variable];
  s->live[variable] = 1;
}

static bool matters(const struct spread *s, const unf_statement *statement) {
  bool silent =
      statement->kind == UNF_STATEMENT_LOCAL || (statement->kind == UNF_STATEMENT_COMPUTE &&
                                                 (statement->flags & UNF_STATEMENT_MAY_FAIL) == 0);
  return !silent || (statement->result != UNF_REGISTER_NONE && s->live[statement->result]);
}

static void mark_block(struct spread *s, const struct block *block) {
  for (uint32_t i = 0; i < block->edges.count; i++)
    unfi_term_visit(s->flow, block->edges.data[i].condition, mark, s);
  for (uint32_t i = block->statements.count; i-- > 0;) {
    const unf_statement *statement = &block->statements.data[i];
    if (!matters(s, statement)) continue;
    unfi_term_visit(s->flow, statement->a, mark, s);
    unfi_term_visit(s->flow, statement->b, mark, s);
    unfi_term_visit(s->flow, statement->where, mark, s);
  }
  for (uint32_t i = 0; i < block->phis.count; i++) {
    const struct variable *v = &s->flow->variables.data[block->phis.data[i]];
    for (uint32_t j = 0; j < v->operands.count && s->live[block->phis.data[i]]; j++)
      unfi_term_visit(s->flow, v->operands.data[j].value, mark, s);
  }
}

uint8_t *unfi_flow_live(const unf_flow *flow, const struct graph *graph) {
  struct spread s = {flow, graph, unfi_take(flow->context, flow->variables.count, 1), true};
  while (s.live != NULL && s.changed) {
    s.changed = false;
    for (uint32_t i = graph->reached; i-- > 0;)
      mark_block(&s, &flow->blocks.data[graph->sequence[i]]);
  }
  return s.live;
}
