/*
 * A leaf at random, so that no part of the tree waits long: descents from the root towards a strand
 * that is drawn, each as likely as any other, so that a descent turns to a part of the tree as
 * often as the part is large, as far as that is known. At each node on the way where leaves wait it
 * may turn to one of them: a leaf counts as the mean of the other branches there. A descent that
 * comes to what was explored has failed, and after two such all leaves are as likely.
 *
 * One descent costs O(nodes with forks on its way), and for the leaf at a node the least of their
 * number, that of the branches and that of all leaves for each of them.
 */
#include "exploration/orders/random.h"

#include "base/random.h"
#include "exploration/orders/strand.h"
#include "exploration/orders/tree_search.h"

#define DESCENTS_BEFORE_A_DRAW 2

static uint64_t draw(struct tree_search *tree, uint64_t below) {
  return splitmix64(&tree->seed) % below;
}

/* One of the strands of a group that wait; there is one. */
static uint32_t draw_waiting(struct tree_search *tree, uint32_t group) {
  const struct strand *all = tree->strands.data;
  uint64_t waiting = all[group].waiting, branches = all[all[group].last].place;
  uint32_t i = group;
  if (tree->leaves.count <= waiting * branches) {
    do
      i = tree->waiting.data[draw(tree, tree->leaves.count)];
    while (all[i].group != group);
    return i;
  }
  for (uint64_t left = draw(tree, waiting);; i = all[i].next)
    if (all[i].state == STRAND_WAITS && left-- == 0) return i;
}

/* Whether a descent turns to one of those that wait at a node. */
static bool turns(struct tree_search *tree, uint32_t group) {
  const struct strand *all = tree->strands.data;
  uint64_t waiting = all[group].waiting, branches = all[all[group].last].place;
  return waiting > 0 && draw(tree, branches + 1) < waiting;
}

/* The leaf to which a descent comes, or NONE. It is gone through from its end upwards, so that the
 * last turn is the one that is taken. */
static uint32_t descend(struct tree_search *tree) {
  const struct strand *all = tree->strands.data;
  uint32_t strand = (uint32_t)draw(tree, tree->strands.count), turn = NONE;
  if (all[strand].state == STRAND_FREE) return NONE;
  uint32_t leaf = all[strand].state == STRAND_WAITS ? strand : NONE, group = all[strand].head;
  for (;;) {
    for (; group != NONE; group = all[all[group].last].next)
      if (turns(tree, group)) turn = group;
    if (all[strand].parent == NONE) break;
    group = all[strand].group;
    strand = all[strand].parent;
  }
  return turn != NONE ? draw_waiting(tree, turn) : leaf;
}

unf_status unfi_leaf_at_random(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  *leaf = NONE;
  for (unsigned i = 0; i < DESCENTS_BEFORE_A_DRAW && *leaf == NONE; i++)
    *leaf = descend(tree);
  if (*leaf == NONE) *leaf = tree->waiting.data[draw(tree, tree->leaves.count)];
  return UNF_OK;
}
