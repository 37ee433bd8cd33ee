/* Site trees. */
#ifndef STRUCTURE_TREE_H
#define STRUCTURE_TREE_H

#include "structure/unfolding.h"

/* A node of a site tree. */
struct node {
  uint32_t branch, depth;
};

/* A path of a site tree without forks; the first child of a node continues its branch, every other
 * begins one. */
struct branch {
  uint32_t parent;     /* branch it left, NONE for the root */
  uint32_t fork_depth; /* depth of the node on the parent that it left */
  uint32_t tip_depth;  /* of its last node */
  uint32_t level;      /* number of forks above it */
  uint32_t jump;       /* an ancestor branch further up, or the parent */
};

/* The tree of a site. */
struct tree {
  uint32_t root; /* branch that begins at ⊥ */
  /* A conflict can show in it: of an object, or of a thread whose tree forked by itself. */
  bool compared;
};

bool unfi_ancestor_far(const unf_unfolding *u, struct node a, struct node b);
struct node unfi_tree_add(unf_unfolding *u, struct node parent);
/* Room for branches: of the two nodes that most events have, and of others. */
bool unfi_tree_reserve(unf_unfolding *u, uint32_t others);

/* Whether node a is node b or above it. */
static inline bool ancestor(const unf_unfolding *u, struct node a, struct node b) {
  return a.depth <= b.depth && (a.branch == b.branch || unfi_ancestor_far(u, a, b));
}

/* Room for the trees of so many sites; false: refused. */
bool unfi_trees_reserve(unf_unfolding *u, uint64_t sites);
/* The tree of the next site, where there is room. */
void unfi_tree_begin(unf_unfolding *u, bool compared);
/* From now on the tree is compared. */
void unfi_tree_compare(unf_unfolding *u, uint32_t site);

#endif
