/*
 * A strategy: how the branches of the exploration tree are found. It is a table of functions over
 * an explorer, with a state that nobody else looks into (`strategy_state`, zero at first). A
 * function that is NULL has nothing to do.
 *
 * The life of one run: unf_explorer_next() leaves the last leaf, node by node, asking each for
 * `another` branch (or the leaf as a whole, by `leave`); the steps of the branch are decided, and
 * beyond it `choose` says how the run goes on. At the end of a maximal run the strategy `learn`s
 * from it. On the way it is called for every event that is discovered, and for every step of the
 * path that is taken back.
 *
 * A new one is its file, its row in the table of strategies.h and a value of unf_algorithm.
 */
#ifndef EXPLORATION_STRATEGIES_STRATEGY_H
#define EXPLORATION_STRATEGIES_STRATEGY_H

#include <unfold/explore.h>

#include "structure/compaction.h"

struct bytes_out;
struct bytes_in;
struct sharing;

/* Is given where the handle of an event is kept. */
typedef void (*handle_visitor)(void *user, uint32_t *handle);

struct strategy {
  const char *name;    /* the word of options */
  uint32_t supports;   /* enum feature, or-ed */
  size_t state;        /* bytes of its state */
  bool sleeps_at_node; /* events of D sleep at the node where they were added, not below it */
  bool keeps_outcomes; /* the other outcomes of a branch event that is performed enter U */
  /* Executions are drawn: nothing is explored to the end, one whose trace was met before is not
   * redundant, and the state begins with a struct sampling. */
  bool samples;
  bool names_traces; /* `learn` says whether the trace was met before */

  void (*begin)(unf_explorer *x, const unf_explorer_options *options);
  void (*end)(unf_explorer *x);

  /* ---- events ---- */
  /* Room for all events with handles below a number, and all sites known so far. Returns false when
   * refused. */
  bool (*fit)(unf_explorer *x, uint32_t events);
  /* Room for discovering an event, for which `fit` made room. Returns false when refused. */
  bool (*reserve)(unf_explorer *x, uint32_t event);
  void (*discover)(unf_explorer *x, uint32_t event);

  /* ---- the path ---- */
  /* The last step of the path was taken back. */
  void (*pop)(unf_explorer *x, uint32_t event);
  /* What it attached to a step or an event of D, which is no longer there. */
  void (*release)(unf_explorer *x, uint32_t attached);

  /* ---- a run ---- */
  /* Decides, where nothing is decided, how the run goes on: `run.step`, and, if the event of the
   * step is at hand, `run.chosen`. */
  unf_status (*choose)(unf_explorer *x);
  /* The run at hand has ended, not as a redundant one. Unsets *fresh if its trace was seen before.
   * When it is refused it is called again. */
  unf_status (*learn)(unf_explorer *x, bool *fresh);

  /* ---- branches ---- */
  /* Whether the node of the path's end, which `event` was the last one to leave, has another
   * branch; the clue then leads along it. */
  unf_status (*another)(unf_explorer *x, uint32_t event, bool *found);
  /* In place of that: leaves the leaf for the next branch, with the path at its node and the clue
   * leading along it; `run.shared` is set. Depth-first only. */
  unf_status (*leave)(unf_explorer *x, bool *found);
  /* Verdicts on cutoffs have changed: events that were left out may be needed. */
  void (*settled)(unf_explorer *x);

  /* ---- writing down, see exploration/image/ ---- */
  /* What it has at a node of the path, or of the clue behind it, by its depth. When it is read, the
   * path ends at the node. */
  unf_status (*write_node)(const unf_explorer *x, uint32_t depth, struct bytes_out *out);
  void (*read_node)(unf_explorer *x, struct bytes_in *in);
  /* What else it needs beside the events that were discovered. When it is read, the path ends where
   * it did. */
  void (*write)(const unf_explorer *x, struct bytes_out *out);
  void (*read)(unf_explorer *x, struct bytes_in *in);

  const struct sharing *sharing; /* see distribution/item.h; NULL: its branches cannot be shared */

  /* ---- freeing events ---- */
  /* Visits every handle that it holds, so that these events are kept, and renamed later. */
  void (*visit)(unf_explorer *x, handle_visitor visit, void *user);
  /* Events have other handles: what was derived from the old ones is to be dropped. */
  void (*renamed)(unf_explorer *x);
  /* For what is no list of handles: says which events are kept beside those that were visited.
   * Returns false when refused. */
  bool (*keep)(unf_explorer *x, struct compaction *c);
  /* With `keep`: after `y`, which has a state of its own and so far discovered what is left of the
   * events, takes over what is known of them. */
  void (*inherit)(unf_explorer *x, unf_explorer *y, const struct compaction *c);
};

#endif
