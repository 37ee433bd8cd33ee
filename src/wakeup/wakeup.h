/* Weak initials, reversals as sequences, wakeup trees: what UNF_ODPOR and the public functions
 * of unfold/wakeup.h share. */
#ifndef WAKEUP_WAKEUP_H
#define WAKEUP_WAKEUP_H

#include <unfold/wakeup.h>

#include "extension/reversal.h"

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
/* Inserts a sequence, whose array is overwritten. Refused: the trees are as they were. */
unf_status unfi_wakeup_insert(unf_wakeup_trees *trees, uint32_t depth, uint32_t *sequence,
                              uint32_t count, bool *inserted);
/* Makes room for taking a branch of a node; returns false when refused. */
bool unfi_wakeup_reach(unf_wakeup_trees *trees, uint32_t depth);
/* Removes the leftmost branch of a node and returns its event, or NONE if there is no branch. The
 * trees of deeper nodes are empty, and room was made. */
uint32_t unfi_wakeup_take(unf_wakeup_trees *trees, uint32_t depth);
/* Number of events on the leftmost way through a tree. */
uint32_t unfi_wakeup_length(const unf_wakeup_trees *trees, uint32_t depth);

/* An event that could have happened instead, and the position of the execution that led to it. */
struct reversal_entry {
  uint32_t position, event;
  uint32_t first; /* position where its sequence begins; NONE: it has none */
  bool again;     /* an earlier position led to the event too */
};

typedef VECTOR(struct reversal_entry) reversal_vector;

/* An event of an execution, with what is asked of it often. */
struct placed {
  uint32_t event, action, thread;
};

/* How a thread stands to the sequence that is being made, and to the execution at hand. */
struct standing {
  uint32_t out;      /* its first event that is in K or after it, or NONE */
  uint32_t earliest; /* its last event that comes before all new steps */
  bool stepped;      /* it has a new step */
};

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
  VECTOR(struct standing) threads; /* by thread */
  handle_vector sequence;          /* the one that is being made */
  VECTOR(struct placed) steps;     /* of the execution at hand */
  VECTOR(uint32_t) stamps;         /* by event: `stamp` if a reversal of this execution has it */
  uint32_t stamp;
  struct attempts attempts;
};

struct reversed {
  uint32_t event, position, count;
  uint32_t *sequence; /* may be overwritten */
};

/* Returning false ends the enumeration. */
typedef bool (*reversed_visitor)(void *user, const struct reversed *reversed);

void unfi_reversals_free(unf_context *context, struct reversals *reversals);
/* Visits the reversals of a maximal execution, each event once. The first M->known events are
 * shared with the last execution; of their reversals, only those are visited whose sequence
 * may have changed. A visitor that ends the enumeration because it was refused is given the same
 * reversal again by the call that goes on (M->again). */
unf_status unfi_reversals(unf_unfolding *u, struct reversals *reversals, const struct maximal *M,
                          reversed_visitor visit, void *user);

/* outcomes.c: visits the other outcomes of the branches of an execution, each alone. Ends with
 * UNF_OK also when the visitor ends it. */
unf_status unfi_outcome_reversals(unf_unfolding *u, const struct maximal *M, reversed_visitor visit,
                                  void *user);

#endif
