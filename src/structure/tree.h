/* Site trees. */
#ifndef STRUCTURE_TREE_H
#define STRUCTURE_TREE_H

#include "structure/block.h"

/* A node of a site tree. */
struct node {
  uint32_t branch, depth;
};

/* Set in the branch of a node that left it, and that nothing follows: such a fork has no branch of
 * its own. */
#define TWIG 0x80000000u

/* A path of a site tree without forks; the first child of a node continues its branch, every other
 * leaves it. */
struct branch {
  uint32_t parent;     /* branch it left, NONE for the root */
  uint32_t fork_depth; /* depth of the node on the parent that it left; of the root 0 */
  uint32_t tip_depth;  /* of its last node */
  uint32_t level;      /* number of forks above it */
  uint32_t jump;       /* an ancestor branch further up, or the parent */
};

bool unfi_ancestor_far(const unf_unfolding *u, struct node a, uint32_t branch_of_b);

/* What one look says, with no call that costs even those registers to save that decide nothing. */
enum answer { NO, YES, FURTHER };

/* The branch that a node is on, or left. */
static inline uint32_t branch_of(struct node node) {
  return node.branch & ~TWIG;
}

/* Whether node a is above node b, which is another one; FURTHER: it takes a climb. */
static inline enum answer ancestor_at_once(const unf_unfolding *u, struct node a, struct node b) {
  if (a.depth >= b.depth || (a.branch & TWIG)) return NO;
  if (a.branch == branch_of(b)) return YES;
  return u->store.branches.data[branch_of(b)].fork_depth < a.depth ? NO : FURTHER;
}

static inline bool ancestor(const unf_unfolding *u, struct node a, struct node b) {
  enum answer answer = ancestor_at_once(u, a, b);
  return answer == FURTHER ? unfi_ancestor_far(u, a, branch_of(b)) : answer == YES;
}

/* Whether a node left the branch of the one above it when it was added. */
static inline bool is_twig(struct node node) {
  return node.branch & TWIG;
}

/* Makes a twig the first node of a branch. */
void unfi_tree_branch(unf_unfolding *u, struct node *node);

/* Adds a child of a node, where there is room; the parent gets a branch if it has none. */
static inline struct node tree_add(unf_unfolding *u, struct node *parent) {
  if (is_twig(*parent)) unfi_tree_branch(u, parent);
  struct branch *b = &u->store.branches.data[parent->branch];
  struct node child = {parent->branch, parent->depth + 1};
  if (b->tip_depth == parent->depth)
    b->tip_depth++;
  else
    child.branch |= TWIG;
  return child;
}

/* Room for branches: of the two nodes that most events have, and of others. */
static inline bool tree_reserve(unf_unfolding *u, uint32_t others) {
  return vector_reserve(u->context, &u->store.branches,
                        (uint64_t)u->store.branches.count + 2 + others);
}

/* Room for the trees of so many sites. Returns false when refused. */
bool unfi_trees_reserve(unf_unfolding *u, uint64_t sites);
/* The tree of the next site, where there is room. */
void unfi_tree_begin(unf_unfolding *u, bool compared);
/* From now on cuts that differ at the site are compared there: it is that of an object, or of a
 * thread whose tree forked by itself. */
void unfi_tree_compare(unf_unfolding *u, uint32_t site);
static inline bool is_compared(const unf_unfolding *u, uint32_t site) {
  return u->store.compared.data[site / BLOCK] >> site % BLOCK & 1;
}

#endif
