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
 * The other way to use an explorer is IDLE --feed--> IDLE: a whole trace at once, which the
 * engine executed under the schedule that unf_explorer_prefix() gave. A call that the diagram
 * does not show for a state returns UNF_STATE there. After any error the explorer is in the state
 * it was in before the call, and the call can be repeated (also after UNF_DIVERGENCE and
 * UNF_NONDETERMINISM, though these mean that the program or the engine has to be fixed).
 * UNF_LIMIT and UNF_INTERRUPTED lose nothing.
 *
 * Depth-first, UNF_QPOR is Algorithm 1 of "Quasi-Optimal Partial Order Reduction" (CAV 2018), with
 * exact conflicting extensions, those of deadlocked threads included, and the rules for choosing
 * alternatives of src/exploration/README.md. In other orders it is Algorithms 9 to 11 of the
 * extended version of "Symbolic Partial-Order Execution for Testing Multi-Threaded Programs" (CAV
 * 2020), corrected. doc/which-algorithm.md helps to choose, and lists what cannot be combined.
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
  UNF_QPOR = 0,  /**< k-partial alternatives; with k = UNF_K_OPTIMAL no redundant run */
  UNF_SDPOR = 1, /**< singleton 1-partial alternatives: source sets */
  UNF_DFS = 2,   /**< every interleaving: the slow reference */
  /** Wakeup trees: as many runs as UNF_QPOR with k = UNF_K_OPTIMAL, without searching for
   * alternatives. Depth-first only, without cutoffs and without bounds of the schedule. */
  UNF_ODPOR = 3,
  /** Reverse search: every reversal is explored at once, and only suspended runs are stored. As
   * many runs as UNF_ODPOR, in polynomial space. Depth-first only, without cutoffs and bounds of
   * the schedule, and without unf_explorer_feed() and unf_explorer_block(). */
  UNF_EAGER = 4,
  /** Random walks, for programs that are too large to explore: at each step one of the threads that
   * can act, each with the same probability, and of its outcomes one. Nothing is explored to the
   * end, and no execution is redundant; see unf_explorer_sampling(). Beside the events, which
   * unf_explorer_options.collect frees, 128 KiB and what one execution needs are held; names of
   * threads, objects and actions stay. Depth-first only, without cutoffs, bounds of the schedule,
   * probes, blocking, whole traces and consistency. A step costs O(threads / 64), and what looking
   * for the outcomes costs. */
  UNF_RANDOM = 5,
  /** Probabilistic concurrency testing ("A Randomized Scheduler with Probabilistic Guarantees of
   * Finding Bugs", ASPLOS 2010): threads have random priorities, the first of them that can act
   * goes on, and at depth - 1 random steps the thread that would go on has its priority lowered. As
   * UNF_RANDOM otherwise, but for a step, which costs O(threads that may be able to act). */
  UNF_PCT = 6,
  UNF_ALGORITHM_COUNT
} unf_algorithm;

/** The word for an algorithm, such as "qpor"; "?" for an unknown one. Static storage. O(1). */
UNF_API const char *unf_algorithm_text(unf_algorithm algorithm);

/** The algorithm for a word. Errors: UNF_INVALID, UNF_UNKNOWN (no such word). O(algorithms). */
UNF_API unf_status unf_algorithm_from_text(const char *text, unf_algorithm *out);

/**
 * Which leaf of the exploration tree is explored next. In optimal mode, every order has the same
 * traces and no redundant run. Depth-first holds one path of the tree. The others hold each part of
 * the tree until everything that a depth-first search would have explored before it is done.
 */
typedef enum unf_order {
  UNF_ORDER_DEPTH_FIRST = 0,   /**< the least memory */
  UNF_ORDER_BREADTH_FIRST = 1, /**< the leaf that was found first */
  UNF_ORDER_RANDOM = 2,        /**< by random descents of the tree */
  UNF_ORDER_DEEPEST = 3,       /**< the leaf with the most decided steps; if several, the newest */
  UNF_ORDER_CHOSEN = 4,        /**< as unf_explorer_options.choose says */
  UNF_ORDER_COUNT
} unf_order;

/** The word for an order, such as "bfs"; "?" for an unknown one. Static storage. O(1). */
UNF_API const char *unf_order_text(unf_order order);

