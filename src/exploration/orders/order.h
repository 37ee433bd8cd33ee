/*
 * An order: which leaf of the exploration tree comes next. Like a strategy it is a table of
 * functions over an explorer, with a state that nobody else looks into (`order_state`, zero at
 * first). A function that is NULL has nothing to do.
 */
#ifndef EXPLORATION_ORDERS_ORDER_H
#define EXPLORATION_ORDERS_ORDER_H

#include <unfold/explore.h>

#include "exploration/strategies/strategy.h"

struct saved;
struct tree_search;

struct order {
  const char *name; /* the word of options */
  size_t state;     /* bytes of its state */

  /* Returns false when refused. */
  bool (*begin)(unf_explorer *x, const unf_explorer_options *options);
  void (*end)(unf_explorer *x);
  /* Leaves the leaf of the last run for that of the next one: the path is then at its node, and the
   * clue leads on. */
  unf_status (*next)(unf_explorer *x);
  /* Everything was explored, and begins again at the root with a clue. */
  void (*restart)(unf_explorer *x);

  /* The list of the states that were saved at a node on the way of the run, after so many steps. */
  uint32_t *(*saves)(unf_explorer *x, uint32_t depth);
  /* The deepest state that was saved on the way to the node where the run begins, or NULL. */
  const struct saved *(*saved)(const unf_explorer *x);

  /* Writes down what it holds beside the path; NULL: it cannot be written. */
  void (*write)(const unf_explorer *x, struct bytes_out *out);
  void (*read)(unf_explorer *x, struct bytes_in *in);

  /* Visits every handle that it holds beside the path. */
  void (*visit)(unf_explorer *x, handle_visitor visit, void *user);

  /* Of those that hold the tree: whether a leaf comes before another one, where that is a matter of
   * the two; or else the choice of one. */
  bool (*before)(const unf_leaf *a, const unf_leaf *b);
  unf_status (*choose)(unf_explorer *x, uint32_t *leaf);
  /* Where the leaves of one part of the tree may come later than those of another: executions are
   * asked for branches many together, in the order of the tree, and not each at its end. */
  bool asks_late;
  /* Of strands that have more leaves than are looked for at a time, the one that was executed last
   * goes on first, not the first one. */
  bool asks_last;
};

/* By unf_order. */
extern const struct order unfi_orders[UNF_ORDER_COUNT];

#endif
