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

#endif
