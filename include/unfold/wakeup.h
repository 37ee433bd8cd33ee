/**
 * @file
 * The parts of optimal dynamic partial-order reduction, for writing other explorers: races and
 * reversals of an execution, weak initials, sleep sets, wakeup trees. UNF_ODPOR is made of them;
 * examples/api/15-optimal-dpor.c is a complete explorer made of them.
 *
 * They follow "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction" (Abdulla,
 * Aronis, Jonsson, Sagonas, Journal of the ACM 64, 2017), sections 4 to 6, except that a step is an
 * event and not a thread, so that different actions of one thread are different steps. Awaits,
 * locks and everything else that blocks are reversed as in "Awaiting for Godot" (Jonsson, Lång,
 * Sagonas, FMCAD 2022), section V, with the corrections of doc/odpor.md.
 *
 * An execution is a sequence of events, each after its causes. Its node at depth d is the point
 * after its first d events. Sleep sets and wakeup trees belong to the nodes of the current
 * execution: sleep sets follow it step by step, wakeup trees are addressed by the depth of a node.
 */
#ifndef UNFOLD_WAKEUP_H
#define UNFOLD_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/**
 * Whether an event is a weak initial of a sequence of events; event and sequence must be possible
 * at the same node. It is one if, from the left, the sequence has the event before all events that
 * depend on it, or has neither. Then some execution that begins with the event and some execution
 * that begins with the sequence are the same trace (JACM 2017, Definition 4.1 and Lemma 4.2). An
 * event that is in conflict with an event of the sequence depends on some event of the sequence.
 * Errors: UNF_UNKNOWN, UNF_INVALID (⊥). O(count).
 */
UNF_API unf_status unf_weak_initial(const unf_unfolding *unfolding, unf_event event,
                                    const unf_event *sequence, uint64_t count, bool *out);

/** Receives the positions of two events of an execution, from 0; returning false ends the
 * enumeration early, which is no error. */
typedef bool (*unf_racing_visitor)(void *user, uint64_t first, uint64_t second);

/**
 * The races of an execution: pairs of events of different threads, the first an immediate cause of
 * the second (JACM 2017, Definition 3.3: nothing is between them in happens-before), except the
 * creation of a thread with the first event of that thread. In the order of the second events, and
 * for one second event by ascending handle of the first. Not every race can be reversed: see
 * unf_execution_reversals(). Errors: UNF_UNKNOWN, UNF_STATE (an event without its causes, or
 * twice), UNF_CONFLICT, UNF_MEMORY, UNF_LIMIT. O(count · threads + races · count).
 */
UNF_API unf_status unf_execution_races(unf_unfolding *unfolding, const unf_event *execution,
                                       uint64_t count, unf_racing_visitor visit, void *user);

/** Another way in which an execution could have continued from one of its nodes. */
typedef struct unf_reversal {
  unf_event event;   /**< the event that could have happened, and did not */
  uint64_t position; /**< depth of the node: the number of events of the execution before it */
  const unf_event *sequence; /**< from the node on; ends with `event`; valid during the call */
  uint64_t count;            /**< number of events in the sequence */
} unf_reversal;

/** Receives reversals one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_reversal_visitor)(void *user, const unf_reversal *reversal);

/**
 * The reversals of a maximal execution E: those of its races, and what its blocked threads could
 * have done. They are enough to explore everything (doc/odpor.md). Each event f that could have
 * happened instead is reported once. Let K be the events of E that depend on f and are not causes
 * of f. The position is that of the first event of K; the sequence is everything of E from there on
 * that does not happen after an event of K, and then f: notdep(e, E).f of JACM 2017, section 6. A
 * reversal that was not explored yet, as unf_sleep_initial() decides, is to be inserted into the
 * wakeup tree of its node. After these come the other outcomes of the branches of E that are
 * consistent with what comes before (consistency.h), each with a sequence of itself alone.
 *
 * The next operation of every started thread must be known, after every event of the execution.
 * visit must not change the unfolding. Errors: UNF_UNKNOWN, UNF_STATE (an event without its causes,
 * or twice), UNF_CONFLICT, UNF_MISSING (detail: thread), UNF_UNSUPPORTED, UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. O(reversals · count · events in K).
 */
UNF_API unf_status unf_execution_reversals(unf_unfolding *unfolding, const unf_event *execution,
                                           uint64_t count, unf_reversal_visitor visit, void *user);

/** The sleep sets of the nodes of an execution, from the root to its end. */
typedef struct unf_sleep_sets unf_sleep_sets;

/** Makes sleep sets for an execution without events: one empty set, at the root. *out is
 * owned by the caller and must be freed before the unfolding. Errors: UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_sleep_new(unf_unfolding *unfolding, unf_sleep_sets **out);

/** Frees sleep sets; NULL does nothing. O(1). */
UNF_API void unf_sleep_free(unf_sleep_sets *sleep);

