/*
 * Steps that are no nodes of a shared tree: a sequence that was inserted, below its first step, as
 * long as no other one leaves it, or one that waits at a node.
 */
#ifndef EXPLORATION_DISTRIBUTION_TAIL_H
#define EXPLORATION_DISTRIBUTION_TAIL_H

#include "exploration/distribution/shared_tree.h"

static inline struct tail *tail_at(const struct shared_tree *tree, uint32_t tail) {
  return &tree->tails.data[tail - 1];
}

/* Steps from the first that is left on. */
static inline struct named_step *tail_steps(struct tail *tail, uint32_t *count) {
  *count = tail->count;
  return (struct named_step *)(tail + 1) + tail->first;
}

/* A tail of steps, from 1; 0: refused. */
uint32_t unfi_tail_make(struct shared_tree *tree, const struct named_step *steps, uint32_t count);
void unfi_tail_drop(struct shared_tree *tree, uint32_t tail);
/* Leaves the last steps of a tail, so many. */
static inline void tail_keep(struct tail *tail, uint32_t count) {
  tail->first += tail->count - count;
  tail->count = count;
}
/* Has a tail be all that is below a node, but for its first steps. */
void unfi_tail_hang(struct shared_tree *tree, uint32_t node, uint32_t tail, uint32_t first);
/* The tail below a node is dropped. */
void unfi_tail_cut(struct shared_tree *tree, uint32_t node);
/* Makes nodes of the first steps below a node, for which there is room; the last of these. */
uint32_t unfi_tail_unfold(struct shared_tree *tree, uint32_t node, uint32_t count);

/* Has a tail wait at a node, behind others. */
void unfi_tail_wait(struct shared_tree *tree, uint32_t node, uint32_t tail);
/* Takes out the one that waits for the longest time; 0: there is none. */
uint32_t unfi_tail_awaken(struct shared_tree *tree, uint32_t node);
/* The one behind another that waits at a node, or behind 0, which is the first; 0: none. */
uint32_t unfi_tail_next(const struct shared_tree *tree, uint32_t node, uint32_t tail);

#endif
