/*
 * Site trees, compressed to branches: a node is (branch, depth), and only a fork costs a record.
 * Along one execution a tree grows by its tip, so most ancestor queries end on the branch they
 * begin on. Otherwise they climb from branch to branch; a branch at level l has a jump to level l -
 * step^i, step^i being the largest such divisor of l with i ≥ 1 (the parent if there is none),
 * which gives O(step · log(level) / log(step)) per query, as the skip trees of Section 6 of the CAV
 * 2018 paper do for single nodes.
 */
#include "structure/unfolding.h"

bool unfi_ancestor_far(const unf_unfolding *u, struct node a, struct node b) {
  const struct branch *branches = u->branches.data;
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
  while (u->branches.data[at].level > target) {
    const struct branch *b = &u->branches.data[at];
    at = u->branches.data[b->jump].level >= target ? b->jump : b->parent;
  }
  return at;
}

bool unfi_tree_reserve(unf_unfolding *u, uint32_t others) {
  return vector_reserve(u->context, &u->branches, (uint64_t)u->branches.count + 2 + others);
}

struct node unfi_tree_add(unf_unfolding *u, struct node parent) {
  struct branch *b = &u->branches.data[parent.branch];
  struct node child = {parent.branch, parent.depth + 1};
  if (b->tip_depth == parent.depth) {
    b->tip_depth++;
    return child;
  }
  uint32_t level = b->level + 1;
  struct branch fork = {parent.branch, parent.depth, child.depth, level,
                        jump_of(u, parent.branch, level)};
  child.branch = u->branches.count;
  vector_push(&u->branches, fork);
  return child;
}
