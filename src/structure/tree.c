/*
 * Site trees, compressed to branches: a node is (branch, depth), and only a fork costs a record.
 * Along one execution a tree grows by its tip, so most ancestor queries end on the branch they
 * begin on. Otherwise they climb from branch to branch; a branch at level l has a jump to level l -
 * step^i, step^i being the largest such divisor of l with i ≥ 1 (the parent if there is none),
 * which gives O(step · log(level) / log(step)) per query, as the skip trees of Section 6 of the CAV
 * 2018 paper do for single nodes.
 */
#include "structure/tree.h"

bool unfi_ancestor_far(const unf_unfolding *u, struct node a, struct node b) {
  const struct branch *branches = u->store.branches.data;
  for (uint32_t at = b.branch; at != a.branch;) {
    const struct branch *branch = &branches[at];
    if (branch->parent == NONE || branch->fork_depth < a.depth) return false;
    at = branch->parent;
    /* A jump is safe while the branch it reaches still lies below a. */
    const struct branch *far = &branches[branch->jump];
    if (branch->jump != at && far->parent != NONE && far->fork_depth >= a.depth) at = branch->jump;
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

bool unfi_tree_reserve(unf_unfolding *u, uint32_t others) {
  return vector_reserve(u->context, &u->store.branches,
                        (uint64_t)u->store.branches.count + 2 + others);
}

struct node unfi_tree_add(unf_unfolding *u, struct node parent) {
  struct branch *b = &u->store.branches.data[parent.branch];
  struct node child = {parent.branch, parent.depth + 1};
  if (b->tip_depth == parent.depth) {
    b->tip_depth++;
    return child;
  }
  uint32_t level = b->level + 1;
  struct branch fork = {parent.branch, parent.depth, child.depth, level,
                        jump_of(u, parent.branch, level)};
  child.branch = u->store.branches.count;
  vector_push(&u->store.branches, fork);
  return child;
}

bool unfi_trees_reserve(unf_unfolding *u, uint64_t sites) {
  unf_context *context = u->context;
  struct store *s = &u->store;
  uint64_t others = sites - s->trees.count;
  return vector_reserve(context, &s->trees, sites) &&
         vector_reserve(context, &s->compared, sites) &&
         vector_reserve(context, &s->cut_room, sites) &&
         vector_reserve(context, &s->branches, s->branches.count + others);
}

void unfi_tree_begin(unf_unfolding *u, bool compared) {
  struct store *s = &u->store;
  struct branch root = {.parent = NONE, .jump = s->branches.count};
  struct tree tree = {.root = s->branches.count};
  vector_push(&s->branches, root);
  vector_push(&s->trees, tree);
  if (compared) unfi_tree_compare(u, s->trees.count - 1);
}

void unfi_tree_compare(unf_unfolding *u, uint32_t site) {
  struct tree *tree = &u->store.trees.data[site];
  if (tree->compared) return;
  tree->compared = true;
  vector_push(&u->store.compared, site);
}
