/* An analysis: the graph of the reachable blocks, its loops, and what was found for each. */
#ifndef PURITY_PURITY_H
#define PURITY_PURITY_H

#include "purity/condition.h"

/* The reachable blocks. Arrays are by block; positions are those in a reverse postorder. */
struct graph {
  uint32_t blocks;
  uint32_t reached;   /* number of reachable blocks */
  uint32_t *order;    /* position of a block; UINT32_MAX: cannot be reached */
  uint32_t *sequence; /* block at a position */
  uint32_t *above;    /* immediate dominator; the first block has itself */
  uint32_t *first;    /* where the edges into a block begin in `from`; one more at the end */
  uint32_t *from;     /* the block that each edge leaves; only reachable ones */
  uint32_t edges;
};

struct loop {
  unf_loop is;
  uint8_t *inside; /* by block */
};

struct unf_purity {
  unf_flow *flow;
  struct graph graph;
  VECTOR(struct loop) loops;
  VECTOR(unf_insertion) insertions;
  VECTOR(unf_remark) remarks;
};

/* Allocates memory that is zero; returns NULL when refused. */
void *unfi_take(unf_context *context, size_t count, size_t size);

/* graph.c: returns false when refused. */
bool unfi_graph_make(const unf_flow *flow, struct graph *graph);
void unfi_graph_free(unf_context *context, struct graph *graph);
bool unfi_dominates(const struct graph *graph, unf_block above, unf_block block);

/* loops.c: finds the loops; returns false when refused. */
bool unfi_loops_find(unf_purity *purity);
/* Whether an edge of the graph goes back to the header of its loop. */
static inline bool goes_back(const struct graph *graph, unf_block from, unf_block to) {
  return unfi_dominates(graph, to, from);
}

/* verify.c: fails if a register has no value where it is used. */
unf_status unfi_flow_verify(const unf_flow *flow, const struct graph *graph);
/* By register: whether anything but the register itself depends on it. Returns
 * NULL when refused. */
uint8_t *unfi_flow_live(const unf_flow *flow, const struct graph *graph);

/* propagate.c: the condition of a loop at the start of its header, with the remarks of the loop. */
void unfi_loop_condition(unf_purity *purity, uint32_t loop, const uint8_t *live,
                         struct logic *logic, struct condition *out);
/* c = c ∧ "the edge number `edge` of the block is the one that is taken". */
void unfi_edge_taken(struct logic *logic, const struct block *block, uint32_t edge,
                     struct condition *c);

/* facts.c: what holds whenever a block is executed, as one conjunction. */
void unfi_facts_find(const unf_purity *purity, struct logic *logic, unf_block block,
                     struct condition *facts);

/* insert.c: where to stop the thread for the condition of a loop. */
void unfi_loop_insertions(unf_purity *purity, uint32_t loop, struct logic *logic,
                          const struct condition *c);

#endif