/** The order for a word. Errors: UNF_INVALID, UNF_UNKNOWN (no such word). O(orders). */
UNF_API unf_status unf_order_from_text(const char *text, unf_order *out);

/** A leaf that is still to be explored: the beginning of an execution. The first execution begins
 * at the root, which is the only leaf then: all of its numbers are 0. */
typedef struct unf_leaf {
  uint64_t number;  /**< in the order in which leaves are found; 0: the root */
  uint64_t run;     /**< number of the execution that it branches off from; 0: the root has none */
  uint64_t fork;    /**< number of steps that it shares with that execution */
  uint64_t decided; /**< number of steps that are decided, including the shared ones */
} unf_leaf;

/** Chooses the leaf to explore next: returns its index among `leaves`, of which there is at least
 * one, in no particular order. An index out of range counts as 0. */
typedef uint64_t (*unf_leaf_chooser)(void *user, const unf_leaf *leaves, uint64_t count);

/** The greatest unf_explorer_options.depth. */
#define UNF_MAX_DEPTH 64

/** No bound. */
#define UNF_UNBOUNDED UINT64_MAX

/** Initialise with UNF_EXPLORER_OPTIONS_INIT. */
typedef struct unf_explorer_options {
  uint32_t size;                       /**< sizeof(unf_explorer_options) */
  unf_algorithm algorithm;             /**< (UNF_QPOR) */
  unf_alternative_options alternative; /**< for UNF_QPOR; UNF_SDPOR sets k and singleton itself */
  /** Events after cutoffs of this order are not explored. Unless it is UNF_CUTOFFS_NONE,
   * every step must be followed by unf_explorer_changed() or _changed_under(), and
   * unf_explorer_feed() is not available (UNF_CUTOFFS_NONE). */
  unf_cutoff_order cutoffs;
  unf_order order;         /**< (UNF_ORDER_DEPTH_FIRST) */
  uint64_t seed;           /**< for UNF_ORDER_RANDOM, UNF_RANDOM, UNF_PCT and for probes (0) */
  unf_leaf_chooser choose; /**< for UNF_ORDER_CHOSEN, which needs it (NULL) */
  void *choose_user;       /**< passed to choose */
  /**
   * Bound on the switches of an execution. A switch is a step of another thread than the step
   * before it. Switches are counted along the execution as it is performed. The step that exceeds
   * the bound is still performed; then the execution ends and counts as truncated. If no execution
   * was truncated, the bound has changed nothing. Otherwise, UNF_DFS performs every interleaving
   * within the bound, but the other algorithms perform one interleaving of each trace, and omit the
   * trace if that interleaving exceeds the bound, although another one may not. (UNF_UNBOUNDED)
   */
  uint64_t max_switches;
  /** Bound on the preemptions of an execution, with the effects of max_switches. A preemption is a
   * switch from a thread that could have gone on: its next operation was known and had an action
   * that was possible there. (UNF_UNBOUNDED) */
  uint64_t max_preemptions;
  /** Called when no later run will begin at a state that was named by unf_explorer_save(); also
   * from unf_explorer_free(). Must not call the explorer. May be NULL (NULL). */
  void (*forget)(void *user, uint64_t state);
  void *forget_user; /**< passed to forget */
  /**
   * When to free events that the rest of the exploration does not need. 0: never. Otherwise: at the
   * beginning of a run, if at least `collect` events were added since events were last freed, and
   * these are at least collect_percent of the events that were kept then. With collect_percent of
   * 100 or more, each event is copied O(1) times and the memory held is O(what is needed); smaller
   * values save memory and cost time.
   *
   * Freeing renumbers the events that stay: a handle of an event, and any structure that contains
   * one, is valid only until the next call of unf_explorer_next() or unf_explorer_prefix(). Race
   * detectors of the unfolding are updated, and events keep their cookies. An event that was freed
   * and is met again counts as new. The explorer must be the only one of its unfolding, and the
   * unfolding cannot have a table of cutoffs. Not with cutoffs or UNF_DFS. (0)
   */
  uint64_t collect;
  uint32_t collect_percent; /**< see collect (100) */
  /**
   * How many probes to run: additional executions that unf_explorer_estimate() is computed from.
   * After n executions there have been about √(probes · n) probes, the first of them right after
   * the first execution. Probes do not affect the exploration, and of the counts only
   * unf_counts.probes. Not with cutoffs or bounds of the schedule; unf_explorer_prefix() never asks
   * for one. 0: none; 2 is a good value (0).
   */
  uint64_t probes;
  uint64_t runs; /**< UNF_RANDOM, UNF_PCT: executions to make, 1 or more (1000) */
  /** UNF_PCT: the steps among which those that lower a priority are drawn. 0: as many as the
   * longest of ten random walks has, which are made first and are not among `runs` (0). */
  uint64_t steps;
  uint32_t depth; /**< UNF_PCT: of the defects looked for, 1 to UNF_MAX_DEPTH (3) */
} unf_explorer_options;

