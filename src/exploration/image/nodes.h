/*
 * The nodes of all wakeup trees, written down as chains: each node of one but the last has the next
 * one below it and none beside it, and the handles of their events follow one another. So most
 * sequences are, and a number says a whole chain.
 */
#ifndef EXPLORATION_IMAGE_NODES_H
#define EXPLORATION_IMAGE_NODES_H

#include <unfold/explore.h>
#include <unfold/wakeup.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

struct chain {
  uint32_t start, count; /* the number of its first node; of nodes */
  uint32_t event;        /* of its first node */
  uint32_t first, next;  /* of its last node */
  bool taken;            /* it stands in a tree */
};

/* A node: the place of its chain plus 1, and its place there; 0: none. */
struct chain_node {
  uint32_t chain, place;
};

/* Chains that were read and are to become trees. */
struct nodes_in {
  VECTOR(struct chain) all;      /* by their starts */
  VECTOR(struct chain_node) way; /* of each list of nodes that is gone through, the next one */
};

void unfi_nodes_write(const unf_wakeup_trees *trees, struct bytes_out *out);
/* The tree of a depth: its first branch. */
void unfi_nodes_write_tree(const unf_wakeup_trees *trees, uint32_t depth, struct bytes_out *out);

unf_status unfi_nodes_read(unf_explorer *x, struct bytes_in *in, struct nodes_in *nodes);
/* Reads the tree of the node at which the path ends. Each way through it is possible from there. */
unf_status unfi_nodes_read_tree(unf_explorer *x, struct bytes_in *in, struct nodes_in *nodes,
                                unf_wakeup_trees *trees);
void unfi_nodes_free(unf_context *context, struct nodes_in *nodes);

#endif
