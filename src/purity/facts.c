/*
 * What holds whenever a block is executed: the conditions of the edges into those of its dominators
 * that have only one. If such a condition implies that a phi has a value which only one of its
 * operands can have, then the block of the phi was entered from the block of that operand, and what
 * held there holds too. This is what `a && b` becomes when it is computed first and tested later.
 *
 * A register cannot have changed since: a way from its definition to the block passes the edge
 * again, as that dominates the block, or passes the block of the phi again, as the edge into that
 * does not go back and the definition dominates it.
 */
#include "purity/facts.h"

#include "purity/loops.h"
#include "purity/purity.h"
#include "purity/logic.h"

enum { MOST_PHIS = 16 };

/* Replaces the facts by a conjunction that implies them; anything else is dropped. */
static void take(struct logic *logic, struct condition *more, struct condition *facts) {
  if (!logic->refused && more->count == 1) {
    facts->count = 0;
    unfi_condition_or(logic, more, facts);
  }
  unfi_condition_free(logic, more);
}

/* Adds the condition of an edge, as far as it is a conjunction. */
static void add_edge(struct logic *logic, const struct block *block, uint32_t edge,
                     struct condition *facts) {
  for (uint32_t i = 0; i <= edge && !logic->refused; i++) {
    if (block->edges.data[i].condition == UNF_TERM_NONE) continue;
    struct condition more = unfi_condition_new(logic);
    if (!logic->refused) unfi_condition_or(logic, facts, &more);
    if (!logic->refused)
      unfi_condition_and_term(logic, &more, block->edges.data[i].condition, i == edge);
    take(logic, &more, facts);
  }
}

static void add_edge_between(const unf_purity *p, struct logic *logic, unf_block from, unf_block to,
                             struct condition *facts) {
  const struct block *block = &p->flow->blocks.data[from];
  uint32_t edge = 0;
  while (block->edges.data[edge].to != to)
    edge++;
  add_edge(logic, block, edge, facts);
}

/* Adds the conditions of the edges that lead to a block and its dominators. */
static void add_dominators(const unf_purity *p, struct logic *logic, unf_block block,
                           struct condition *facts) {
  const struct graph *g = &p->graph;
  for (; block != 0 && !logic->refused; block = g->above[block])
    if (g->first[block + 1] - g->first[block] == 1)
      add_edge_between(p, logic, g->from[g->first[block]], block, facts);
}

static unf_term operand(const struct variable *v, unf_block from) {
  uint32_t i = 0;
  while (v->operands.data[i].from != from)
    i++;
  return v->operands.data[i].value;
}

/* The only block from which the phi can have got a value that satisfies the atom; UNF_BLOCK_NONE:
 * there are several, or the edge from it goes back. */
static unf_block origin(const unf_purity *p, struct logic *logic, const struct atom *fact,
                        unf_register phi) {
  const struct variable *v = &p->flow->variables.data[phi];
  const struct graph *g = &p->graph;
  unf_block from = UNF_BLOCK_NONE;
  for (uint32_t i = g->first[v->block]; i < g->first[v->block + 1]; i++) {
    struct atom atom = {operand(v, g->from[i]), fact->right, fact->mask};
    if (unfi_atom_form(logic, &atom) == FORM_FALSE) continue;
    if (from != UNF_BLOCK_NONE) return UNF_BLOCK_NONE;
    from = g->from[i];
  }
  return from == UNF_BLOCK_NONE || goes_back(g, from, v->block) ? UNF_BLOCK_NONE : from;
}

/* The next fact about a phi that was not followed yet, or NULL. */
static const struct atom *next_phi(const unf_purity *p, const struct condition *facts,
                                   const unf_register *done, uint32_t count, unf_register *phi) {
  for (uint32_t i = 0; i < facts->disjuncts[0].count; i++) {
    const struct term *t = term_at(p->flow, facts->atoms[i].left);
    bool fresh = t->op == UNF_OPERATOR_REGISTER && is_constant(p->flow, facts->atoms[i].right) &&
                 p->flow->variables.data[t->left].definition == DEFINED_BY_PHI;
    for (uint32_t j = 0; j < count && fresh; j++)
      fresh = done[j] != t->left;
    *phi = t->left;
    if (fresh) return &facts->atoms[i];
  }
  return NULL;
}

void unfi_facts_find(const unf_purity *p, struct logic *logic, unf_block block,
                     struct condition *facts) {
  unf_register done[MOST_PHIS], phi = UNF_REGISTER_NONE;
  const struct atom *next;
  unfi_condition_set(facts, true);
  add_dominators(p, logic, block, facts);
  for (uint32_t count = 0; count < MOST_PHIS && !logic->refused; count++) {
    next = next_phi(p, facts, done, count, &phi);
    if (next == NULL) break;
    struct atom fact = *next;
    done[count] = phi;
    unf_block from = origin(p, logic, &fact, phi), to = p->flow->variables.data[phi].block;
    if (from == UNF_BLOCK_NONE || logic->refused) continue;
    fact.left = operand(&p->flow->variables.data[phi], from);
    struct condition more = unfi_condition_new(logic);
    if (!logic->refused) unfi_condition_or(logic, facts, &more);
    if (!logic->refused) unfi_condition_and_atom(logic, &more, fact);
    take(logic, &more, facts);
    if (!logic->refused) add_edge_between(p, logic, from, to, facts);
    if (!logic->refused) add_dominators(p, logic, from, facts);
  }
  logic->too_many = logic->too_long = false;
}
