/*
 * The part of an exploration tree that several workers share: nodes by their actions, with the
 * items at its leaves.
 *
 * A node is *free* if nothing was decided beyond it when it was entered: its sleep set is empty,
 * and no sequence is ever inserted into what is below it from outside. An item is a free node that
 * nobody has split; whoever has it explores what is below, and what has to be known about that here
 * is nothing. Nodes are appended to the right of their siblings only, so what is left of a node was
 * decided on when it was made.
 */
#ifndef EXPLORATION_DISTRIBUTION_SHARED_TREE_H
#define EXPLORATION_DISTRIBUTION_SHARED_TREE_H

#include "exploration/distribution/letter.h"

enum node_state {
  NODE_INNER, /* it has, or had, children */
  NODE_OPEN,  /* an item that nobody has */
  NODE_GIVEN, /* an item that somebody has */
  NODE_DONE   /* all below it is explored */
};

/* Nodes are numbered from 1; 0: none. */
struct shared_node {
  struct named_step step;
  uint32_t depth, parent;
  uint32_t first, last, next; /* children; the next sibling, or the next unused node */
  uint32_t swept;             /* all children up to this one are done, and have no nodes left */
  uint32_t open, unfinished;  /* items in what is below it, the node included: that nobody has; that
                                 are not done */
  uint8_t state;
  bool free;
};

struct shared_tree {
  unf_unfolding *u;
  VECTOR(struct shared_node) nodes;
  uint32_t unused, count; /* the first unused node; how many are used */
  uint32_t most;
  VECTOR(struct named_step) way; /* scratch */
  VECTOR(uint32_t) asleep;       /* scratch: actions */
};

static inline struct shared_node *shared_node_at(const struct shared_tree *tree, uint32_t node) {
  return &tree->nodes.data[node - 1];
}

/* The root, as an open item. Returns false when refused. */
bool unfi_shared_begin(struct shared_tree *tree);
void unfi_shared_end(struct shared_tree *tree);

/* Room for so many nodes more. Returns false when refused. */
bool unfi_shared_reserve(struct shared_tree *tree, uint64_t more);
/* Appends a child, for which there is room. */
uint32_t unfi_shared_append(struct shared_tree *tree, uint32_t parent, struct named_step step,
                            enum node_state state, bool is_free);
void unfi_shared_set_state(struct shared_tree *tree, uint32_t node, enum node_state state);

/* The leftmost open item; 0: none. */
uint32_t unfi_shared_leftmost(struct shared_tree *tree);

/* Of the values that the operation of a step can have, a worker has another one explored when it
 * finds one: sets *step to the first that is asleep neither at the node nor left of `from`; unsets
 * *any if there is none. */
unf_status unfi_shared_draw(struct shared_tree *tree, uint32_t node, uint32_t from,
                            struct named_step *step, bool *any);
/* Inserts a sequence of a worker's, whose list is overwritten, at a node, of which the worker's
 * item is below the child `from`. *inserted: an item was made of it. */
unf_status unfi_shared_insert(struct shared_tree *tree, uint32_t node, uint32_t from,
                              struct named_step *sequence, uint32_t count, bool *inserted);

/* An item is done. Frees what nobody will ask about again. */
void unfi_shared_done(struct shared_tree *tree, uint32_t node);

#endif
