/* The path of the exploration tree to the node at hand, and D along it. */
#ifndef EXPLORATION_PATH_H
#define EXPLORATION_PATH_H

#include <unfold/explore.h>

#include "base/vector.h"

/* A step of the path and what undoing it restores. */
struct frame {
  uint32_t event;
  uint32_t old_own, old_other; /* entries of C for the sites that it uses; of several see `undo` */
  uint32_t unlinked;           /* entries of D that it justified, last one first; NONE: none */
  uint32_t parked;             /* events of U that cannot be used while it is on the path */
};

/* An entry of D. */
struct sleeper {
  uint32_t event;
  uint32_t depth;      /* node where it was added */
  uint32_t prev, next; /* in the list of unjustified ones; also valid while unlinked */
  uint32_t chain;      /* next of those unlinked by the same frame */
  uint32_t until;      /* depth of the last node of the path where it sleeps, or NONE */
  uint32_t parked;     /* events of U that have it in their history */
};

/* What is known of an event. */
struct known {
  uint32_t home; /* first place of U that follows it on the second site it writes, or is a choice
                    after it on its thread */
  uint32_t next; /* place after its own in such a list, or among the parked ones */
  uint32_t step : 29; /* 1-based step of the path that has it; 0: not in C */
  uint32_t in_U : 1;
  uint32_t executed : 1;
  uint32_t extended : 1; /* its conflicting extensions are in U */
};

/* What a step number has room for. */
#define MAX_STEPS ((1u << 29) - 2)

/* Room for what is known of all events interned so far and one more; false: refused. */
bool unfi_known_reserve(unf_explorer *x);
/* Room for one more step, and for side tables up to all events and sites; false: refused. */
bool unfi_path_reserve(unf_explorer *x);
/* Appends an event that is enabled and not asleep, for which room was reserved; false: refused. */
bool unfi_path_push(unf_explorer *x, uint32_t event);
uint32_t unfi_path_pop(unf_explorer *x);
/* Cuts the path back to the point where the run began. */
void unfi_path_rewind(unf_explorer *x);
/* Adds an event to D at the node of the path's end; takes the last one back; drops all that were
 * added at a node, and says how many. */
void unfi_sleep(unf_explorer *x, uint32_t event);
void unfi_unsleep(unf_explorer *x);
uint32_t unfi_wake(unf_explorer *x, uint32_t depth);
/* Whether an action of the present node is asleep. */
bool unfi_asleep(const unf_explorer *x, const unf_action *action);

#endif
