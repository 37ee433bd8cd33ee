/* Wakeup trees. */
#ifndef WAKEUP_TREE_H
#define WAKEUP_TREE_H

#include <unfold/wakeup.h>

#include "configuration/configuration.h"
#include "wakeup/rest.h"

/* Nodes are numbered from 1; 0: none. A free node has ⊥ as its event. */
struct wakeup_node {
  uint32_t event, first, next; /* first child; next sibling, or next free node */
};

struct unf_wakeup_trees {
  unf_unfolding *u;
  VECTOR(struct wakeup_node) nodes;
  uint32_t free, size;    /* the first free node; number of nodes in use */
  handle_vector pending;  /* by depth: the first branch of the tree, up to the last one not empty */
  handle_vector sequence; /* scratch */
};

void unfi_wakeup_empty(unf_wakeup_trees *trees);
/* Inserts a rest at its position; what of it the tree has is performed then. The trees down to
 * there were made for the execution. Refused: they are as they were. */
unf_status unfi_wakeup_insert(unf_wakeup_trees *trees, struct rest *rest, bool *inserted);
/* Whether a node has a branch; and leaves one that has none. The trees of deeper nodes are empty.
 */
static inline bool wakeup_has_branch(const unf_wakeup_trees *trees, uint32_t depth) {
  return depth < trees->pending.count && trees->pending.data[depth] != 0;
}
static inline void wakeup_leave(unf_wakeup_trees *trees, uint32_t depth) {
  if (trees->pending.count > depth + 1) trees->pending.count = depth + 1;
}
/* Makes room for taking a branch of a node; returns false when refused. */
bool unfi_wakeup_reach(unf_wakeup_trees *trees, uint32_t depth);
/* Removes the leftmost branch of a node and returns its event, or NONE if there is no branch. The
 * trees of deeper nodes are empty, and room was made. */
uint32_t unfi_wakeup_take(unf_wakeup_trees *trees, uint32_t depth);
/* Empties the tree of a node. */
void unfi_wakeup_drop(unf_wakeup_trees *trees, uint32_t depth);
/* Where most nodes are not used, those that are get the first numbers: whoever goes through all
 * then goes through these. */
void unfi_wakeup_tidy(unf_wakeup_trees *trees);
/* Number of events on the leftmost way through a tree. */
uint32_t unfi_wakeup_length(const unf_wakeup_trees *trees, uint32_t depth);

#endif
