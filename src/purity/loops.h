/* The loops of a flow. */
#ifndef PURITY_LOOPS_H
#define PURITY_LOOPS_H

#include "purity/graph.h"
#include "purity/purity.h"

/* Finds the loops; returns false when refused. */
bool unfi_loops_find(unf_purity *purity);

/* Whether an edge of the graph goes back to the header of its loop. */
static inline bool goes_back(const struct graph *graph, unf_block from, unf_block to) {
  return unfi_dominates(graph, to, from);
}

#endif
