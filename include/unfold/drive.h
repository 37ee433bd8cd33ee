/**
 * @file
 * The exploration loop, ready made: the library restarts the program, asks what its threads are
 * about to do, and says what to perform, until everything is explored. An engine is a few
 * callbacks.
 *
 *     static const unf_engine engine = {
 *         .size = sizeof(unf_engine), .restart = restart, .next = next, .perform = perform};
 *     unf_status status = unf_explore(explorer, &engine, &counts);
 *
 * It makes the calls of explore.h in the order of the diagram there. An engine for which that order
 * does not fit makes them itself.
 */
#ifndef UNFOLD_DRIVE_H
#define UNFOLD_DRIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/explore.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** What an engine did for a step. Before unf_engine.perform is called the action is the chosen one,
 * and the rest 0. */
typedef struct unf_performed {
  unf_action action; /**< what the program did; another action than the chosen one is divergence */
  uint64_t cookie;   /**< as in unf_explorer_commit() */
  bool error;        /**< the engine found an error of the program in this execution */
} unf_performed;

/**
 * A program that can be run step by step. Callbacks get `user`, and may call any function that does
 * not move the explorer (explore.h: those are next, resume, step, commit, changed, finish, feed,
 * prefix, abandon and free; offer and block are allowed). Those that may be NULL say what is done
 * without them.
 *
 * If one returns a status that is not UNF_OK, unf_explore() ends with that status, and the next
 * call of it begins with the same callback again.
 */
typedef struct unf_engine {
  uint32_t size; /**< sizeof(unf_engine) */
  void *user;    /**< passed to all callbacks */

  /** Brings the program to its beginning. */
  unf_status (*restart)(void *user, const unf_run *run);

  /** What a thread is about to do. Asked at the beginning of each execution, for every thread that
   * runs from ⊥ on, and after each step, for the thread that performed it and for a thread that it
   * created. */
  unf_status (*next)(void *user, unf_thread thread, unf_operation *operation);

  /** Performs the action that was chosen, up to the next operation of its thread. */
  unf_status (*perform)(void *user, const unf_step *step, unf_performed *performed);

  /**
   * For an execution that has steps in common with the last one, or passes a state that was saved:
   * goes back to where it can begin, and sets *steps to how many steps are performed there: at most
   * run->shared, or run->saved where run->state is restored. If *steps stays 0, restart is called.
   * NULL: every execution is performed from the beginning.
   */
  unf_status (*restore)(void *user, const unf_run *run, uint64_t *steps);

  /** Called after each step that is not in front of run->saved, and not in probes: may keep the
   * state that was reached and set *state to a name for it, which is not 0; else sets nothing. See
   * unf_explorer_save(); unf_explorer_options.forget says when it can go. Needs restore. NULL:
   * nothing is saved. */
  unf_status (*save)(void *user, uint64_t steps, uint64_t *state);

  /** What the step just performed changed in the state of the program, see unf_explorer_changed().
   * Required with cutoffs, and not called without. */
  unf_status (*changed)(void *user, unf_fingerprint *change);

  /** Called before each step is chosen: calls unf_explorer_block() for the threads that the engine
   * itself blocks from here on, or no longer blocks. NULL: none. */
  unf_status (*blocked)(void *user, unf_explorer *explorer);

  /** Called once for each execution and probe, with what it came to; unf_explorer_path() and the
   * like have its steps. When the explorer was stopped on its way through
   * unf_explorer_finish(), it is called before that is made again. NULL: nothing is done. */
  unf_status (*ended)(void *user, const unf_verdict *verdict, unf_explorer *explorer);

  /** Called before each execution and probe, and at the end. NULL: nothing is done. */
  unf_status (*progress)(void *user, unf_explorer *explorer);

  /** Called after `changed`: what the literals among the causes of the step just performed leave
   * open, see unf_explorer_changed_under(). Required with cutoffs in an unfolding with a predicate
   * of consistency, and not called otherwise. */
  unf_status (*condition)(void *user, unf_fingerprint *condition);
} unf_engine;

/** An engine without callbacks; restart, next and perform have to be set. */
#define UNF_ENGINE_INIT                                                                            \
  { sizeof(unf_engine), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Explores everything that is left. UNF_OK: all is explored. Any other status ended the call early
 * and lost nothing: the next call goes on where this one was, with the step that failed. That is a
 * status of the engine, which comes back unchanged, or one of the calls of explore.h, with its
 * detail; UNF_INTERRUPTED, UNF_LIMIT and UNF_MEMORY are of this kind. To begin the execution at
 * hand anew instead, call unf_explorer_abandon() first.
 *
 * *counts is what was counted so far, whatever the status; it may be NULL. Errors of its own:
 * UNF_INVALID (the size of the engine, a callback that is missing; detail: which), UNF_STATE (the
 * explorer is in an execution that was not begun here). Cost: the calls that it makes.
 */
UNF_API unf_status unf_explore(unf_explorer *explorer, const unf_engine *engine,
                               unf_counts *counts);

UNF_END_DECLS

#endif