/** The defaults. */
#define UNF_EXPLORER_OPTIONS_INIT                                                                  \
  {                                                                                                \
    sizeof(unf_explorer_options), UNF_QPOR, UNF_ALTERNATIVE_OPTIONS_INIT, UNF_CUTOFFS_NONE,        \
        UNF_ORDER_DEPTH_FIRST, 0, 0, 0, UNF_UNBOUNDED, UNF_UNBOUNDED, 0, 0, 0, 100, 0, 1000, 0, 3  \
  }

/** The next execution. */
typedef struct unf_run {
  /** There is no next execution: everything within the bounds was explored, or, with UNF_RANDOM and
   * UNF_PCT, so many were made as were asked for. The other fields are then 0. */
  bool finished;
  /** The run is a probe, for the estimate. It is performed like any other run, but no step is
   * shared or decided, no state can be saved, unf_explorer_path() and unf_explorer_last() do not
   * report its steps, and its events do not belong to the unfolding. Its verdict says that there is
   * a defect as that of any other run does, and unf_schedule_append_run() has its steps. Data races
   * are not looked for in it (see race.h). */
  bool probe;
  uint64_t number;  /**< of the execution, from 1; probes are numbered on their own, from 1 */
  uint64_t shared;  /**< number of first steps that are the same as in the last execution */
  uint64_t decided; /**< number of first steps that are already decided; at least shared */
  /** Number of steps before the deepest state on the way that was named by unf_explorer_save(); 0:
   * there is none, or it is the start. */
  uint64_t saved;
  uint64_t state; /**< the name of that state, or 0 */
} unf_run;

/** Why a run ends, or that it does not. */
typedef enum unf_step_kind {
  UNF_STEP_ACTION = 0,    /**< perform the action and commit it */
  UNF_STEP_MAXIMAL = 1,   /**< no thread can do anything */
  UNF_STEP_REDUNDANT = 2, /**< everything that could follow was explored already */
  UNF_STEP_CUTOFF = 3,    /**< everything that could follow is a cutoff or comes after one */
  UNF_STEP_TRUNCATED = 4, /**< the execution exceeded a bound of the schedule */
  /** No outcome of a branch is possible, so the execution is none. Only where the predicate of
   * consistency.h did not know before. */
  UNF_STEP_INFEASIBLE = 5
} unf_step_kind;

/** Which bounds of the schedule were exceeded; the values are bits. */
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
  /** The run is not a new trace: it was ended early, or it was an interleaving of a trace already
   * seen (UNF_DFS). The other flags are then false. */
  bool redundant;
  bool complete; /**< every started thread has finished */
  /** Not complete, and no thread was halted by an assumption, a bound or an assertion. */
  bool deadlock;
  bool probe; /**< the run was a probe, which only unf_counts.probes counts */
  bool error; /**< an assertion failed, or the front-end reported an error */
  /** The run was ended by cutoffs or by a bound: it is no trace, neither complete
   * nor a deadlock. */
  bool truncated;
  uint32_t blocked; /**< threads that have neither finished nor halted */
  /** Whether the execution is consistent was not decided (consistency.h). It is none of the traces;
   * what the other flags say is possible, not certain. */
  bool undecided;
  /** The execution is inconsistent, which turned out at a branch or at its end, after the predicate
   * did not know; or, with UNF_EAGER, it cannot go on in the order of that algorithm for the same
   * reason, and what it would come to is another execution. The other flags are then false. */
  bool infeasible;
} unf_verdict;

