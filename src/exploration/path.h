/*
 * The path: the steps from the root of the exploration tree to the node at hand, the configuration
 * C that they make, and D along it, the events that are not to be taken again.
 *
 * Node k of the path has the configuration of the first k steps, and the events of D that were
 * added at it or above (sleep.h).
 *
 * All that is known about events stands in side tables; the unfolding may serve several explorers.
 */
#ifndef EXPLORATION_PATH_H
#define EXPLORATION_PATH_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "exploration/by_event.h"
#include "exploration/sleep.h"

/* A step of the path and what undoing it restores. */
struct frame {
  uint32_t event, action;
  uint32_t next[2]; /* operation of its thread after it, and the first of the one that it starts;
                       0: not offered again yet */
  uint32_t old_own, old_other; /* entries of C for the sites that it uses; of several see `undo` */
  uint32_t justified;          /* entries of D, see unfi_justify(); NONE: none */
  uint32_t attached;           /* the strategy's, which it gets back with the step; 0: nothing */
};

/* What is known of an event: the 1-based step of the path that has it, 0 if it is not in C; whether
 * it was discovered, see unfi_discover(); whether it was executed. One word that is read and
 * written as a whole: to read what was just written in part is slow. */
struct mark {
  uint32_t word;
};
#define MARK_STEP       ((1u << 30) - 1)
#define MARK_DISCOVERED (1u << 30)
#define MARK_EXECUTED   (1u << 31)

/* What a step number has room for. */
#define MAX_STEPS (MARK_STEP - 1)

struct path {
  unf_configuration C;
  VECTOR(struct frame) steps;
  handle_vector undo; /* entries of C before the steps with several uses */
  struct sleepers D;
  struct by_event marks;
  uint32_t sites, events; /* that tables have room for, here and in the state of the strategy */
};

static inline struct mark *mark_at(const struct path *path, uint32_t event) {
  return by_event_at(&path->marks, struct mark, event);
}

static inline uint32_t step_of(const struct path *path, uint32_t event) {
  return mark_at(path, event)->word & MARK_STEP;
}

static inline bool is_discovered(const struct path *path, uint32_t event) {
  return mark_at(path, event)->word & MARK_DISCOVERED;
}

/* The path to the root of an unfolding. */
struct path unfi_path_begin(unf_unfolding *u);
void unfi_path_end(struct path *path);

/* Whether the tables by event and by site have room for what is known so far. */
static inline bool path_fits(const unf_unfolding *u, const struct path *path) {
  return u->store.count < path->events && u->sites.count <= path->sites;
}

/* As unfi_path_reserve(), where there is none yet. */
RARE bool unfi_path_enlarge(unf_explorer *x);
/* Appends an event that is enabled and not asleep, for which room was reserved. Returns false
 * when refused. */
bool unfi_path_push(unf_explorer *x, uint32_t event);
uint32_t unfi_path_pop(unf_explorer *x);
/* Leading steps that the path has in common with an execution; makes the execution, which has so
 * many of them, that of the path. Returns false when refused. */
uint32_t unfi_path_common(const struct path *path, const handle_vector *execution);
/* Keeps the events of the path as those of the last run. Returns false when refused. */
bool unfi_path_keep_last(unf_explorer *x);
bool unfi_path_events(const unf_explorer *x, handle_vector *execution, uint32_t common);
/* U, the events that were discovered: those that were executed, and those that the strategy
 * found could have been instead. Room for one more. Returns false when refused. */
bool unfi_discover_reserve(unf_explorer *x, uint32_t event);
/* Enters an event for which room was reserved. */
void unfi_discover(unf_explorer *x, uint32_t event);

#endif
