/**
 * @file
 * Exploration: every maximal configuration of a program exactly once, run by run.
 *
 *            +--------- unf_explorer_next ---------+
 *            |                                     v
 *         [ IDLE ]                             [ RUNNING ] <--------------+
 *            ^                                 |   |   |                  |
 *            |                  offer, block --+   |   +-- step: chosen --+--> [ CHOSEN ]
 *            |                                     |                  ^            |
 *     unf_explorer_finish                          | step: end        +-- commit --+
 *            |                                     v
 *            +--------------------------------- [ ENDED ]
 *
 * IDLE --feed--> IDLE is the other door: a whole trace at once, executed under the schedule that
 * unf_explorer_prefix() gave. A call in a state that is not drawn returns UNF_STATE. After any
 * error the explorer is in the state it was in before the call, and the call can be made again
 * (after UNF_DIVERGENCE and UNF_NONDETERMINISM too, though the program then has to be mended);
 * UNF_LIMIT and UNF_INTERRUPTED lose nothing.
 *
 * The algorithms are Algorithm 1 of "Quasi-Optimal Partial Order Reduction" (CAV 2018), with the
 * exact conflicting extensions, deadlocked threads included, and the rules for choosing
 * alternatives described in doc/architecture.md; in other orders than depth-first, Algorithms 9 to
 * 11 of the extended version of "Symbolic Partial-Order Execution for Testing Multi-Threaded
 * Programs" (CAV 2020), corrected.
 */
#ifndef UNFOLD_EXPLORE_H
#define UNFOLD_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/alternative.h>
#include <unfold/configuration.h>
#include <unfold/cutoff.h>
#include <unfold/event.h>
#include <unfold/export.h>
#include <unfold/extension.h>

UNF_BEGIN_DECLS

/** An exploration of one unfolding. */
typedef struct unf_explorer unf_explorer;

/** How the next branch is found. */
typedef enum unf_algorithm {
  UNF_QPOR,  /**< k-partial alternatives; with k = UNF_K_OPTIMAL no redundant run */
  UNF_SDPOR, /**< singleton 1-partial alternatives: source sets */
  UNF_DFS,   /**< every interleaving: the slow reference */
  UNF_ODPOR, /**< wakeup trees: as many runs as UNF_QPOR with k = UNF_K_OPTIMAL, without searching
                for alternatives; no cutoffs, bounds, or order but depth-first */
  UNF_EAGER, /**< each reversal at once, nothing stored but suspended runs: as many runs as
                UNF_ODPOR in polynomial space; refused as for UNF_ODPOR, and whole traces and
                blocking by the engine too */
  UNF_ALGORITHM_COUNT
} unf_algorithm;

/**
 * Which leaf of the exploration tree comes next. In optimal mode traces and redundant runs are the
 * same for every order. Depth-first holds one path; the others hold what was executed until all
 * that a depth-first search would have explored before it is done.
 */
typedef enum unf_order {
  UNF_ORDER_DEPTH_FIRST,   /**< the least memory */
  UNF_ORDER_BREADTH_FIRST, /**< the leaf that was found first */
  UNF_ORDER_RANDOM,        /**< by random descents of the tree */
  UNF_ORDER_DEEPEST,       /**< the leaf with the most decided steps, of these the one found last */
  UNF_ORDER_CHOSEN,        /**< as unf_explorer_options.choose says */
  UNF_ORDER_COUNT
} unf_order;

/** A leaf that waits to be explored: the beginning of an execution. */
typedef struct unf_leaf {
  uint64_t number;  /**< leaves are numbered as they are found, from 1 on; the first run is none */
  uint64_t run;     /**< number of the execution that it branches off */
  uint64_t fork;    /**< steps that it has in common with it */
  uint64_t decided; /**< steps that are decided, those in common included */
} unf_leaf;

/** Chooses among at least one leaf, in no particular order: the index of the next one. An index
 * that is none counts as 0. */
typedef uint64_t (*unf_leaf_chooser)(void *user, const unf_leaf *leaves, uint64_t count);

/** The value of a bound that is none. */
#define UNF_UNBOUNDED UINT64_MAX

