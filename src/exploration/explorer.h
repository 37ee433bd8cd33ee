/*
 * The explorer: a path of the exploration tree of Algorithm 1 (CAV 2018). In depth-first order it
 * is the rightmost one and all there is; in other orders it moves in the tree of strand.h.
 *
 * Node k of the path has the configuration C of the first k events, and the events of D, which are
 * not to be taken again after C. An event of D is unjustified at a node while no event of C is in
 * conflict with it; it is then enabled, so the unjustified events of D are the sleep set. They form
 * a doubly linked list: an event pushed to the path takes those that depend on it out, and puts
 * them back, in reverse order, when it is popped.
 *
 * U is every event that was executed or is a conflicting extension of an executed maximal
 * configuration. Its events are kept in lists by the write that they follow, because the candidates
 * of a spike are siblings there; those that cannot be used are parked where the reason stands (see
 * spikes.c).
 *
 * All that is known about events stands in side tables here; the unfolding may serve several
 * explorers.
 */
#ifndef EXPLORATION_EXPLORER_H
#define EXPLORATION_EXPLORER_H

#include <unfold/explore.h>

#include "alternative/comb.h"
#include "cutoff/cutoff.h"
#include "exploration/probe.h"
#include "exploration/strand.h"
#include "extension/effects.h"
#include "structure/compaction.h"
#include "wakeup/wakeup.h"

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

/* What a step number has room for. */
#define MAX_STEPS ((1u << 29) - 2)

/*
 * A place in the lists of U. A narrow event is in one list, so its place has the event's own number
 * and stands in what is known of it; an event with several uses is in one list for each site, in
 * places with a tag, kept in `places`.
 */
#define PLACE_TAG 0x80000000u
struct place {
  uint32_t event, next, head;
};

