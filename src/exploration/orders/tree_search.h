/*
 * The exploration tree as it is held for orders other than depth-first, in strands (strand.h), and
 * the search in it.
 */
#ifndef EXPLORATION_ORDERS_TREE_SEARCH_H
#define EXPLORATION_ORDERS_TREE_SEARCH_H

#include "exploration/explorer.h"
#include "exploration/orders/strand.h"

struct tree_search {
  uint64_t seed;
  unf_leaf_chooser choose;
  void *choose_user;
  VECTOR(struct strand) strands; /* the first is the root */
  uint32_t free;
  VECTOR(unf_leaf) leaves; /* a heap where the order is one; of as many as there are in ... */
  handle_vector waiting;   /* ... this, by the same index: its strand */
  uint64_t found;          /* leaves so far */
  uint32_t here;           /* the strand that the path follows, to its end */
  uint32_t slept;          /* branches at the path's end, a node of it, that are in D */
  uint32_t chosen;         /* the leaf of the next run while the way there is not made; or NONE */
  uint32_t running;        /* the strand of the run; NONE when it was taken in */
  uint32_t sweep;          /* the strand where the sweep stands */
  bool asking;             /* the node where the sweep stands was not asked to the end */
  uint32_t unasked;        /* strands executed since the last pass */
  uint32_t passing;        /* the strand where a pass stands, or NONE */
  uint32_t portion;        /* leaves that a strand is asked for at a time */
  uint32_t left;           /* of those of the portion at hand; 0: none is */
  handle_vector open;  /* strands of which nodes are still to be asked, as they were executed, */
  uint32_t open_first; /* ... from here on; not where executions are asked late */
  uint32_t drawn;      /* of the random order: the strand whose node ... */
  uint32_t drawn_node; /* ... is to be asked for the leaf of the next run; or NONE */
  uint32_t failed;     /* descents for it so far */
  bool choosing;       /* the caller is asked for a leaf */
  bool sweeping;       /* the sweep is to go on before a leaf is chosen */
  handle_vector route; /* scratch: strands on the way to one */
};

static inline struct tree_search *tree_of(const unf_explorer *x) {
  return x->order_state;
}

/* Begins, with a leaf at the root. Returns false when refused. */
bool unfi_tree_search_begin(unf_explorer *x, const unf_explorer_options *options);
void unfi_tree_search_end(unf_explorer *x);
/* The nodes of a strand, from one up to but not including another, where branches are still to be
 * looked for when a portion of them was found. False: there are none. */
bool unfi_strand_unasked(const unf_explorer *x, uint32_t strand, uint32_t *first, uint32_t *end);
/* Makes a leaf of another branch of a node of a strand, which is not the one where it forks, if
 * there is one. */
unf_status unfi_node_ask(unf_explorer *x, uint32_t strand, uint32_t node);
unf_status unfi_tree_search_next(unf_explorer *x);
void unfi_tree_search_restart(unf_explorer *x);
uint32_t *unfi_tree_search_saves(unf_explorer *x, uint32_t depth);
const struct saved *unfi_tree_search_saved(const unf_explorer *x);
void unfi_tree_search_visit(unf_explorer *x, handle_visitor visit, void *user);

#endif