/** Initialise with UNF_EXPLORER_OPTIONS_INIT. */
typedef struct unf_explorer_options {
  uint32_t size;                       /**< sizeof(unf_explorer_options) */
  unf_algorithm algorithm;             /**< (UNF_QPOR) */
  unf_alternative_options alternative; /**< for UNF_QPOR; UNF_SDPOR sets k and singleton itself */
  /** Events after cutoffs of this order are left out; then every step has to be followed by
     unf_explorer_changed(). Not with unf_explorer_feed() (UNF_CUTOFFS_NONE). */
  unf_cutoff_order cutoffs;
  unf_order order;         /**< (UNF_ORDER_DEPTH_FIRST) */
  uint64_t seed;           /**< of UNF_ORDER_RANDOM, and of probes (0) */
  unf_leaf_chooser choose; /**< of UNF_ORDER_CHOSEN, which needs it (NULL) */
  void *choose_user;       /**< given to it */
  /**
   * Bounds of the schedule. A step of another thread than the step before it is a switch; a switch
   * is a preemption if the thread of the step before could have gone on, that is, its next
   * operation was known and had an action that was possible there. They are counted along the
   * execution as it is performed. The step that is one too many is performed; then the execution
   * ends and counts as truncated. Without a truncated execution, the bounds changed nothing. With
   * them, UNF_DFS performs every interleaving within the bounds; the other algorithms perform one
   * interleaving of each trace, and leave out the trace if that one is over the bound, though
   * another may not be. (UNF_UNBOUNDED)
   */
  uint64_t max_switches;
  uint64_t max_preemptions; /**< likewise (UNF_UNBOUNDED) */
  /** Told when no run will begin at a state again that was named by unf_explorer_save(); also by
   * unf_explorer_free(). Must not call the explorer. May be NULL (NULL). */
  void (*forget)(void *user, uint64_t state);
  void *forget_user; /**< given to it */
  /**
   * When events that the rest of the exploration does not need are given back: 0 never; else at the
   * beginning of a run before which so many events have become known since the last time, and so
   * many percent of those that were left then. With 100 % and more the cost is O(1) copies of each
   * event, and what is held is O(what is needed); less is for memory that counts more than time.
   *
   * Events have other handles after that: a handle, and whatever holds one, is good until the next
   * call of unf_explorer_next() or unf_explorer_prefix() only. Race detectors are told, and cookies
   * stay. An event that is met again later counts as new. The explorer must be the only one of its
   * unfolding, which then takes no table of cutoffs either. Not with cutoffs or UNF_DFS. (0)
   */
  uint64_t collect;
  uint32_t collect_percent; /**< see collect (100) */
  /**
   * Probes: executions beside the exploration, for unf_explorer_estimate(). While there were n
   * executions there are about √(probes · n) of them, the first ones directly after the first
   * execution. They change nothing of what the exploration does, and of counts only counts.probes.
   * Not with cutoffs or bounds, and none before unf_explorer_prefix(). 2 is a good number (0:
   * none).
   */
  uint64_t probes;
} unf_explorer_options;

/** The defaults. */
#define UNF_EXPLORER_OPTIONS_INIT                                                                  \
  {                                                                                                \
    sizeof(unf_explorer_options), UNF_QPOR, UNF_ALTERNATIVE_OPTIONS_INIT, UNF_CUTOFFS_NONE,        \
        UNF_ORDER_DEPTH_FIRST, 0, 0, 0, UNF_UNBOUNDED, UNF_UNBOUNDED, 0, 0, 0, 100, 0              \
  }

/** The next execution. */
typedef struct unf_run {
  bool finished;   /**< there is none: everything within the bounds was explored; the other fields
                      are 0 */
  bool probe;      /**< it is to be performed as all others, but belongs to the estimate: no step is
                      shared or decided, no state can be saved, it is no path that
                      unf_explorer_path() and the like would tell, and its events are none of the
                      unfolding */
  uint64_t number; /**< 1 for the first execution; among probes: 1 for the first of them */
  uint64_t shared; /**< leading steps that are the same as in the last execution */
  uint64_t decided; /**< leading steps that are already decided; at least shared */
  uint64_t saved;   /**< steps before the deepest state on the way that unf_explorer_save() named;
                       0: none, or the start */
  uint64_t state;   /**< its name, or 0 */
} unf_run;