/* First place of the list at a write with several uses, of one of its sites. */
struct head {
  uint32_t site, write, first;
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

/* By site: the writes of it in C, by depth in its tree. */
typedef VECTOR(uint32_t) chain_vector;

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

enum explorer_state { IDLE, RUNNING, CHOSEN, ENDED };

/* What unf_explorer_next() has to do. */
enum branch_state {
  BRANCH_DECIDED, /* take the branch at `base` by the clue; shared is set */
  BRANCH_LEAF,    /* leave the leaf */
  BRANCH_NONE     /* everything is explored */
};

struct unf_explorer {
  unf_unfolding *u;
  unf_algorithm algorithm;
  unf_alternative_options options;
  enum explorer_state state;
  enum branch_state branch;
  unf_configuration C;
  VECTOR(struct frame) path;
  handle_vector undo;     /* entries of C before the steps with several uses */
  uint32_t base;          /* steps of the path that were there when the run began */
  uint32_t shared;        /* of them, those that are the same as in the last execution */
  uint32_t resumed;       /* steps that the front-end went to without performing them */
  uint32_t at;            /* steps performed in this run; the path is longer only while at < base */
  handle_vector clue;     /* events to take from base on */
  handle_vector replayed; /* by thread: last event at step `at`, while at < base */
  unf_step step;          /* chosen, or how the run ended */
  VECTOR(uint8_t) blocked; /* by thread: blocked by the engine in this run */
  VECTOR(struct sleeper) D;
  uint32_t first_sleeper, last_sleeper;
  VECTOR(struct known *) known; /* by event, in chunks as the events are */
  VECTOR(chain_vector) chains;
  VECTOR(uint32_t) roots; /* by site: first place of U that follows ⊥ there */
  VECTOR(struct place) places;
  VECTOR(struct head) heads;
  struct table head_table;
  struct comb comb;
  handle_vector scratch; /* a cut by site */
  handle_vector events;  /* of the path, for reversal */
  struct attempts attempts;
  uint32_t reversed; /* leading steps shared with the last run whose races were reversed */
  struct unf_wakeup_trees wakeup; /* UNF_ODPOR */
  struct reversals reversals;     /* likewise; of UNF_EAGER the stamps */
  struct eager eager;
  struct arena traces; /* UNF_DFS: maximal configurations, by last events of the threads */
  struct table trace_table;
  struct search search; /* in other orders than depth-first */
  struct saves saves;
  struct bounds bounds;
  struct probes probes;
  unf_counts counts;
  unf_cutoffs *cutoffs; /* NULL: none */
  uint64_t collect;     /* see unf_explorer_options */
  uint32_t collect_percent;
  uint32_t left;          /* events when some were given back last */
  uint32_t unsaid;        /* event whose change was not said yet, or 0 */
  uint32_t floor;         /* steps that this part of the exploration never takes back */
  uint32_t cut_off;       /* events of U that are cutoffs or after one, out of the lists */
  handle_vector restored; /* events that were cut off and are kept: their successors are to come */
  uint32_t next_restored; /* the first of them that was not looked at */
};

static inline struct known *known_at(const unf_explorer *x, uint32_t event) {
  return &x->known.data[event >> EVENT_SHIFT][event & ((1u << EVENT_SHIFT) - 1)];
}

/* Whether no search for alternatives reads U. */
static inline bool by_reversal(const unf_explorer *x) {
  return x->algorithm == UNF_ODPOR || x->algorithm == UNF_EAGER;
}

/* path.c */
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

/* branch.c */
/* Leaves the leaf for the next branch, depth-first. */
unf_status unfi_branch(unf_explorer *x);
/* Whether the node of the path's end, which `event` was the last one to leave, has another branch;
 * the clue then leads along it. */
unf_status unfi_another(unf_explorer *x, uint32_t event, bool *found);

/* search.c: the same in the other orders. */
unf_status unfi_search(unf_explorer *x);
/* Begins, with a leaf at the root; false: refused. */
bool unfi_search_begin(unf_explorer *x, const unf_explorer_options *options);
void unfi_search_free(unf_explorer *x);
/* Makes leaves of all branches of an explored strand's nodes that are known to exist by now. */
unf_status unfi_search_ask_again(unf_explorer *x, uint32_t strand);
/* Begins again with the clue from the root, when everything was explored. */
void unfi_search_again(unf_explorer *x);
/* Steps that the path has in common with the last execution, at most so many. */
uint32_t unfi_search_shared(const unf_explorer *x, uint32_t most);

/* save.c: states of the front-end. */
/* Those of a list after so many steps or more will not be needed again. */
void unfi_saves_forget(unf_explorer *x, uint32_t *list, uint32_t from);
/* Those beyond `base`, of a run that is dropped. */
void unfi_saves_drop(unf_explorer *x);
/* The deepest one on the way to `base`, for the run. */
void unfi_saves_find(const unf_explorer *x, unf_run *run);
void unfi_saves_free(unf_explorer *x);

/* bound.c */
/* Counts what a step with the event spends, before it is pushed; room is there. */
unf_status unfi_bounds_spend(unf_explorer *x, uint32_t event);
/* The same for a step that was counted before, and whether it was a preemption. */
void unfi_bounds_again(unf_explorer *x, uint32_t event, bool preempted);
/* Whether the step from a node of the path was a preemption. */
bool unfi_bounds_preempted(const unf_explorer *x, uint32_t node);
/* Bounds that the path exceeds, as UNF_BOUND_... */
uint32_t unfi_bounds_exceeded(const unf_explorer *x);
static inline bool bounded(const unf_explorer *x) {
  return x->bounds.on;
}

/* chances.c: what a probe takes next. */
void unfi_chances_begin(unf_explorer *x);
/* Room for the names that there are; false: refused. */
bool unfi_chances_fit(unf_explorer *x);
/* Gives the turns at hand their weights. */
void unfi_chances_weigh(unf_explorer *x);
/* One of them is taken; false: refused. */
bool unfi_chances_take(unf_explorer *x, const unf_action *action);
/* The probe is over, and was counted. */
void unfi_chances_learn(unf_explorer *x);
void unfi_chances_free(unf_explorer *x);

/* estimate.c */
/* The value of the probe at hand, which is at its end. */
unf_status unfi_probe_value(unf_explorer *x, double *out);
void unfi_estimate_add(unf_explorer *x, double value);

/* probe.c: the run protocol in a probe. */
bool unfi_probe_due(const unf_explorer *x);
unf_status unfi_probe_begin(unf_explorer *x, unf_run *run);
unf_status unfi_probe_offer(unf_explorer *x, uint32_t thread, const unf_operation *operation);
unf_status unfi_probe_step(unf_explorer *x, unf_step *step);
/* The step is this action of one of the turns. */
unf_status unfi_probe_take(unf_explorer *x, unf_action action);
unf_status unfi_probe_commit(unf_explorer *x);
unf_status unfi_probe_finish(unf_explorer *x, bool error, unf_verdict *verdict);
/* Back to the exploration. */
void unfi_probe_end(unf_explorer *x);
void unfi_probe_free(unf_explorer *x);

/* cutoffs.c */
/* Whether an action after C is a cutoff or after one. */
unf_status unfi_action_cut_off(unf_explorer *x, const unf_action *action, bool *out);
/* When everything is explored: the next event whose successors are to come is made the branch. */
unf_status unfi_restore(unf_explorer *x);

/* collect.c */
/* Gives events back if it is time to; between runs, with the branch decided. */
unf_status unfi_collect(unf_explorer *x);

/* spikes.c */
/* Room for the places of an event in U, for which there is room in what is known; false: refused. A
 * narrow event that follows a narrow one has its place in what is known of it. */
bool unfi_places_reserve_wide(unf_explorer *x, uint32_t event);
static inline bool unfi_places_reserve(unf_explorer *x, uint32_t event) {
  if (known_at(x, event)->in_U || by_reversal(x)) return true;
  const struct event *e = event_at(x->u, event);
  const struct action *a = &x->u->actions.data[e->action];
  bool narrow = a->uses == 0 && (a->other == NONE || e->other_before == 0 ||
                                 action_of(x->u, e->other_before)->uses == 0);
  return narrow || unfi_places_reserve_wide(x, event);
}
/* Enters an event into U, for which room was reserved. */
void unfi_known_add(unf_explorer *x, uint32_t event);
/* Puts parked events back into the lists that they belong to. */
void unfi_release(unf_explorer *x, uint32_t parked);
/* Keeps the events of U that conflict immediately with an event, and all that stand in a list with
 * them. Nothing may be parked; `walked` has a flag for every event and every place. */
void unfi_siblings_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked);
bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also_D);

