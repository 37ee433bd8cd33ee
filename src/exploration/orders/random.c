/*
 * A leaf at random: by descents of the tree, of which each ends at a leaf that waits or at what was
 * explored. One costs O(nodes on its way + forks there).
 */
#include "exploration/orders/random.h"

#include "base/random.h"
#include "exploration/orders/strand.h"
#include "exploration/orders/tree_search.h"

#define DESCENTS_BEFORE_A_DRAW 2

static uint64_t draw(struct tree_search *tree, uint64_t below) {
  return splitmix64(&tree->seed) % below;
}

/*
 * The branch that a descent takes from a node: the strand itself, whose part below has `own`
 * strands, or one that forks there, from `last` backwards. The probabilities are as the sizes known
 * so far, so that no part of the tree waits long; a leaf counts as the mean of the other branches.
 */
static uint32_t branch(struct tree_search *tree, uint32_t strand, uint32_t last, uint64_t own) {
  const struct strand *all = tree->strands.data;
  uint32_t fork = all[last].fork, explored = 1, waiting = 0, next = strand;
  uint64_t sizes = own;
  for (uint32_t i = last; i != NONE && all[i].fork == fork; i = all[i].prev) {
    bool waits = all[i].state == STRAND_WAITS;
    waiting += waits;
    explored += !waits;
    sizes += waits ? 0 : all[i].size;
  }
  /* In parts of a leaf's weight, so that the mean is a whole number. */
  uint64_t total = sizes * (explored + waiting), chosen = own * explored;
  uint64_t drawn = draw(tree, total);
  for (uint32_t i = last; drawn >= chosen; i = all[i].prev) {
    drawn -= chosen;
    chosen = all[i].state == STRAND_WAITS ? sizes : all[i].size * explored;
    next = i;
  }
  return next;
}

/* Follows the descent along a strand to the first strand that it turns to; the strand itself when
 * it comes to the end. O(forks from the strand). */
static uint32_t follow(struct tree_search *tree, uint32_t strand) {
  const struct strand *all = tree->strands.data;
  uint64_t own = all[strand].size;
  for (uint32_t last = all[strand].tail; last != NONE;) {
    uint32_t fork = all[last].fork, i = last;
    for (; i != NONE && all[i].fork == fork; i = all[i].prev)
      own -= all[i].size;
    uint32_t next = fork < tree->descent_node ? strand : branch(tree, strand, last, own);
    if (next != strand) return next;
    last = i;
  }
  return strand;
}

/* Goes on with the descent at hand to its end, or to a leaf that waits. Strands on the way are
 * asked for further branches when U has doubled since they were asked last. */
static unf_status descend(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  for (;;) {
    uint32_t strand = tree->descent;
    const struct strand *s = &tree->strands.data[strand];
    *leaf = s->state == STRAND_WAITS ? strand : NONE;
    if (s->state == STRAND_WAITS) return UNF_OK;
    if (s->state == STRAND_LEFT) break;
    if (x->counts.extensions / 2 > s->discovered) {
      unf_status status = unfi_tree_search_ask_again(x, strand);
      if (status != UNF_OK) return status;
    }
    tree->descent = follow(tree, strand);
    if (tree->descent == strand) break;
    tree->descent_node = tree->strands.data[tree->descent].fork + 1;
  }
  tree->descent = NONE;
  return UNF_OK;
}

unf_status unfi_leaf_at_random(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  *leaf = NONE;
  for (; *leaf == NONE && tree->descents < DESCENTS_BEFORE_A_DRAW; tree->descents++) {
    if (tree->descent == NONE) {
      tree->descent = 0;
      tree->descent_node = x->floor;
    }
    unf_status status = descend(x, leaf);
    if (status != UNF_OK) return status;
  }
  if (*leaf == NONE) *leaf = tree->waiting.data[draw(tree, tree->leaves.count)];
  tree->descents = 0;
  return UNF_OK;
}
