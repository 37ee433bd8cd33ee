/*
 * The explorer: a path of the exploration tree of Algorithm 1 (CAV 2018), a strategy that finds the
 * branches, and an order in which they are taken. Depth-first the path is the rightmost one and all
 * there is; in other orders it moves in a tree.
 *
 * What belongs to one lifetime is one struct: the position in the tree (path.h), the run at hand
 * (run.h), what was counted. The states of the strategy and of the order are their own.
 */
#ifndef EXPLORATION_EXPLORER_H
#define EXPLORATION_EXPLORER_H

#include <unfold/explore.h>

#include "exploration/bound.h"
#include "exploration/collect.h"
#include "exploration/consistency.h"
#include "exploration/cutoffs.h"
#include "exploration/distribution/item.h"
#include "exploration/drive.h"
#include "exploration/orders/order.h"
#include "exploration/path.h"
#include "exploration/probes/probe.h"
#include "exploration/run.h"
#include "exploration/save.h"
#include "exploration/strategies/strategy.h"
#include "extension/extension.h"

enum explorer_state { IDLE, RUNNING, CHOSEN, ENDED };

/* What unf_explorer_next() has to do. */
enum branch_state {
  BRANCH_DECIDED, /* take the branch at `run.base` by the clue; `run.shared` is set */
  BRANCH_LEAF,    /* leave the leaf */
  BRANCH_NONE     /* everything is explored */
};

struct unf_explorer {
  unf_unfolding *u;
  const struct strategy *strategy;
  const struct order *order;
  void *strategy_state, *order_state;
  unf_explorer_options options;
  uint32_t features; /* that they ask for */
  enum explorer_state state;
  enum branch_state branch;
  uint32_t floor; /* steps that this part of the exploration never takes back */
  struct path path;
  struct run run;
  struct last_run last;
  struct bounds bounds;
  struct saves saves;
  struct cutoffs cutoffs;
  struct consistent consistent;
  struct collecting collecting;
  struct probes probes;
  struct item item;
  struct drive drive;
  unf_counts counts;
};

/* Room for one more step or one more event of D, and for all sites known so far, all events and the
 * next one. Returns false when refused. */
static inline bool unfi_path_reserve(unf_explorer *x) {
  const struct path *path = &x->path;
  bool room = path_fits(x->u, path) && path->C.room >= path->sites &&
              path->steps.count < path->steps.capacity && path->steps.count < MAX_STEPS &&
              sleep_has_room(&path->D);
  return room || unfi_path_enlarge(x);
}

/* Enters an event that is new in U, of which this is the mark, and for which room was reserved. */
static inline void unfi_discover_marked(unf_explorer *x, uint32_t event, struct mark *mark) {
  mark->word |= MARK_DISCOVERED;
  x->counts.extensions++;
  if (x->strategy->discover != NULL) x->strategy->discover(x, event);
}

/* As unf_explorer_new(), with a strategy in place of `options->algorithm`. */
unf_status unfi_explorer_new(unf_unfolding *u, const struct strategy *strategy,
                             const unf_explorer_options *options, unf_explorer **out);

/* Makes a state for the strategy, all zero. Returns false when refused. Ends and frees it. */
bool unfi_strategy_state(unf_explorer *x);
void unfi_strategy_end(unf_explorer *x);

#endif
