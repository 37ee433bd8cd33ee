/*
 * An explorer as a worker: the item that it has, what the ledger is to be told, and what counts
 * already.
 */
#ifndef EXPLORATION_DISTRIBUTION_ITEM_H
#define EXPLORATION_DISTRIBUTION_ITEM_H

#include <unfold/distribute.h>

#include "exploration/distribution/letter.h"

/* A branch that was explored to its end, behind so many that were explored below it. */
struct finished_branch {
  struct named_step step;
  uint32_t below;
};

/* Of a node: where the branches that were explored there begin in `finished`, and how many. */
struct finished_level {
  uint32_t first, count;
};

struct item {
  bool begun;           /* the explorer was given one */
  bool held;            /* and has not reported that it is finished */
  bool closed;          /* nothing is inserted into it from outside */
  struct letter letter; /* sequences for nodes above the root of the item */
  uint64_t sequences;
  unf_counts reported;
  VECTOR(uint8_t)
  decided; /* by depth: something was decided beyond the node of the path when it was entered;
              behind the last: nothing was */
  /* If it is not closed: the nodes from its root to above this depth, the first at which nothing
   * was decided, accept sequences from outside. What was explored below them is noted. */
  uint32_t accepting;
  VECTOR(struct finished_branch) finished; /* by depth of the nodes of the way, in their order */
  VECTOR(struct finished_level) levels;    /* by depth */
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

/* The way to the root is taken, and something was decided beyond it, or not. Returns false when
 * refused. */
bool unfi_way_begin(unf_explorer *x, bool decided);
/* Room for what the next two note, at a node from where so many steps are decided. Returns false
 * when refused. */
bool unfi_way_reserve(unf_explorer *x, uint32_t depth, uint32_t count);
/* The node of the path's end has left a branch. */
void unfi_way_left(unf_explorer *x, uint32_t event);
/* So many steps were decided at a node. */
void unfi_way_decided(unf_explorer *x, uint32_t depth, uint32_t count);
/* The way is the path, and what is decided of the next execution behind it. */
uint32_t unfi_way_length(const unf_explorer *x);
/* Whether nothing was decided beyond a node of the way when it was entered. */
bool unfi_way_is_free(const unf_explorer *x, uint32_t depth);
/* Puts the nodes from the root of the item to the end of the way: how many there are; at how many
 * the branches are given away; for each the branches that are explored, the step to the next,
 * whether that is free, and the branches that are left. Returns false when refused. */
bool unfi_way_put(const unf_explorer *x, uint32_t shared, struct letter *letter);
/* Puts what was explored at the root of an item that is finished. */
bool unfi_way_put_finished(const unf_explorer *x, struct letter *letter);
/* The root of the item is the node at a depth from now on. */
void unfi_way_advance(unf_explorer *x, uint32_t depth);

#endif