/**
 * Everything counted so far. With UNF_RANDOM and UNF_PCT `traces` are those that a sketch of fixed
 * size tells apart: there were at least so many; `redundant` are the other executions, and
 * `complete`, `blocked`, `deadlocks` and `errors` count executions.
 */
typedef struct unf_counts {
  uint64_t traces;     /**< distinct maximal executions: complete + blocked */
  uint64_t complete;   /**< traces in which every started thread has finished */
  uint64_t blocked;    /**< traces in which some thread has not finished */
  uint64_t deadlocks;  /**< see unf_verdict */
  uint64_t errors;     /**< see unf_verdict */
  uint64_t redundant;  /**< executions that were no new trace */
  uint64_t truncated;  /**< executions that were ended by cutoffs or by a bound */
  uint64_t executions; /**< traces + redundant + truncated + undecided + infeasible */
  uint64_t probes;     /**< probes finished; no other field counts them */
  /** Distinct events of executions, without ⊥. An event that was freed and met again counts again,
   * here and in `extensions`. */
  uint64_t events;
  uint64_t steps;   /**< events performed, including steps resumed at a checkpoint */
  uint64_t resumed; /**< steps that unf_explorer_resume() spared, which `steps` includes */
  /** Distinct events known to this explorer: those of executions, and the conflicting extensions
   * that it made. Of the values of a LOCAL operation those are made that were explored, and at most
   * a few more. */
  uint64_t extensions;
  uint32_t bounds;      /**< which bounds truncated executions exceeded, bits of unf_bound */
  uint64_t collections; /**< how often events were freed, see unf_explorer_options.collect */
  uint64_t collected;   /**< events freed */
  /** UNF_ODPOR: the largest number of events that wakeup trees ever held. UNF_EAGER: that of
   * suspended runs and of the turns to come that they keep. */
  uint64_t waiting;
  uint64_t waiting_bytes;      /**< as `waiting`, in bytes, without unused capacity */
  uint64_t reversals;          /**< UNF_ODPOR: reversals of executions that were looked at */
  uint64_t reversals_inserted; /**< UNF_ODPOR: reversals that enlarged a wakeup tree */
  uint64_t turns_tested;       /**< UNF_EAGER: tests whether an execution has a turn to an event */
  uint64_t turns;              /**< UNF_EAGER: turns made, each the beginning of an execution */
  unf_alternative_statistics alternatives; /**< UNF_QPOR, UNF_SDPOR: the cost of alternatives */
  /** Executions of which the predicate of consistency.h did not know whether they are consistent;
   * no other field but `executions`, `events` and `steps` counts them. */
  uint64_t undecided;
  uint64_t infeasible; /**< executions that turned out to be none, see unf_verdict */
} unf_counts;

/** How much is still to come; see unf_explorer_estimate(). */
typedef struct unf_estimate {
  double left;      /**< traces still to come; negative: not known */
  double error;     /**< standard error of `left`; negative: not known */
  uint64_t samples; /**< number of probes that the estimate is computed from */
} unf_estimate;

/** What executions that are drawn say; see unf_explorer_sampling(). */
typedef struct unf_sampling {
  uint64_t executions; /**< made so far */
  uint64_t measured;   /**< UNF_PCT: of them, the random walks that came first */
  uint64_t threads;    /**< n: the most threads that started in one of them */
  uint64_t longest;    /**< steps of the longest one */
  uint64_t steps;      /**< UNF_PCT: k, see unf_explorer_options.steps; 0: not known yet */
  uint32_t depth;      /**< UNF_PCT: d */
  /** Some operation had several outcomes of which one was drawn (a choice, a waiter to wake), so
   * that executions do not differ by their schedules alone. Of more than 1024 outcomes, values of a
   * choice apart, one of the first 1024 is drawn. */
  bool drawn;
  /** UNF_PCT: 1 / (n · k^(d-1)), the least probability with which an execution, those that measure
   * apart, has a defect of depth d if the program has one. Negative, as none is known: an
   * execution had more than k steps, an outcome was drawn, or no execution was made yet. */
  double bound;
} unf_sampling;