/* wakeup.c: UNF_ODPOR. */
void unfi_wakeup_end(unf_explorer *x);
/* Whether all that begins with a reversal of the path was explored at its node. */
bool unfi_wakeup_explored(const unf_explorer *x, const struct reversed *reversed);
/* Enters the reversals of the maximal run at hand into the wakeup trees. */
unf_status unfi_wakeup_races(unf_explorer *x);
unf_status unfi_wakeup_another(unf_explorer *x, bool *found);

/* rivals.c: UNF_EAGER. */
/* Ranks all events interned so far; false: refused. */
bool unfi_rank(unf_explorer *x);
/* The order of ranked events. */
bool unfi_is_before(const unf_explorer *x, uint32_t a, uint32_t b);
/* Finds the next turns of the run at hand, which stands at its end. */
unf_status unfi_find_turns(unf_explorer *x);
/* The depth from which a turn has other steps, and those that it keeps from there on; there is room
 * for as many as the path has. */
uint32_t unfi_turn_steps(const unf_explorer *x, uint32_t event, handle_vector *kept);

/* eager.c: UNF_EAGER. */
void unfi_eager_end(unf_explorer *x);
/* As unfi_free_step(): the least event that is enabled. */
unf_status unfi_eager_step(unf_explorer *x);
/* Finds turns of the maximal run at hand. */
unf_status unfi_eager_turns(unf_explorer *x);
/* Leaves the leaf for the next branch. */
unf_status unfi_eager_branch(unf_explorer *x);

/* interleaving.c: UNF_DFS, where D holds what was taken at each node and means nothing to the nodes
 * below. */
/* As unfi_another(). */
unf_status unfi_interleaving_another(unf_explorer *x, uint32_t event, bool *found);
/* Whether the maximal configuration at hand is new; it is then remembered. */
unf_status unfi_interleaving_new(unf_explorer *x, bool *fresh);

/* finish.c */
void unfi_judge(unf_unfolding *u, struct cut C, unf_verdict *verdict);
unf_status unfi_finish(unf_explorer *x, bool error, unf_verdict *verdict);

/* explorer.c */
/* Frees the path, D and the tables about events. */
void unfi_explorer_clear(unf_explorer *x);
/* As unf_explorer_next(); `probes`: whether it may be a probe. */
unf_status unfi_next(unf_explorer *x, unf_run *run, bool probes);
/* Decides how the run goes on from a node where nothing is decided: the first action that is
 * enabled and not asleep. */
unf_status unfi_free_step(unf_explorer *x);
bool unfi_same_action(const unf_action *a, const unf_action *b);
unf_status unfi_advance(unf_explorer *x, uint32_t event, uint64_t cookie);
uint32_t unfi_decided(const unf_explorer *x);
unf_status unfi_divergence(unf_explorer *x, const unf_action *expected, const unf_action *seen);
unf_status unfi_wrong_state(unf_explorer *x, const char *call);
unf_status unfi_offer_at(unf_explorer *x, uint32_t thread, const unf_operation *operation);

#endif
