/* DPOR in polynomial space: the state of UNF_EAGER. */
#ifndef EXPLORATION_STRATEGIES_EAGER_EAGER_H
#define EXPLORATION_STRATEGIES_EAGER_EAGER_H

#include "extension/site_uses.h"
#include "exploration/explorer.h"

/* A run that was left for one of its turns. */
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
  uint32_t operation; /* that could have been it: of a step, or behind those of a thread */
  uint32_t position;  /* steps of the run that come before it in the order */
  uint32_t first;     /* the first of those that it conflicts with; or NONE */
  uint32_t next;      /* number, from 1, of the next rival with that one; 0: there is none */
  uint32_t conflicts; /* where those that it conflicts with are, a bit for each step of the run, in
                         `conflicts`; or NONE: not looked at */
  bool withheld;      /* a sibling: there are more after it */
};

/* The events that one operation could have been, in `rivals`; and, of a step, the rivals that
 * conflict with it first: the first and the last of them, by numbers from 1. */
struct operation_rivals {
  uint32_t first, count;
  bool listed;
  uint32_t head, tail;
};

/* Where an event stands in the order. */
struct rank {
  uint32_t depth, name; /* of the name a hash */
};

/* What the threads can do at the end of the path. */
struct enabled {
  handle_vector events; /* by thread: the least event that it can do; 0: there is none, or it is to
                           be found */
  handle_vector heap;   /* threads that have one; each comes before those at 2i + 1 and 2i + 2 */
  handle_vector places; /* by thread: its place there, from 1; 0: none */
  uint32_t stuck;       /* threads that can do nothing: no outcome of their branches is possible */
};

/* How far the search for turns of a run is, for a call that was refused and is made again. */
struct finding {
  uint64_t run; /* number of the run at hand when it began; 0: it does not stand anywhere */
  uint32_t operation, candidate, count; /* operations that were asked, events that were tested, and
                                           those of them that are turns */
  uint32_t listed, sorted; /* rivals that were looked at for `ascending`; turns of sorting these */
  bool withheld;           /* the last turn is a sibling: there are more after it */
};

struct eager {
  VECTOR(struct rank) ranks; /* by event, of the first ones */
  handle_vector causes;      /* room for those of two events */
  struct enabled enabled;    /* of the run at hand */
  VECTOR(struct suspended) suspended;
  handle_vector held;
  handle_vector turns; /* events to turn to, the next one last */
  uint32_t first_turn; /* where those of the run at hand begin */
  uint32_t last;       /* event that its next turns come after, or 0 */
  bool more;           /* it may have turns after those in `turns` */
  bool resuming;       /* the path stands somewhere on the way to the end of the suspended run */
  uint32_t low;        /* the shallowest node where the path was since the last run */
  VECTOR(struct operation_rivals) operations; /* of the run at hand */
  VECTOR(struct rival) rivals;
  struct finding finding;
  struct site_uses uses;   /* of the run at hand */
  handle_vector ascending; /* positions of the `rivals` that it may turn to, in the order */
  VECTOR(uint64_t) conflicts;
  VECTOR(uint64_t) gone;   /* a bit for each step of the run: it is taken out for a turn */
  VECTOR(uint32_t) stamps; /* by event: `stamp` if it is in `rivals` */
  uint32_t stamp;
};

static inline struct eager *eager_of(const unf_explorer *x) {
  return x->strategy_state;
}

#endif
