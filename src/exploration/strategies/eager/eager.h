/* DPOR in polynomial space. */
#ifndef EXPLORATION_STRATEGIES_EAGER_EAGER_H
#define EXPLORATION_STRATEGIES_EAGER_EAGER_H

#include <unfold/explore.h>

#include "configuration/configuration.h"

/* UNF_EAGER: a run that was left for one of its turns. */
struct suspended {
  uint32_t fork;  /* depth of the node from which the other run has other steps */
  uint32_t steps; /* beyond it, in `held` */
  uint32_t first_turn;
  uint32_t turn; /* the event that the other run turned to */
  bool more;
};

/* An event of cex of the run at hand. */
struct rival {
  uint32_t event;
  uint32_t place; /* steps of the run that come before it in the order */
  uint32_t words; /* where those that it conflicts with are, a bit for each step of the run, in
                     `conflicts`; or NONE: not looked at */
};

/* Those that come of one operation, in `rivals`. */
struct alternatives {
  uint32_t first, count;
  bool listed;
};

/* Where an event stands in the order. */
struct rank {
  uint32_t depth, name; /* of the name a hash */
};

struct eager {
  VECTOR(struct rank) ranks; /* by event, of the first ones */
  handle_vector causes;      /* room for those of two events */
  handle_vector ready;       /* by thread: the least event that it can do, or 0: to be found */
  uint32_t chosen;           /* of these */
  VECTOR(struct suspended) suspended;
  handle_vector held;
  handle_vector turns; /* events to turn to, the next one last */
  uint32_t first_turn; /* where those of the run at hand begin */
  uint32_t last;       /* event that its next turns come after, or 0 */
  bool more;           /* it may have turns after those in `turns` */
  bool resuming;       /* the path stands somewhere on the way to the end of the suspended run */
  uint32_t low;        /* the shallowest node where the path was since the last run */
  VECTOR(struct alternatives) alternatives; /* by operation of the run at hand */
  VECTOR(struct rival) rivals;
  handle_vector ascending; /* of these, the events that it may turn to, in the order */
  VECTOR(uint64_t) conflicts;
  VECTOR(uint64_t) gone; /* likewise: those that are taken out for a turn */
};

void unfi_eager_end(unf_explorer *x);
/* As unfi_free_step(): the least event that is enabled. */
unf_status unfi_eager_step(unf_explorer *x);
/* Finds turns of the maximal run at hand. */
unf_status unfi_eager_turns(unf_explorer *x);
/* Leaves the leaf for the next branch. */
unf_status unfi_eager_branch(unf_explorer *x);

#endif