/** Makes an explorer over an unfolding, which must outlive it; several explorers may share an
 * unfolding, unless one of them frees events. options may be NULL. *out is owned by the caller.
 * Errors: UNF_INVALID, UNF_UNSUPPORTED (options that cannot be combined), UNF_STATE (the
 * unfolding has another explorer or a table of cutoffs, and one of the explorers frees events),
 * UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_explorer_new(unf_unfolding *unfolding, const unf_explorer_options *options,
                                    unf_explorer **out);

/** Frees an explorer in any state; NULL does nothing. O(bytes held). */
UNF_API void unf_explorer_free(unf_explorer *explorer);

/**
 * IDLE → RUNNING, or run->finished. Looks for the next branch, and frees events when
 * unf_explorer_options.collect asks for it. Errors: UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED.
 * When no other run may begin by unf_limits.runs it says whether the exploration is finished, or
 * UNF_LIMIT; also UNF_LIMIT when that is not known after about a million elementary steps and
 * twice the steps and threads of the last run. Cost: one search for an alternative per node that is
 * left; O(events · (threads + objects)) for freeing events.
 */
UNF_API unf_status unf_explorer_next(unf_explorer *explorer, unf_run *run);

/**
 * For front-ends with checkpoints: continues the run after the given number of steps, which the
 * front-end does not perform again. At most run.shared or run.saved, whichever is more. Before the
 * first unf_explorer_step() of the run, and before its offers: an offer says what a thread does
 * next at the point that the run has reached. The operations that were offered at the skipped steps
 * are known and need not be offered again. Errors: UNF_STATE, UNF_INVALID. O(steps).
 */
UNF_API unf_status unf_explorer_resume(unf_explorer *explorer, uint64_t steps);

/**
 * RUNNING. For front-ends with checkpoints: says that the front-end keeps the program's state after
 * the steps performed so far, under a name that it chooses. unf_explorer_next() reports the deepest
 * such state on the way of a run (run.saved, run.state), and unf_explorer_options.forget is called
 * when no run can begin there any more. This pays in orders other than depth-first, where the next
 * execution can branch off from any earlier one. A second name for the same point is another state;
 * runs report the last one. Errors: UNF_STATE, UNF_MEMORY. O(1) beyond the decided steps; within
 * them O(forks on the way + states saved there).
 */
UNF_API unf_status unf_explorer_save(unf_explorer *explorer, uint64_t state);

/**
 * RUNNING. Says what a thread does next. Required at the start for every thread that runs from ⊥
 * on, and after each step for the thread that performed it and for a thread that the step created.
 * Offering the same operation again is harmless. Errors: UNF_NONDETERMINISM (another operation was
 * offered after the same event; detail: step, expected and seen operation), UNF_STATE (the thread
 * has not started), UNF_UNKNOWN, UNF_INVALID, UNF_MEMORY. Expected O(1).
 */
UNF_API unf_status unf_explorer_offer(unf_explorer *explorer, unf_thread thread,
                                      const unf_operation *operation);

/**
 * RUNNING. Says that the engine itself blocks a thread, for a reason that the library does not
 * know. Until the engine unblocks it or the run ends, steps do not choose the thread, except for
 * steps that are already decided. The thread counts as blocked. The caller guarantees that whether
 * it is blocked does not depend on the order of independent steps. Errors: UNF_UNKNOWN,
 * UNF_UNSUPPORTED (UNF_DFS, UNF_EAGER, UNF_RANDOM, UNF_PCT), UNF_MEMORY. O(1).
 */
UNF_API unf_status unf_explorer_block(unf_explorer *explorer, unf_thread thread, bool blocked);

/** RUNNING → CHOSEN or ENDED. Chooses the next step, or says why the run ends. Errors: UNF_MISSING
 * (a started thread without an operation; detail: thread), UNF_MEMORY, UNF_LIMIT. Expected O(1) for
 * a decided step; otherwise O(log threads) for each thread that is looked at, which are those that
 * may be able to act, and for the first such step of a run O(threads). */
UNF_API unf_status unf_explorer_step(unf_explorer *explorer, unf_step *step);

