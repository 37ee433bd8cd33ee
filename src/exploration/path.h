/*
 * The path: the steps from the root of the exploration tree to the node at hand, the configuration
 * C that they make, and D along it, the events that are not to be taken again.
 *
 * Node k of the path has the configuration of the first k steps, and the events of D that were
 * added at it or above. An event of D is unjustified at a node while no event of C is in conflict
 * with it; it is then enabled, so the unjustified events of D are the sleep set. They form a doubly
 * linked list: an event pushed to the path takes those that depend on it out, and puts them back,
 * in reverse order, when it is popped.
 *
 * All that is known about events stands in side tables; the unfolding may serve several explorers.
 */
#ifndef EXPLORATION_PATH_H
#define EXPLORATION_PATH_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "exploration/by_event.h"

/* A step of the path and what undoing it restores. */
struct frame {
  uint32_t event;
  uint32_t old_own, old_other; /* entries of C for the sites that it uses; of several see `undo` */
  uint32_t unlinked;           /* entries of D that it justified, last one first; NONE: none */
  uint32_t attached;           /* the strategy's, which it gets back with the step; 0: nothing */
};

/* An entry of D. */
struct sleeper {
  uint32_t event;
  uint32_t depth;      /* node where it was added */
  uint32_t prev, next; /* in the list of unjustified ones; also valid while unlinked */
  uint32_t chain;      /* next of those unlinked by the same frame */
  uint32_t until;      /* depth of the last node of the path where it sleeps, or NONE */
  uint32_t attached;   /* as that of a frame */
};

/* What a step number has room for. */
#define MAX_STEPS ((1u << 30) - 2)

/* What is known of an event. */
struct mark {
  uint32_t step : 30;      /* 1-based step of the path that has it; 0: not in C */
  uint32_t discovered : 1; /* see unfi_discover() */
  uint32_t executed : 1;
};

struct path {
  unf_configuration C;
  VECTOR(struct frame) steps;
  handle_vector undo; /* entries of C before the steps with several uses */
  VECTOR(struct sleeper) D;
  uint32_t first_sleeper, last_sleeper;
  struct by_event marks;
};

static inline struct mark *mark_at(const struct path *path, uint32_t event) {
  return by_event_at(&path->marks, struct mark, event);
}

/* The path to the root of an unfolding. */
struct path unfi_path_begin(unf_unfolding *u);
void unfi_path_end(struct path *path);

/* Room for one more step or one more event of D, and for all events and sites known so far; false:
 * refused. */
bool unfi_path_reserve(unf_explorer *x);
/* Appends an event that is enabled and not asleep, for which room was reserved; false: refused. */
bool unfi_path_push(unf_explorer *x, uint32_t event);
uint32_t unfi_path_pop(unf_explorer *x);
/* Adds an event to D at the node of the path's end; takes the last one back; drops all that were
 * added at a node. */
void unfi_sleep(unf_explorer *x, uint32_t event);
void unfi_unsleep(unf_explorer *x);
void unfi_wake(unf_explorer *x, uint32_t depth);
/* Leading steps that the path has in common with an execution; makes the execution that of the
 * path. False: refused. */
uint32_t unfi_path_common(const struct path *path, const handle_vector *execution);
bool unfi_path_events(const unf_explorer *x, handle_vector *execution);
/* Whether an action of the present node is asleep. */
bool unfi_asleep(const unf_explorer *x, const unf_action *action);

/* U, the events that were discovered: those that were executed, and those that the strategy found
 * could have been instead. Room for one more; false: refused. */
bool unfi_discover_reserve(unf_explorer *x, uint32_t event);
/* Enters an event for which room was reserved. */
void unfi_discover(unf_explorer *x, uint32_t event);

#endif
