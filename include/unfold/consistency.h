/**
 * @file
 * Consistency: executions for unknown data. A thread that tests what it does not know performs a
 * *branch*, an event with one outcome for each way to go on; each outcome has a literal, a
 * constraint on the unknown data, which only the front-end understands. A configuration is
 * consistent if it is free of conflict and the constraints of its branch events can be satisfied
 * together. What is explored are the maximal consistent configurations, each once, with every
 * algorithm and order. doc/consistency.md has what a front-end must guarantee, and why the rules
 * are as they are.
 *
 * Literals can exclude each other in three threads where any two could go together; so they are no
 * conflict between events. unf_event_conflicts() and the other relations do not know of them.
 */
#ifndef UNFOLD_CONSISTENCY_H
#define UNFOLD_CONSISTENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/configuration.h>
#include <unfold/event.h>
#include <unfold/export.h>
#include <unfold/status.h>

UNF_BEGIN_DECLS

/** Whether constraints can be satisfied together. */
typedef enum unf_answer {
  UNF_ANSWER_NO = 0,
  UNF_ANSWER_YES = 1,
  /** Not known, for example because a solver gave up. It is explored as YES is, so that nothing is
   * lost; executions whose constraint is not decided are counted apart. */
  UNF_ANSWER_UNKNOWN = 2,
  UNF_ANSWER_COUNT
} unf_answer;

/** The constraint that a branch event adds. */
typedef struct unf_literal {
  uint64_t term;     /**< as given to UNF_OP_BRANCH() */
  uint32_t outcome;  /**< from 0 on */
  uint32_t outcomes; /**< how many there are */
} unf_literal;

/** No witness. */
#define UNF_WITNESS_NONE ((uint64_t)0)

/** Initialise with UNF_CONSISTENCY_INIT. */
typedef struct unf_consistency {
  uint32_t size; /**< sizeof(unf_consistency) */
  /**
   * Whether the literals of `count` branch events can be satisfied together. Causes stand before
   * their effects, and the literals of the first `known` events were not found to contradict each
   * other before, so a solver can keep them and add the others. The same event can be asked about
   * often; unf_event_literal() has its literal.
   *
   * NO may write a core, some of the events that contradict each other already, into the array
   * `core`, which has room for `count`, and their number to *core_count (0 at first: none); what
   * contains them is not asked about for a while, so a small core spares calls. YES may
   * write a witness, a number that stands for values which satisfy the literals, to *witness
   * (UNF_WITNESS_NONE at first). Must not change the unfolding (NULL).
   */
  unf_answer (*consistent)(void *user, const unf_event *events, uint64_t count, uint64_t known,
                           unf_event *core, uint64_t *core_count, uint64_t *witness);
  /** Whether the values of a witness satisfy the literal of a branch event. May be NULL, then
   * witnesses are not used. The library tries a few of the latest witnesses before it asks (NULL).
   */
  bool (*holds)(void *user, uint64_t witness, unf_event event);
  /** Called when a witness will not be used any more. May be NULL (NULL). */
  void (*forget)(void *user, uint64_t witness);
  void *user; /**< passed to the functions (NULL) */
} unf_consistency;

/** The defaults. */
#define UNF_CONSISTENCY_INIT                                                                       \
  { sizeof(unf_consistency), 0, 0, 0, 0 }

/** How often the predicate of an unfolding was asked. */
typedef struct unf_consistency_counts {
  uint64_t questions;  /**< about sets of events */
  uint64_t witnessed;  /**< of them, answered with YES by a witness that was known */
  uint64_t refuted;    /**< of them, answered with NO by a set that was found inconsistent before */
  uint64_t calls;      /**< of unf_consistency.consistent */
  uint64_t no;         /**< of the calls, those with that answer */
  uint64_t unknown;    /**< of the calls, those with that answer */
  uint64_t remembered; /**< of the questions, those that were answered with YES before */
} unf_consistency_counts;

/**
 * Gives an unfolding the predicate that decides which configurations are consistent. Before any
 * operation of the unfolding is known; a branch of an unfolding without one is refused. Copies
 * *consistency. Errors: UNF_INVALID (size, or no function `consistent`), UNF_STATE (operations are
 * known, or there is a predicate already), UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_unfolding_set_consistency(unf_unfolding *unfolding,
                                                 const unf_consistency *consistency);

/** How often the predicate was asked; all 0 without one. O(1). */
UNF_API void unf_unfolding_consistency_counts(const unf_unfolding *unfolding,
                                              unf_consistency_counts *out);

/** The literal of a branch event. Errors: UNF_UNKNOWN, UNF_INVALID (no branch event),
 * UNF_MISSING (the operation is not known). O(1). */
UNF_API unf_status unf_event_literal(unf_unfolding *unfolding, unf_event event, unf_literal *out);

/** Whether a configuration is consistent: YES for one without branch events, and for every one of
 * an unfolding without a predicate. Errors: UNF_MEMORY. O(size), and a question. */
UNF_API unf_status unf_configuration_consistent(const unf_configuration *configuration,
                                                unf_answer *out);

UNF_END_DECLS

#endif