/** Adds an event to the sleep set of the last node: every execution that continues with it there
 * was explored. Errors: UNF_UNKNOWN, UNF_INVALID (⊥), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_sleep_add(unf_sleep_sets *sleep, unf_event event);

/** Appends an event to the execution. The sleep set of the new node has the events of that of the
 * previous node that are independent of the event and different from it. Errors: UNF_UNKNOWN,
 * UNF_INVALID (⊥), UNF_MEMORY, UNF_LIMIT. O(asleep). */
UNF_API unf_status unf_sleep_push(unf_sleep_sets *sleep, unf_event event);

/** Removes the last event of the execution, and the sleep set of its node. Error: UNF_STATE (at the
 * root). O(asleep anywhere). */
UNF_API unf_status unf_sleep_pop(unf_sleep_sets *sleep);

/** The event that led to the last node, or ⊥ at the root. O(1). */
UNF_API unf_event unf_sleep_last(const unf_sleep_sets *sleep);

/** Whether an event is asleep at the last node. Error: UNF_UNKNOWN. O(asleep anywhere). */
UNF_API unf_status unf_sleep_contains(const unf_sleep_sets *sleep, unf_event event, bool *out);

/** Whether some event that is asleep at a node is a weak initial of a sequence there: then every
 * execution that continues with the sequence was explored. Errors: UNF_UNKNOWN, UNF_INVALID (⊥ in
 * the sequence, or depth beyond the last node). O(asleep anywhere · count). */
UNF_API unf_status unf_sleep_initial(const unf_sleep_sets *sleep, uint64_t depth,
                                     const unf_event *sequence, uint64_t count, bool *out);

/** The events asleep at a node, in the order in which they were added. Error: UNF_INVALID (depth
 * beyond the last node). O(asleep anywhere). */
UNF_API unf_status unf_sleep_visit(const unf_sleep_sets *sleep, uint64_t depth,
                                   unf_event_visitor visit, void *user);

/**
 * The wakeup trees of the nodes of an execution: for each node, what is still to be explored from
 * there, as an ordered tree of events. The branch that the execution itself took is not in it.
 * After a leaf, the exploration is free to choose.
 */
typedef struct unf_wakeup_trees unf_wakeup_trees;

/** Makes wakeup trees that are all empty. *out is owned by the caller, and must be freed before the
 * unfolding. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_wakeup_new(unf_unfolding *unfolding, unf_wakeup_trees **out);

/** Frees wakeup trees; NULL does nothing. O(1). */
UNF_API void unf_wakeup_free(unf_wakeup_trees *trees);

/**
 * Inserts a sequence into the tree of the node at a depth (JACM 2017, Definition 6.2 and Lemma
 * 6.3). Starting at the root of the tree, it follows the leftmost branch whose event is a weak
 * initial of the sequence, removes that event from the sequence, and continues below. It ends
 * without a change when the event was not in the sequence, when the sequence is empty, or when the
 * branch is a leaf. Where no branch has such an event, the rest of the sequence becomes the
 * rightmost branch. No event that is asleep at the node may be a weak initial of the sequence
 * (unf_sleep_initial()). *inserted (inserted may be NULL) says whether the tree changed. Errors:
 * UNF_UNKNOWN, UNF_INVALID (⊥, nothing, or a depth above the number of events that there are),
 * UNF_MEMORY, UNF_LIMIT, UNF_INTERRUPTED. O(branches met · count).
 */
UNF_API unf_status unf_wakeup_insert(unf_wakeup_trees *trees, uint64_t depth,
                                     const unf_event *sequence, uint64_t count, bool *inserted);

/**
 * Removes the leftmost branch of the tree of the node at a depth: *out is its event, with which the
 * execution continues, and what is below it becomes the tree of the next node. *out is
 * UNF_EVENT_NONE if the tree is empty: then the node is done, or it is new and the execution can
 * continue with any event that is not asleep. Errors: UNF_STATE (a tree further down is not empty),
 * UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_wakeup_take(unf_wakeup_trees *trees, uint64_t depth, unf_event *out);

/** Receives an event of a tree; `level` is 0 for the first event of a branch. Returning false ends
 * the enumeration early, which is no error. */
typedef bool (*unf_wakeup_visitor)(void *user, unf_event event, uint32_t level);

/** The tree of the node at a depth, in preorder, from the left. Errors: UNF_MEMORY, UNF_LIMIT.
 * O(events in it). */
UNF_API unf_status unf_wakeup_visit(const unf_wakeup_trees *trees, uint64_t depth,
                                    unf_wakeup_visitor visit, void *user);

/** Number of events in all trees. O(1). */
UNF_API uint64_t unf_wakeup_size(const unf_wakeup_trees *trees);

UNF_END_DECLS

#endif