/**
 * CHOSEN → RUNNING. The chosen step was performed. `happened` is what the program did; NULL: the
 * chosen action. Any other action is UNF_DIVERGENCE, with the step, the expected and the seen
 * action as detail. A cookie other than 0 is stored with the event, unless the event has one
 * already. Other errors: UNF_MEMORY, UNF_LIMIT. O(1) for a known event, O(threads + objects) for
 * a new one.
 */
UNF_API unf_status unf_explorer_commit(unf_explorer *explorer, const unf_action *happened,
                                       uint64_t cookie);

/**
 * RUNNING, after a commit and before the next step. For explorers with cutoffs, where it is
 * required after every commit: says what the committed step changed in the state of the
 * program, up to the next operations of its thread and of a thread that it created. Errors:
 * UNF_STATE, UNF_NONDETERMINISM (the same event changed something else before), UNF_MEMORY,
 * UNF_LIMIT. Cost: unf_cutoffs_add().
 */
UNF_API unf_status unf_explorer_changed(unf_explorer *explorer, const unf_fingerprint *change);

/** unf_explorer_changed() for an unfolding with a predicate of consistency, where it is the only
 * one; `condition` is that of unf_cutoffs_add_under(). Errors: as there; UNF_UNSUPPORTED: there is
 * no predicate. Cost: unf_cutoffs_add(). */
UNF_API unf_status unf_explorer_changed_under(unf_explorer *explorer, const unf_fingerprint *change,
                                              const unf_fingerprint *condition);

/** The table of cutoffs, to be read only; NULL without cutoffs. The explorer owns it. O(1). */
UNF_API unf_cutoffs *unf_explorer_cutoffs(unf_explorer *explorer);

/**
 * ENDED → IDLE. Finishes the run and computes its conflicting extensions. `error`: the front-end
 * found an error in the execution. verdict may be NULL. A run that is not ENDED can only be
 * dropped, with unf_explorer_abandon(). Errors: UNF_STATE, UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED.
 * After UNF_MEMORY, UNF_LIMIT and UNF_INTERRUPTED the run is still ENDED and counts nowhere, but
 * *verdict is what the execution came to, so that a defect of it can be reported; with UNF_DFS the
 * trace may have been seen before. A call that is made again goes on where it was. Where
 * unf_limits.runs lets no other run begin, extensions serve only to see whether there is one: of a
 * run that has more than some million of them the rest is computed when the limit was raised. What
 * locks behind the first 2,048 steps could have been UNF_QPOR and UNF_SDPOR leave to
 * unf_explorer_next(), and there to when the step is taken back. O(new events · (threads + objects)
 * + new extensions).
 */
UNF_API unf_status unf_explorer_finish(unf_explorer *explorer, bool error, unf_verdict *verdict);

/** Any state → IDLE. Drops the run: it is not counted, and the next run takes the same
 * branch again. O(steps). */
UNF_API void unf_explorer_abandon(unf_explorer *explorer);

/**
 * IDLE. For engines that execute whole traces: does what unf_explorer_next() does, and passes the
 * actions that the next execution must begin with to visit, in order. run may be NULL. After
 * these actions the execution may continue in any way; then it is given to unf_explorer_feed().
 * Errors and cost: as unf_explorer_next().
 */
UNF_API unf_status unf_explorer_prefix(unf_explorer *explorer, unf_action_visitor visit, void *user,
                                       unf_run *run);

/** One step of a trace that was executed elsewhere. */
typedef struct unf_traced {
  unf_action action;       /**< what happened */
  unf_operation operation; /**< the operation of action.thread that it came of */
  uint64_t cookie;         /**< as in unf_explorer_commit() */
} unf_traced;

/** The next operation of a thread at the end of a trace, where it is finished,
 * halted or blocked. */
typedef struct unf_pending {
  unf_thread thread;       /**< any started thread */
  unf_operation operation; /**< what it was about to do */
} unf_pending;