/** Why a run ends, or that it does not. */
typedef enum unf_step_kind {
  UNF_STEP_ACTION,    /**< perform the action and commit it */
  UNF_STEP_MAXIMAL,   /**< no thread can do anything */
  UNF_STEP_REDUNDANT, /**< all that is left was explored already */
  UNF_STEP_CUTOFF,    /**< all that is left are cutoffs, or comes after them */
  UNF_STEP_TRUNCATED  /**< the execution went over a bound of the schedule */
} unf_step_kind;

/** Which bounds of the schedule were exceeded; values add up. */
typedef enum unf_bound {
  UNF_BOUND_NONE = 0,
  UNF_BOUND_SWITCHES = 1,
  UNF_BOUND_PREEMPTIONS = 2
} unf_bound;

/** What unf_explorer_step() chose. */
typedef struct unf_step {
  unf_step_kind kind; /**< an action, or the end of the run */
  uint64_t number;    /**< 1 for the first step of the run */
  unf_action action;  /**< for UNF_STEP_ACTION */
} unf_step;

/** How a finished run counts. */
typedef struct unf_verdict {
  bool redundant; /**< cut short, or (UNF_DFS) an interleaving of a trace already seen: not a trace;
                     the others are then false */
  bool complete;  /**< every started thread has finished */
  bool deadlock;  /**< not complete, and no thread was halted by an assumption, a bound or an
                     assertion */
  bool probe;     /**< it was a probe: nothing of it was counted but itself */
  bool error;     /**< an assertion failed, or the front-end said so */
  bool
      truncated; /**< ended by cutoffs or over a bound: no trace, neither complete nor a deadlock */
  uint32_t blocked; /**< threads that have neither finished nor halted */
} unf_verdict;

/** Everything counted so far. */
typedef struct unf_counts {
  uint64_t traces;     /**< distinct maximal executions */
  uint64_t complete;   /**< of them, those in which every started thread has finished */
  uint64_t blocked;    /**< the others */
  uint64_t deadlocks;  /**< see unf_verdict */
  uint64_t errors;     /**< see unf_verdict */
  uint64_t redundant;  /**< executions that were no new trace */
  uint64_t truncated;  /**< executions ended by cutoffs, or that went over a bound */
  uint64_t executions; /**< traces + redundant + truncated */
  uint64_t probes;     /**< probes finished, which count nowhere else */
  uint64_t events;     /**< distinct events in some execution, ⊥ not counted; one that was given
                          back and met again counts again, here and in extensions */
  uint64_t steps;      /**< events performed, steps resumed at a checkpoint included */
  uint64_t resumed;    /**< of them, those that unf_explorer_resume() spared */
  uint64_t
      extensions; /**< distinct events known to this explorer, executed or conflicting extensions */
  uint32_t bounds;      /**< bounds that truncated executions exceeded: UNF_BOUND_… added up */
  uint64_t collections; /**< times that events were given back, see unf_explorer_options.collect */
  uint64_t collected;   /**< events given back */
  uint64_t waiting; /**< UNF_ODPOR, UNF_EAGER: the most that ever waited for later runs, in events:
                       of wakeup trees; of suspended runs, and their turns to come that are kept */
  uint64_t waiting_bytes; /**< the same in bytes, without room that was not in use */
  unf_alternative_statistics alternatives; /**< what finding the next branches cost */
} unf_counts;

/** How much is still to come; see unf_explorer_estimate(). */
typedef struct unf_estimate {
  double left;      /**< traces still to come; below 0: not known */
  double error;     /**< standard error of it; below 0: not known */
  uint64_t samples; /**< probes that it comes from */
} unf_estimate;

/** Makes an explorer over an unfolding, which must outlive it; several may share one. options may
 * be NULL. *out is owned by the caller. Errors: UNF_INVALID, UNF_UNSUPPORTED (options that do not
 * go together), UNF_STATE (one of several explorers or tables of the unfolding would give events
 * back), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_explorer_new(unf_unfolding *unfolding, const unf_explorer_options *options,
                                    unf_explorer **out);

/** Frees an explorer in any state; NULL does nothing. O(bytes held). */
UNF_API void unf_explorer_free(unf_explorer *explorer);

