/*
 * An explorer as a worker: the item that it has, what is to be reported to the ledger, and what
 * counts already.
 */
#ifndef EXPLORATION_DISTRIBUTION_ITEM_H
#define EXPLORATION_DISTRIBUTION_ITEM_H

#include <unfold/distribute.h>

#include "exploration/distribution/branches.h"
#include "exploration/distribution/step_numbers.h"

/* Of a node: where the branches that were explored there begin in `finished`, and how many. */
struct finished_level {
  uint32_t first, count;
};

struct item {
  bool begun;            /* the explorer was given one */
  bool held;             /* and has not reported that it is finished */
  bool closed;           /* nothing is inserted into it from outside */
  struct letter letter;  /* sequences for nodes above the root of the item */
  struct letter_in read; /* the item */
  uint64_t sequences;
  unf_counts reported;
  VECTOR(uint8_t)
  decided; /* by depth: something was decided beyond the node of the path when it was entered;
              behind the last: nothing was */
  /* If it is not closed: the nodes from its root to above this depth, the first at which nothing
   * was decided, accept sequences from outside. What was explored below them is noted. */
  uint32_t accepting;
  struct branches finished;    /* with those right below each; by depth of the nodes of the way, in
                                  their order */
  struct step_numbers numbers; /* of their steps */
  VECTOR(struct finished_level) levels; /* by depth */
  VECTOR(struct named_step) asleep;     /* scratch */
};

/* What a strategy does to have its branches given away. */
struct sharing {
  /* The path ends at the root of an item: reads its branches, each node by its step, what is below
   * it, and an end; and an end. The leftmost becomes the clue. When it is refused, no branch is
   * left. */
  unf_status (*begin)(unf_explorer *x, struct letter_in *letter);
  /* Whether branches are left at a node of the way. */
  bool (*has_branches)(const unf_explorer *x, uint32_t depth);
  /* Puts the branches at a node into a letter, as they are read. Returns false when refused. */
  bool (*put_branches)(const unf_explorer *x, uint32_t depth, struct letter *letter);
  void (*drop_branches)(unf_explorer *x, uint32_t depth);
};

void unfi_item_end(struct item *item);
/* The event of a step at the end of the path, from a letter. UNF_INVALID: it is not possible. */
unf_status unfi_item_event(unf_explorer *x, struct named_step step, uint32_t *event);

/* ---- way.c: the nodes from the root of the item down ---- */

#endif