/**
 * After unf_explorer_prefix(). Takes a whole execution, with one pending entry for every started
 * thread, and finishes the run. If the execution, beyond its prefix, reaches a point from which
 * everything was explored already, it is taken up to that point and counts as redundant; what is
 * still missing is asked for by the next prefix. *verdict may be NULL. Errors: UNF_UNSUPPORTED
 * (cutoffs, UNF_EAGER, UNF_RANDOM, UNF_PCT), UNF_DIVERGENCE (not the prefix, or not maximal),
 * UNF_NONDETERMINISM, UNF_DISABLED, each with the step; UNF_MISSING, UNF_INVALID, UNF_MEMORY,
 * UNF_LIMIT, UNF_INTERRUPTED. After an error the same execution, or a corrected one, can be fed.
 * Cost: the sum of the calls that it replaces.
 */
UNF_API unf_status unf_explorer_feed(unf_explorer *explorer, const unf_traced *trace,
                                     uint64_t count, const unf_pending *pending,
                                     uint64_t pending_count, bool error, unf_verdict *verdict);

/**
 * Estimates how many traces are still to come, from the probes that unf_explorer_options.probes
 * asked for. Each probe has a value whose expectation is exactly the number of traces of the
 * program, for every algorithm and order: an importance sample in the manner of Knuth (Estimating
 * the efficiency of backtrack programs, 1975), described in doc/estimate.md. `left` is the mean of
 * the values minus the traces found, but at least 0; `error` is its standard error. Values can vary
 * widely: then most estimates from few probes are too low, some far too high, and the standard
 * error is too low as well. Both are -1 with UNF_RANDOM and UNF_PCT, as long as there was no probe,
 * while more traces were found than the mean plus two standard errors, after a probe was dropped by
 * unf_explorer_abandon() or met four million threads that could act, those of all its steps
 * together (it goes on without a value, and is the last one), and when the number exceeds a double.
 * When the exploration is finished, both are exactly 0. O(1).
 */
UNF_API void unf_explorer_estimate(const unf_explorer *explorer, unf_estimate *out);

/** What UNF_RANDOM or UNF_PCT did so far. Errors: UNF_INVALID, UNF_UNSUPPORTED (another algorithm).
 * O(1). */
UNF_API unf_status unf_explorer_sampling(const unf_explorer *explorer, unf_sampling *out);

/** What was counted so far. O(1). */
UNF_API void unf_explorer_counts(const unf_explorer *explorer, unf_counts *out);

/** Copies the configuration of the current run into *out, or that of the last one if no run is
 * active. Error: UNF_MEMORY. O(threads + objects); O(steps · (threads + objects)) for the last one
 * after a call of unf_explorer_next(). */
UNF_API unf_status unf_explorer_configuration(unf_explorer *explorer, unf_configuration *out);

/** The events of the current run, or of the last one if no run is active, in the
 * order performed. O(steps). */
UNF_API void unf_explorer_path(const unf_explorer *explorer, unf_event_visitor visit, void *user);

/** Within unf_explorer_options.choose: the steps that are decided at the leaf of this index, behind
 * those that it shares with another execution, in order. Nothing is visited for another index, or
 * elsewhere. O(those steps). */
UNF_API void unf_explorer_leaf_steps(const unf_explorer *explorer, uint64_t index,
                                     unf_event_visitor visit, void *user);

/**
 * RUNNING, CHOSEN or ENDED. What a thread is about to do at the point that the run has reached, as
 * it was offered. Errors: UNF_STATE (no run, a probe, or the thread has not started), UNF_MISSING
 * (it was not offered), UNF_UNKNOWN. O(1).
 */
UNF_API unf_status unf_explorer_operation(unf_explorer *explorer, unf_thread thread,
                                          unf_operation *out);

/**
 * ENDED, or behind unf_explorer_finish(), so also in unf_engine.ended: of a run that ended with
 * UNF_STEP_REDUNDANT visits the events that sleep there, oldest first. What could follow is one of
 * them, or a sibling of one, so that all of it was explored before, after another branch. Nothing
 * is visited of a probe, nor of a run that ended otherwise; so is one that UNF_DFS performed to its
 * end and whose trace it had met before. Error: UNF_STATE. O(events that sleep).
 */
UNF_API unf_status unf_explorer_asleep(unf_explorer *explorer, unf_event_visitor visit, void *user);

/** The event of the last step that was performed or resumed in the current run, or in the last one
 * if no run is active; ⊥ if there was no step. O(1). */
UNF_API unf_event unf_explorer_last(const unf_explorer *explorer);

UNF_END_DECLS

#endif