/**
 * IDLE → RUNNING, or run->finished. Looks for the next branch, and gives events back when it is
 * time to (unf_explorer_options.collect). Errors: UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. Cost: one
 * search for an alternative per node left; O(events · (threads + objects)) for giving back.
 */
UNF_API unf_status unf_explorer_next(unf_explorer *explorer, unf_run *run);

/**
 * For front-ends with checkpoints: goes to the point after the given number of steps, without
 * performing them again. At most run.shared, or run.saved if that is more. Allowed directly after
 * unf_explorer_next(). Operations offered at those steps are known and need not be offered. Errors:
 * UNF_STATE, UNF_INVALID. O(steps).
 */
UNF_API unf_status unf_explorer_resume(unf_explorer *explorer, uint64_t steps);

/**
 * RUNNING. For front-ends with checkpoints: says that the front-end keeps its state after the steps
 * performed so far, under a name of its own. A later run that begins with the same steps tells the
 * deepest such state (run.saved, run.state), and unf_explorer_options.forget when there will be
 * none. This is worth its memory in other orders than depth-first, where the next execution can
 * branch off any earlier one. A second name for the same point is a state of its own; the one named
 * last is told. Errors: UNF_STATE, UNF_MEMORY. O(1) beyond the decided steps; within them O(forks
 * on the way + states saved there).
 */
UNF_API unf_status unf_explorer_save(unf_explorer *explorer, uint64_t state);

/**
 * RUNNING. Says what a thread does next; needed after each step for every thread whose last event
 * is new (the thread that moved, and a thread that was created), at the start for every thread that
 * runs from ⊥ on. Offering again is harmless. Errors: UNF_NONDETERMINISM (detail: step, expected
 * and seen operation), UNF_STATE (the thread has not started), UNF_UNKNOWN, UNF_INVALID,
 * UNF_MEMORY. Expected O(1).
 */
UNF_API unf_status unf_explorer_offer(unf_explorer *explorer, unf_thread thread,
                                      const unf_operation *operation);

/**
 * RUNNING. Says that the engine itself blocks a thread, for a reason the library does not know,
 * until it says otherwise or the run ends. The next steps do not choose it. That counts as blocked,
 * and the caller answers for the fact being the same for every order of independent steps. Decided
 * steps do not ask. Errors: UNF_UNKNOWN, UNF_UNSUPPORTED (UNF_DFS, UNF_EAGER), UNF_MEMORY. O(1).
 */
UNF_API unf_status unf_explorer_block(unf_explorer *explorer, unf_thread thread, bool blocked);

/** RUNNING → CHOSEN or ENDED. Errors: UNF_MISSING (a started thread without an operation; detail:
 * thread), UNF_MEMORY, UNF_LIMIT. Expected O(1) for a decided step, O(threads) else. */
UNF_API unf_status unf_explorer_step(unf_explorer *explorer, unf_step *step);

/**
 * CHOSEN → RUNNING. The step was performed, with this action (NULL: as chosen). An action that is
 * not the chosen one is UNF_DIVERGENCE, whose detail has step, expected and seen action. The cookie
 * is kept with the event if it is not 0 and the event has none. Other errors: UNF_MEMORY,
 * UNF_LIMIT. O(1) for a known event, O(threads + objects) for a new one.
 */
UNF_API unf_status unf_explorer_commit(unf_explorer *explorer, const unf_action *happened,
                                       uint64_t cookie);

/**
 * RUNNING, directly after a commit, and before the next step. Says what the committed step changed
 * in the state of the program, up to the next operations of its thread and of a thread that it
 * created. Only and always for an explorer with cutoffs. Errors: UNF_STATE, UNF_NONDETERMINISM (the
 * same event changed something else before), UNF_MEMORY, UNF_LIMIT. Cost: unf_cutoffs_add().
 */
UNF_API unf_status unf_explorer_changed(unf_explorer *explorer, const unf_fingerprint *change);

/** The table of cutoffs, for looking at; NULL without cutoffs. It is the explorer's. O(1). */
UNF_API unf_cutoffs *unf_explorer_cutoffs(unf_explorer *explorer);

