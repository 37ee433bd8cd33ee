/*
 * Site trees, compressed to branches: a node is (branch, depth), and only a fork costs a record. Along one execution a tree grows by its tip, so
 * most ancestor queries end on the branch they begin on. Otherwise they climb from branch to branch; a branch at level
 * l has a jump to level l - step^i, step^i being the largest such divisor of l with i ≥ 1 (the parent if there is none), which gives
 * O(step · log(level) / log(step)) per query, as the skip trees of Section 6 of the CAV 2018 paper do for single nodes.
 */
#include "structure/unfolding.h"

bool unfi_ancestor_far(const unf_unfolding *u, uint32_t branch_a, uint32_t depth_a,
                       uint32_t branch_b) {
  const struct branch *branches = u->branches.data;
  const struct branch *b = &branches[branch_b];
  while (branch_b != branch_a) {
    if (b->parent == NONE || b->fork_depth < depth_a) return false;
    uint32_t up = b->parent;
    /* A jump is safe while the branch it reaches still lies below depth_a. */
    const struct branch *far = &branches[b->jump];
    if (b->jump != up && far->parent != NONE && far->fork_depth >= depth_a) up = b->jump;
    branch_b = up;
    b = &branches[up];
  }
  return true;
}

static uint32_t jump_of(const unf_unfolding *u, uint32_t parent, uint32_t level) {
  uint32_t distance = 1;
  if (u->skip_step < 2) return parent;
  while (level % ((uint64_t)distance * u->skip_step) == 0) distance *= u->skip_step;
  uint32_t target = level - distance;
  uint32_t at = parent;
  while (u->branches.data[at].level > target) {
    const struct branch *b = &u->branches.data[at];
    at = u->branches.data[b->jump].level >= target ? b->jump : b->parent;
  }
  return at;
}

bool unfi_tree_reserve(unf_unfolding *u) {
  return vector_reserve(u->context, &u->branches, (uint64_t)u->branches.count + 2);
}

void unfi_tree_add(unf_unfolding *u, uint32_t branch, uint32_t depth, uint32_t *child_branch,
                   uint32_t *child_depth) {
  struct branch *b = &u->branches.data[branch];
  *child_depth = depth + 1;
  if (b->tip_depth == depth) {
    b->tip_depth++;
    *child_branch = branch;
    return;
  }
  uint32_t level = b->level + 1;
  struct branch fork = {branch, depth, depth + 1, level, jump_of(u, branch, level)};
  *child_branch = u->branches.count;
  vector_push(&u->branches, fork);
}
