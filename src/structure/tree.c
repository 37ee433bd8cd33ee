/*
 * Site trees, compressed to branches: a node is (branch, depth), and only a fork costs a record,
 * when something follows it. Along one execution a tree grows by its tip, so most ancestor queries
 * end on the branch they begin on. Otherwise they climb from branch to branch; a branch at level l
 * has a jump to level l - step^i, step^i being the largest such divisor of l with i ≥ 1 (the parent
 * if there is none), which gives O(step · log(level) / log(step)) per query, as the skip trees of
 * Section 6 of the CAV 2018 paper do for single nodes.
 */
#include "structure/tree.h"

#include "structure/block.h"

bool unfi_ancestor_far(const unf_unfolding *u, struct node a, uint32_t branch_of_b) {
  const struct branch *branches = u->store.branches.data;
  for (uint32_t at = branch_of_b; at != a.branch;) {
    const struct branch *branch = &branches[at];
    /* The depth of a is at least 1, and so it is never above the root of another tree. */
    if (branch->fork_depth < a.depth) return false;
    at = branch->parent;
    /* A jump is safe while the branch it reaches still lies below a. */
    if (branches[branch->jump].fork_depth >= a.depth) at = branch->jump;
  }
  return true;
}

static uint32_t jump_of(const unf_unfolding *u, uint32_t parent, uint32_t level) {
  uint32_t distance = 1;
  if (u->skip_step < 2) return parent;
  while (level % ((uint64_t)distance * u->skip_step) == 0)
    distance *= u->skip_step;
  uint32_t target = level - distance;
  uint32_t at = parent;
  while (u->store.branches.data[at].level > target) {
    const struct branch *b = &u->store.branches.data[at];
    at = u->store.branches.data[b->jump].level >= target ? b->jump : b->parent;
  }
  return at;
}

void unfi_tree_branch(unf_unfolding *u, struct node *node) {
  uint32_t parent = node->branch & ~TWIG, level = u->store.branches.data[parent].level + 1;
  struct branch branch = {.parent = parent,
                          .fork_depth = node->depth - 1,
                          .tip_depth = node->depth,
                          .level = level,
                          .jump = jump_of(u, parent, level)};
  node->branch = u->store.branches.count;
  vector_push(&u->store.branches, branch);
}

bool unfi_trees_reserve(unf_unfolding *u, uint64_t sites) {
  unf_context *context = u->context;
  struct store *s = &u->store;
  return vector_reserve(context, &s->roots, sites) &&
         vector_reserve(context, &s->compared, sites / BLOCK + 1) &&
         vector_reserve(context, &s->branches, s->branches.count + sites - s->roots.count);
}

void unfi_tree_begin(unf_unfolding *u, bool compared) {
  struct store *s = &u->store;
  uint32_t site = s->roots.count, root = s->branches.count;
  struct branch branch = {.parent = NONE, .jump = root};
  vector_push(&s->branches, branch);
  vector_push(&s->roots, root);
  if (site % BLOCK == 0) vector_push(&s->compared, 0);
  if (compared) unfi_tree_compare(u, site);
}

void unfi_tree_compare(unf_unfolding *u, uint32_t site) {
  u->store.compared.data[site / BLOCK] |= 1u << site % BLOCK;
}