/**
 * ENDED, RUNNING or CHOSEN → IDLE. Ends the run and computes its conflicting extensions. error: the
 * front-end found the execution wrong. A run that is not ENDED must be finished with
 * unf_explorer_abandon() instead. *verdict may be NULL. Errors: UNF_STATE, UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. O(new events · (threads + objects) + new extensions).
 */
UNF_API unf_status unf_explorer_finish(unf_explorer *explorer, bool error, unf_verdict *verdict);

/** Any state → IDLE. Drops the run: nothing of it counts, and the next run takes the same branch
 * again. O(steps). */
UNF_API void unf_explorer_abandon(unf_explorer *explorer);

/**
 * IDLE. The actions that the next execution must begin with, in order: the push form's counterpart
 * of unf_explorer_next(), which it makes (run may be NULL or tells the same). The actions are given
 * to visit one by one. An execution that follows them may go on in any way; then
 * unf_explorer_feed(). Errors: as unf_explorer_next().
 */
UNF_API unf_status unf_explorer_prefix(unf_explorer *explorer, unf_action_visitor visit, void *user,
                                       unf_run *run);

/** One step of a trace that was executed elsewhere. */
typedef struct unf_traced {
  unf_action action;       /**< what happened */
  unf_operation operation; /**< of which operation of action.thread it came */
  uint64_t cookie;         /**< as in unf_explorer_commit() */
} unf_traced;

/** What a thread would have done next at the end of such a trace: finished, halted,
 * or blocked there. */
typedef struct unf_pending {
  unf_thread thread;       /**< any started thread */
  unf_operation operation; /**< what it was about to do */
} unf_pending;

/**
 * After unf_explorer_prefix(). Takes a whole execution, with one pending entry for every started
 * thread, and finishes it. A trace that goes, beyond its prefix, where everything was explored is
 * taken up to that point and counts as redundant; the next prefix goes on from there if it has to.
 * Errors: UNF_UNSUPPORTED (cutoffs, UNF_EAGER), UNF_DIVERGENCE (not the prefix, or not maximal),
 * UNF_NONDETERMINISM, UNF_DISABLED, each with the step; UNF_MISSING, UNF_INVALID, UNF_MEMORY,
 * UNF_LIMIT, UNF_INTERRUPTED; after each the same execution, or a better one, can be fed. Cost: the
 * sum of the calls of the other form.
 */
UNF_API unf_status unf_explorer_feed(unf_explorer *explorer, const unf_traced *trace,
                                     uint64_t count, const unf_pending *pending,
                                     uint64_t pending_count, bool error, unf_verdict *verdict);

/**
 * How many traces are still to come, by the probes that unf_explorer_options.probes asked for. left
 * is the mean of their values less the traces found, never below 0, and error its standard error.
 * The expectation of a value is the number of traces of the program, exactly, for every algorithm
 * and every order: an importance sample of Knuth's kind (Estimating the efficiency of backtrack
 * programs, 1975), described in doc/estimate.md. Values can vary much: then most estimates from few
 * probes are too low, some far too high, and the standard error is too low as well. -1 for both
 * while there was no probe, while more traces were found than the mean and two standard errors,
 * after one was dropped by unf_explorer_abandon(), and where the number is beyond a double. When
 * the exploration is finished: 0, exactly. O(1).
 */
UNF_API void unf_explorer_estimate(const unf_explorer *explorer, unf_estimate *out);

/** What was counted so far. O(1). */
UNF_API void unf_explorer_counts(const unf_explorer *explorer, unf_counts *out);

/** The configuration of the run at hand, or of the last one; valid until the next call on the
 * explorer. Error: UNF_MEMORY. O(threads + objects). */
UNF_API unf_status unf_explorer_configuration(unf_explorer *explorer, unf_configuration *out);

/** The events of the run at hand, or of the last one, in the order performed. O(steps). */
UNF_API void unf_explorer_path(const unf_explorer *explorer, unf_event_visitor visit, void *user);

/** The event of the last step performed or resumed in the run at hand, or in the last one; ⊥ if
 * there was none. O(1). */
UNF_API unf_event unf_explorer_last(const unf_explorer *explorer);

UNF_END_DECLS

#endif
