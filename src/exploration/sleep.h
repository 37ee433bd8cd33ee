/*
 * D, the events that are not to be taken again after the nodes where they were added. An event of D
 * is unjustified at a node while no event of C is in conflict with it; it is then enabled, so the
 * unjustified events of D are the sleep set. They form a doubly linked list: an event pushed to the
 * path takes those that depend on it out, and puts them back, in reverse order, when it is popped.
 *
 * Siblings (extension/siblings.h) are justified together, by one of them in C or by what is in
 * conflict with the event that they follow. So the first of them to enter D is the head that stands
 * in the list for all; those added while it is there are apart from it. There can be very many, so
 * nothing here goes through them.
 */
#ifndef EXPLORATION_SLEEP_H
#define EXPLORATION_SLEEP_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "extension/siblings.h"

/* An event of D, or the head of siblings. */
struct sleeper {
  uint32_t event;
  uint32_t depth;      /* node where it was added */
  uint32_t prev, next; /* in the list of unjustified ones; also valid while unlinked */
  uint32_t chain;      /* next of those unlinked by the same frame */
  uint32_t until;      /* depth of the last node of the path where it sleeps, or NONE */
  uint32_t attached;   /* as that of a frame */
  uint32_t siblings;   /* of it in D, beside it */
  int64_t awake;       /* of a head: no sibling with a lesser value is awake */
};

/* A sibling of a head, which sleeps where that one does. */
struct sleeping_sibling {
  uint32_t event, head;
  uint32_t depth, attached; /* as those of a sleeper */
  uint32_t older;           /* the entry of the same event above, or 0 */
};

struct sleepers {
  VECTOR(struct sleeper) entries;
  VECTOR(struct sleeping_sibling) siblings;
  /* Of each event among the siblings the newest entry, from 1, at a place by the hash of the event
   * or behind it; 0: none. What was entered last goes first, so places can be emptied. */
  uint32_t *newest;
  uint32_t room; /* siblings that there is room for, at half of the places: 0, or a power of two */
  uint32_t first, last; /* of the list; NONE: it is empty */
};

/* Whether there is room for one more, and making it. Returns false when refused. */
static inline bool sleep_has_room(const struct sleepers *D) {
  return D->entries.count < D->entries.capacity && D->siblings.count < D->room;
}
bool unfi_sleep_reserve(unf_context *context, struct sleepers *D);
void unfi_sleepers_free(unf_context *context, struct sleepers *D);

/* Adds an event to D at the node of the path's end; takes the one that was added last back; drops
 * all that were added at a node. */
void unfi_sleep(unf_explorer *x, uint32_t event);
void unfi_unsleep(unf_explorer *x, uint32_t event);
void unfi_wake(unf_explorer *x, uint32_t depth);
/* Whether some were added at a node or below it. */
static inline bool sleeps_from(const struct sleepers *D, uint32_t depth) {
  uint32_t entries = D->entries.count, siblings = D->siblings.count;
  return (entries > 0 && D->entries.data[entries - 1].depth >= depth) ||
         (siblings > 0 && D->siblings.data[siblings - 1].depth >= depth);
}

/* Takes the sleepers that depend on the last step of the path out of the list, and keeps them with
 * it, the last one first; puts these back. */
void unfi_justify(unf_explorer *x);
void unfi_unjustify(unf_explorer *x, uint32_t justified);

/* The head of what a thread can do after `before`, in the list; of the siblings of a step of the
 * path, among those that the step justified. NONE: none of them sleeps. */
uint32_t unfi_sleeping_head(const unf_explorer *x, uint32_t thread, uint32_t before);
uint32_t unfi_justified_head(const unf_explorer *x, uint32_t step);
/* What is attached to an event as a sibling of a head; NULL: it is none in D. */
uint32_t *unfi_sleeping_sibling(unf_explorer *x, uint32_t head, uint32_t event);

/* Whether an action of the present node is asleep. */
unf_status unfi_asleep(unf_explorer *x, const unf_action *action, bool *out);
/* The least value from *value on of a sibling that is awake, and is not `except`; unsets *any if
 * there is none. head: NONE if all are awake; except: NONE, or one of them. */
unf_status unfi_awake_from(unf_explorer *x, uint32_t head, uint32_t except,
                           struct siblings siblings, int64_t *value, bool *any);

#endif
