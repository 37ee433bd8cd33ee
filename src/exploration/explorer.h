/*
 * The explorer: a path of the exploration tree of Algorithm 1 (CAV 2018). In depth-first order it
 * is the rightmost one and all there is; in other orders it moves in the tree of strand.h.
 *
 * Node k of the path has the configuration C of the first k events, and the events of D, which are
 * not to be taken again after C. An event of D is unjustified at a node while no event of C is in
 * conflict with it; it is then enabled, so the unjustified events of D are the sleep set. They form
 * a doubly linked list: an event pushed to the path takes those that depend on it out, and puts
 * them back, in reverse order, when it is popped.
 *
 * U is every event that was executed or is a conflicting extension of an executed maximal
 * configuration. Its events are kept in lists by the write that they follow, because the candidates
 * of a spike are siblings there; those that cannot be used are parked where the reason stands (see
 * spikes.c).
 *
 * All that is known about events stands in side tables here; the unfolding may serve several
 * explorers.
 */
#ifndef EXPLORATION_EXPLORER_H
#define EXPLORATION_EXPLORER_H

#include <unfold/explore.h>

#include "alternative/comb.h"
#include "cutoff/cutoff.h"
#include "exploration/bound.h"
#include "exploration/orders/strand.h"
#include "exploration/path.h"
#include "exploration/probes/probe.h"
#include "exploration/save.h"
#include "exploration/strategies/eager/eager.h"
#include "exploration/strategies/qpor/spikes.h"
#include "extension/extension.h"
#include "extension/reversal.h"
#include "structure/event.h"
#include "wakeup/wakeup.h"

enum explorer_state { IDLE, RUNNING, CHOSEN, ENDED };

/* What unf_explorer_next() has to do. */
enum branch_state {
  BRANCH_DECIDED, /* take the branch at `base` by the clue; shared is set */
  BRANCH_LEAF,    /* leave the leaf */
  BRANCH_NONE     /* everything is explored */
};

struct unf_explorer {
  unf_unfolding *u;
  unf_algorithm algorithm;
  unf_alternative_options options;
  enum explorer_state state;
  enum branch_state branch;
  unf_configuration C;
  VECTOR(struct frame) path;
  handle_vector undo;     /* entries of C before the steps with several uses */
  uint32_t base;          /* steps of the path that were there when the run began */
  uint32_t shared;        /* of them, those that are the same as in the last execution */
  uint32_t resumed;       /* steps that the front-end went to without performing them */
  handle_vector last;     /* events of the last execution, since its leaf was left */
  uint32_t taken;         /* event taken back whose node is not asked to the end; 0: none */
  bool leaving;           /* the path is not that of the last execution any more */
  uint32_t at;            /* steps performed in this run; the path is longer only while at < base */
  handle_vector clue;     /* events to take from base on */
  handle_vector replayed; /* by thread: last event at step `at`, while at < base */
  unf_step step;          /* chosen, or how the run ended */
  VECTOR(uint8_t) blocked; /* by thread: blocked by the engine in this run */
  VECTOR(struct sleeper) D;
  uint32_t first_sleeper, last_sleeper;
  VECTOR(struct known *) known; /* by event, in chunks as the events are */
  VECTOR(chain_vector) chains;
  VECTOR(uint32_t) roots; /* by site: first place of U that follows ⊥ there */
  VECTOR(struct place) places;
  VECTOR(struct head) heads;
  struct table head_table;
  struct comb comb;
  handle_vector scratch; /* a cut by site */
  handle_vector events;  /* of the path, for reversal */
  struct attempts attempts;
  uint32_t reversed; /* leading steps shared with the last run whose races were reversed */
  struct unf_wakeup_trees wakeup; /* UNF_ODPOR */
  struct reversals reversals;     /* likewise; of UNF_EAGER the stamps */
  struct eager eager;
  struct arena traces; /* UNF_DFS: maximal configurations, by last events of the threads */
  struct table trace_table;
  struct search search; /* in other orders than depth-first */
  struct saves saves;
  struct bounds bounds;
  struct probes probes;
  unf_counts counts;
  unf_cutoffs *cutoffs; /* NULL: none */
  uint64_t collect;     /* see unf_explorer_options */
  uint32_t collect_percent;
  uint32_t left;          /* events when some were given back last */
  uint32_t unsaid;        /* event whose change was not said yet, or 0 */
  uint32_t floor;         /* steps that this part of the exploration never takes back */
  uint32_t cut_off;       /* events of U that are cutoffs or after one, out of the lists */
  handle_vector restored; /* events that were cut off and are kept: their successors are to come */
  uint32_t next_restored; /* the first of them that was not looked at */
};

static inline struct known *known_at(const unf_explorer *x, uint32_t event) {
  return &x->known.data[event >> EVENT_SHIFT][event & ((1u << EVENT_SHIFT) - 1)];
}

/* Whether no search for alternatives reads U. */
static inline bool by_reversal(const unf_explorer *x) {
  return x->algorithm == UNF_ODPOR || x->algorithm == UNF_EAGER;
}

static inline bool bounded(const unf_explorer *x) {
  return x->bounds.on;
}

/* Frees the path, D and the tables about events. */
void unfi_explorer_clear(unf_explorer *x);

#endif
