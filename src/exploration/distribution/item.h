/*
 * An explorer as a worker: the item that it has, what the ledger is to be told, and what counts
 * already.
 */
#ifndef EXPLORATION_DISTRIBUTION_ITEM_H
#define EXPLORATION_DISTRIBUTION_ITEM_H

#include <unfold/distribute.h>

#include "exploration/distribution/letter.h"

/* What was counted when the nodes of the path from a depth on were entered. */
struct entered {
  uint32_t depth;
  unf_counts counts;
};

struct item {
  bool begun;           /* the explorer was given one */
  bool held;            /* and has not reported that it is finished */
  struct letter letter; /* sequences for nodes above the root of the item */
  uint64_t sequences;
  VECTOR(struct entered) entered; /* by ascending depth */
  unf_counts reported;
};

/* What a strategy does to have its branches given away. */
struct sharing {
  /* The path ends at the root of an item. */
  void (*begin)(unf_explorer *x);
  /* Whether branches are left at a node of the path. */
  bool (*has_branches)(const unf_explorer *x, uint32_t depth);
  /* Whether nothing was decided beyond a node of the path when it was entered. */
  bool (*is_free)(const unf_explorer *x, uint32_t depth);
  /* Puts the branches at a node into a letter: each node of the tree by its action, what is below
   * it, and an end; and an end. Returns false when refused. */
  bool (*put_branches)(const unf_explorer *x, uint32_t depth, struct letter *letter);
  void (*drop_branches)(unf_explorer *x, uint32_t depth);
};

/* A run begins at the base: what it enters was not entered before. Returns false when refused. */
bool unfi_item_enter(unf_explorer *x);
void unfi_item_end(struct item *item);

#endif
