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
 * The algorithms are depth-first: Algorithm 1 of "Quasi-Optimal Partial Order Reduction" (CAV 2018)
 * with the exact conflicting extensions, deadlocked threads included, and the rules for choosing
 * alternatives described in doc/architecture.md.
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
  UNF_ALGORITHM_COUNT
} unf_algorithm;

/** Initialise with UNF_EXPLORER_OPTIONS_INIT. */
typedef struct unf_explorer_options {
  uint32_t size;                       /**< sizeof(unf_explorer_options) */
  unf_algorithm algorithm;             /**< (UNF_QPOR) */
  unf_alternative_options alternative; /**< for UNF_QPOR; UNF_SDPOR sets k and singleton itself */
  /** Events after cutoffs of this order are left out; then every step has to be followed by
     unf_explorer_changed(). Not with unf_explorer_feed() (UNF_CUTOFFS_NONE). */
  unf_cutoff_order cutoffs;
} unf_explorer_options;

/** The defaults. */
#define UNF_EXPLORER_OPTIONS_INIT                                                                  \
  { sizeof(unf_explorer_options), UNF_QPOR, UNF_ALTERNATIVE_OPTIONS_INIT, UNF_CUTOFFS_NONE }

/** The next execution. */
typedef struct unf_run {
  bool finished;    /**< there is none: everything was explored; the other fields are 0 */
  uint64_t number;  /**< 1 for the first execution */
  uint64_t shared;  /**< leading steps that are the same as in the last execution */
  uint64_t decided; /**< leading steps that are already decided; at least shared */
} unf_run;

/** Why a run ends, or that it does not. */
typedef enum unf_step_kind {
  UNF_STEP_ACTION,    /**< perform the action and commit it */
  UNF_STEP_MAXIMAL,   /**< no thread can do anything */
  UNF_STEP_REDUNDANT, /**< all that is left was explored already */
  UNF_STEP_CUTOFF     /**< all that is left are cutoffs, or comes after them */
} unf_step_kind;

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
  bool error;     /**< an assertion failed, or the front-end said so */
  bool truncated; /**< ended by cutoffs: no trace, neither complete nor a deadlock */
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
  uint64_t truncated;  /**< executions ended by cutoffs */
  uint64_t executions; /**< traces + redundant + truncated */
  uint64_t events;     /**< distinct events in some execution, ⊥ not counted */
  uint64_t steps;      /**< events performed, steps resumed at a checkpoint included */
  uint64_t
      extensions; /**< distinct events known to this explorer, executed or conflicting extensions */
  unf_alternative_statistics alternatives; /**< what finding the next branches cost */
} unf_counts;

/** Makes an explorer over an unfolding, which must outlive it; several may share one. options may
 * be NULL. *out is owned by the caller. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_explorer_new(unf_unfolding *unfolding, const unf_explorer_options *options,
                                    unf_explorer **out);

/** Frees an explorer in any state; NULL does nothing. O(bytes held). */
UNF_API void unf_explorer_free(unf_explorer *explorer);

/**
 * IDLE → RUNNING, or run->finished. Looks for the next branch. Errors: UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. Cost: one search for an alternative per node left.
 */
UNF_API unf_status unf_explorer_next(unf_explorer *explorer, unf_run *run);

/**
 * For front-ends with checkpoints: goes to the point after the given number of steps, at most
 * run.shared, without performing them again. Allowed directly after unf_explorer_next(). Operations
 * offered at those steps are known and need not be offered. Errors: UNF_STATE, UNF_INVALID. O(1).
 */
UNF_API unf_status unf_explorer_resume(unf_explorer *explorer, uint64_t steps);

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
 * steps do not ask. Errors: UNF_UNKNOWN, UNF_UNSUPPORTED (UNF_DFS), UNF_MEMORY. O(1).
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

/** What a thread would have done next at the end of such a trace: finished, halted, or blocked
 * there. */
typedef struct unf_pending {
  unf_thread thread;       /**< any started thread */
  unf_operation operation; /**< what it was about to do */
} unf_pending;

/**
 * After unf_explorer_prefix(). Takes a whole execution, with one pending entry for every started
 * thread, and finishes it. A trace that goes, beyond its prefix, where everything was explored is
 * taken up to that point and counts as redundant; the next prefix goes on from there if it has to.
 * Errors: UNF_DIVERGENCE (not the prefix, or not maximal), UNF_NONDETERMINISM, UNF_DISABLED, each
 * with the step; UNF_MISSING, UNF_INVALID, UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED; after each the
 * same execution, or a better one, can be fed. Cost: the sum of the calls of the other form.
 */
UNF_API unf_status unf_explorer_feed(unf_explorer *explorer, const unf_traced *trace,
                                     uint64_t count, const unf_pending *pending,
                                     uint64_t pending_count, bool error, unf_verdict *verdict);

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
