/*
 * A leaf at random, so that no part of the tree waits long: descents from the root towards a strand
 * that is drawn, each as likely as any other, so that a descent turns to a part of the tree as
 * often as the part is large, as far as that is known. At each node on the way where leaves wait it
 * may turn to one of them: a leaf counts as the mean of the other branches there. A descent that
 * comes to what was explored has failed, and after two such all leaves are as likely.
 *
 * Of a strand with very many branches only some are leaves yet. Every other descent through the
 * nodes of it that are still to be asked turns to one of these, each as likely, which is asked for
 * one branch more; where there is none it has failed.
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

/* Where a descent ends: at a leaf, or where it turns to a group or to a node that is to be asked.
 */
struct descent {
  uint32_t leaf, group, strand, node; /* each NONE if it is not there; node: of the strand */
};

/* The node to which a descent turns among those of a strand that are still to be asked, if it does,
 * the deepest of which is this one or further up. */
static void turn_unasked(unf_explorer *x, uint32_t strand, uint32_t deepest, struct descent *d) {
  struct tree_search *tree = tree_of(x);
  uint32_t first, end;
  if (!unfi_strand_unasked(x, strand, &first, &end)) return;
  if (end > deepest + 1) end = deepest + 1;
  if (first >= end || draw(tree, 2) == 0) return;
  *d = (struct descent){NONE, NONE, strand, first + (uint32_t)draw(tree, end - first)};
}

/* It is gone through from its end upwards, so that the last turn is the one that is taken. */
static struct descent descend(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  const struct strand *all = tree->strands.data;
  uint32_t strand = (uint32_t)draw(tree, tree->strands.count);
  struct descent d = {NONE, NONE, NONE, NONE};
  if (all[strand].state == STRAND_FREE) return d;
  if (all[strand].state == STRAND_WAITS) d.leaf = strand;
  uint32_t group = all[strand].head, deepest = strand_end(&all[strand]);
  for (;;) {
    for (; group != NONE; group = all[all[group].last].next)
      if (turns(tree, group)) d = (struct descent){NONE, group, NONE, NONE};
    turn_unasked(x, strand, deepest, &d);
    if (all[strand].parent == NONE) return d;
    group = all[strand].group;
    deepest = all[strand].fork;
    strand = all[strand].parent;
  }
}

/* Asks the node that was drawn; the leaf is the branch that was found, if there is one. A call that
 * is refused can be made again. */
static unf_status ask_drawn(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  uint64_t found = tree->found;
  unf_status status = unfi_node_ask(x, tree->drawn, tree->drawn_node);
  if (status != UNF_OK) return status;
  tree->drawn = NONE;
  if (tree->found > found) *leaf = tree->waiting.data[tree->leaves.count - 1];
  return UNF_OK;
}

static unf_status try_descent(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  if (tree->drawn != NONE) return ask_drawn(x, leaf);
  struct descent d = descend(x);
  tree->failed++;
  tree->drawn = d.strand;
  tree->drawn_node = d.node;
  if (d.strand != NONE) return ask_drawn(x, leaf);
  *leaf = d.group != NONE ? draw_waiting(tree, d.group) : d.leaf;
  return UNF_OK;
}

unf_status unfi_leaf_at_random(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  *leaf = NONE;
  while (*leaf == NONE && (tree->drawn != NONE || tree->failed < DESCENTS_BEFORE_A_DRAW)) {
    unf_status status = try_descent(x, leaf);
    if (status != UNF_OK) return status;
  }
  tree->failed = 0;
  if (*leaf == NONE) *leaf = tree->waiting.data[draw(tree, tree->leaves.count)];
  return UNF_OK;
}
