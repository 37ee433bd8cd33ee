/* Weak initials, reversals as sequences, wakeup trees: what UNF_ODPOR and the
 * public parts share. */
#ifndef WAKEUP_WAKEUP_H
#define WAKEUP_WAKEUP_H

#include <unfold/wakeup.h>

#include "extension/reversal.h"

/* sleep.c: whether an event is a weak initial of a sequence; its place in it, or NONE if it
 * is not there. */
bool unfi_weak_initial(const unf_unfolding *u, uint32_t event, const uint32_t *sequence,
                       uint32_t count, uint32_t *place);

/* Whether an event can be a step: known, and not ⊥. */
unf_status unfi_check_step(const unf_unfolding *u, uint32_t event);

/* tree.c */
/* Trees name nodes by numbers from 1; 0: none. A free node has ⊥ as its event. */
struct wakeup_node {
  uint32_t event, first, next; /* first child; next sibling, or next free one */
};

struct unf_wakeup_trees {
  unf_unfolding *u;
  VECTOR(struct wakeup_node) nodes;
  uint32_t free, size;    /* the first free node; nodes in use */
  handle_vector pending;  /* by depth: the first branch; up to the last one that may have any */
  handle_vector sequence; /* scratch */
};

void unfi_wakeup_empty(unf_wakeup_trees *trees);
/* Inserts a sequence, which is used up; false: refused. */
bool unfi_wakeup_insert(unf_wakeup_trees *trees, uint32_t depth, uint32_t *sequence, uint32_t count,
                        bool *inserted);
/* Room for taking a branch of a node; false: refused. */
bool unfi_wakeup_reach(unf_wakeup_trees *trees, uint32_t depth);
/* Takes the leftmost branch, when the trees below are empty and there is room; NONE:
 * there is none. */
uint32_t unfi_wakeup_take(unf_wakeup_trees *trees, uint32_t depth);
/* Events on the leftmost way through a tree. */
uint32_t unfi_wakeup_length(const unf_wakeup_trees *trees, uint32_t depth);

/* A reversal that the event at a position led to. */
struct told {
  uint32_t position, event;
  uint32_t first; /* where its sequence begins; NONE: not known */
  bool again;     /* an earlier position led to it */
};

typedef VECTOR(struct told) told_vector;

/* reversals.c: what is kept from one execution to the next. */
struct reversals {
  told_vector told, last;  /* of this execution and the last one, by positions */
  uint32_t next;           /* of the last one */
  uint32_t covered;        /* events of the last one, or 0 if it was not told to the end */
  uint32_t once;           /* leading ones of them of which all is told once */
  handle_vector against;   /* positions of what an event conflicts with */
  handle_vector sequence;  /* that is at hand */
  handle_vector earliest;  /* by thread: its last event that comes before all that is new */
  handle_vector threads;   /* of the events, by position */
  handle_vector causes;    /* by thread: its last event among the causes of the one at hand */
  VECTOR(uint32_t) stamps; /* by event: `stamp` if it was told */
  uint32_t stamp;
  struct attempts attempts;
};

struct reversed {
  uint32_t event, position, count;
  uint32_t *sequence; /* may be used up */
};

/* false ends the enumeration. */
typedef bool (*reversed_visitor)(void *user, const struct reversed *reversed);

void unfi_reversals_free(unf_context *context, struct reversals *reversals);
/* Visits every reversal of a maximal execution, each event once; of those that came of the first
 * M->known events of the last execution too only those whose sequence may be another now. */
unf_status unfi_reversals(unf_unfolding *u, struct reversals *reversals, const struct maximal *M,
                          reversed_visitor visit, void *user);

#endif
