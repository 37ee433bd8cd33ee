/* Weak initials, reversals as sequences, wakeup trees: what UNF_ODPOR and the public functions
 * of unfold/wakeup.h share. */
#ifndef WAKEUP_WAKEUP_H
#define WAKEUP_WAKEUP_H

#include <unfold/wakeup.h>

#include "extension/reversal.h"
#include "wakeup/rest.h"

/* sleep.c: whether an event is a weak initial of a sequence. *position is its index there, or NONE
 * if it is not in the sequence. */
bool unfi_weak_initial(const unf_unfolding *u, uint32_t event, const uint32_t *sequence,
                       uint32_t count, uint32_t *position);

/* UNF_UNKNOWN or UNF_INVALID for an event that cannot be a step: not interned, or ⊥. */
unf_status unfi_check_step(const unf_unfolding *u, uint32_t event);

/* tree.c */
/* Nodes are numbered from 1; 0: none. A free node has ⊥ as its event. */
struct wakeup_node {
  uint32_t event, first, next; /* first child; next sibling, or next free node */
};

struct unf_wakeup_trees {
  unf_unfolding *u;
  VECTOR(struct wakeup_node) nodes;
  uint32_t free, size;    /* the first free node; number of nodes in use */
  handle_vector pending;  /* by depth: the first branch of the tree, up to the last one not empty */
  handle_vector sequence; /* scratch */
};

void unfi_wakeup_empty(unf_wakeup_trees *trees);
/* Inserts a rest at its position; what of it the tree has is performed then. The trees down to
 * there were made for the execution. Refused: they are as they were. */
unf_status unfi_wakeup_insert(unf_wakeup_trees *trees, struct rest *rest, bool *inserted);
/* Makes room for taking a branch of a node; returns false when refused. */
bool unfi_wakeup_reach(unf_wakeup_trees *trees, uint32_t depth);
/* Removes the leftmost branch of a node and returns its event, or NONE if there is no branch. The
 * trees of deeper nodes are empty, and room was made. */
uint32_t unfi_wakeup_take(unf_wakeup_trees *trees, uint32_t depth);
/* Empties the tree of a node. */
void unfi_wakeup_drop(unf_wakeup_trees *trees, uint32_t depth);
/* Number of events on the leftmost way through a tree. */
uint32_t unfi_wakeup_length(const unf_wakeup_trees *trees, uint32_t depth);

/* An event that could have happened instead, and the position of the execution that led to it. */
struct reversal_entry {
  uint32_t position, event;
  uint32_t first; /* position where its rest begins; NONE: it has none */
  bool again;     /* an earlier position led to the event too */
  bool after;     /* left out is what comes after the step at `first`, and that, no more */
};

typedef VECTOR(struct reversal_entry) reversal_vector;

/* reversals.c: the reversals of an execution, and those of the last one, many of which
 * are the same. */
struct reversals {
  reversal_vector found; /* of this execution, by position */
  reversal_vector last;  /* of the last execution, those not kept in `found` */
  uint32_t next;         /* the first of `last` that was not looked at yet */
  uint32_t covered;      /* events of the last execution, or 0 if it was not completed */
  struct {
    enum { REVERSALS_BEGIN, REVERSALS_BEHIND, REVERSALS_KEPT, REVERSALS_RACES } phase;
    uint32_t at;          /* the step, or the reversal of `found`, where the phase stands */
    uint32_t known, from; /* of the execution at hand */
  } progress;             /* of a call that was refused */
  uint32_t once;          /* its first events whose reversals cannot change any more */
  struct few_steps few;   /* its steps, if they are few, */
  uint64_t common;        /* and those that come before all new ones, or are that */
  uint32_t open;          /* of more: the first step that does not come before all new ones, */
  handle_vector earliest; /* and by thread its last event that comes before all new steps */
  handle_vector firsts;   /* by thread: its first step, if it has one */
  VECTOR(struct standing) threads; /* by thread; of the rest at hand */
  VECTOR(struct placed) steps;     /* of the execution at hand */
  VECTOR(struct noted) events;     /* by event */
  uint32_t stamp;                  /* of the execution at hand */
  struct attempts attempts;
};

/* Returning false ends the enumeration. A rest is the visitor's, and valid until it returns. */
typedef bool (*rest_visitor)(void *user, struct rest *rest);

void unfi_reversals_free(unf_context *context, struct reversals *reversals);
/* Visits the reversals of a maximal execution, each event once. The first M->known events are
 * shared with the last execution; of their reversals, only those are visited whose sequence
 * may have changed. A visitor that ends the enumeration because it was refused is given the same
 * reversal again by the call that goes on (M->again). */
unf_status unfi_reversals(unf_unfolding *u, struct reversals *reversals, const struct maximal *M,
                          rest_visitor visit, void *user);

/* outcomes.c: visits the other outcomes of the branches of an execution, each alone. Ends with
 * UNF_OK also when the visitor ends it. */
unf_status unfi_outcome_reversals(unf_unfolding *u, const struct maximal *M, rest_visitor visit,
                                  void *user);

#endif
