/* The graph of the reachable blocks. */
#ifndef PURITY_GRAPH_H
#define PURITY_GRAPH_H

#include "purity/purity.h"

/* Allocates memory that is zero; returns NULL when refused. */
void *unfi_take(unf_context *context, size_t count, size_t size);

/* Returns false when refused. */
bool unfi_graph_make(const unf_flow *flow, struct graph *graph);
void unfi_graph_free(unf_context *context, struct graph *graph);
bool unfi_dominates(const struct graph *graph, unf_block above, unf_block block);

#endif
