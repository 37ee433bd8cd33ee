/* The reversals of an execution. */
#ifndef WAKEUP_REVERSALS_H
#define WAKEUP_REVERSALS_H

#include <unfold/wakeup.h>

#include "extension/reversal.h"
#include "wakeup/rest.h"

/* An event that could have happened instead, and the position of the execution that led to it. */
struct reversal_entry {
  uint32_t position, event;
  uint32_t first; /* position where its rest begins; NONE: it has none */
  bool again;     /* an earlier position led to the event too */
  bool after;     /* left out is what comes after the step at `first`, and that, no more */
};

typedef VECTOR(struct reversal_entry) reversal_vector;

/* The reversals of an execution, and those of the last one, many of which
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

void unfi_reversals_free(unf_context *context, struct reversals *reversals);
/* Events have other numbers: nothing of the last execution is known. */
void unfi_reversals_forget(unf_context *context, struct reversals *reversals);
/* Visits the reversals of a maximal execution, each event once. The first M->known events are
 * shared with the last execution; of their reversals, only those are visited whose sequence
 * may have changed. A visitor that ends the enumeration because it was refused is given the same
 * reversal again by the call that goes on (M->again). */
unf_status unfi_reversals(unf_unfolding *u, struct reversals *reversals, const struct maximal *M,
                          rest_visitor visit, void *user);

#endif
