/**
 * @file
 * The parts of optimal dynamic partial-order reduction, for explorers of one's own: races and
 * reversals of an execution, weak initials, sleep sets, wakeup trees. UNF_ODPOR is made of them;
 * examples/api has a complete explorer that is.
 *
 * They follow "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction" (Abdulla,
 * Aronis, Jonsson, Sagonas, Journal of the ACM 64, 2017), sections 4 to 6, but a step is an event
 * and not a thread, so that a thread that could do something else is another step. Awaits, locks
 * and all else that blocks are reversed as in "Awaiting for Godot" (Jonsson, Lång, Sagonas, FMCAD
 * 2022), section V, with the corrections of doc/odpor.md.
 *
 * An execution is a sequence of events, each after its causes. Its node d is the point after d of
 * them. Sleep sets and wakeup trees belong to the nodes of the execution at hand, and both are kept
 * along it: sleep sets go with it step by step, wakeup trees are told the depth of a node.
 */
#ifndef UNFOLD_WAKEUP_H
#define UNFOLD_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/**
 * Whether an event is a weak initial of a sequence of events, both of them possible at one node:
 * from the left, the event itself is met before any that depends on it, or neither is met. Then
 * something that begins with the event has the same trace as something that begins with the
 * sequence (JACM 2017, Definition 4.1 and Lemma 4.2). An event that is in conflict with one of the
 * sequence depends on one of it. Errors: UNF_UNKNOWN, UNF_INVALID (⊥). O(count).
 */
UNF_API unf_status unf_weak_initial(const unf_unfolding *unfolding, unf_event event,
                                    const unf_event *sequence, uint64_t count, bool *out);

/** Receives the positions of two events of an execution, from 0; returning false ends the
 * enumeration early, which is no error. */
typedef bool (*unf_racing_visitor)(void *user, uint64_t first, uint64_t second);

/**
 * The races of an execution: two events of different threads, the first of them an immediate cause
 * of the second one (JACM 2017, Definition 3.3: nothing is between them in happens-before), except
 * the creation of a thread and what that does first. In the order of the second one, of one second
 * by ascending handle of the first. Not every race can be reversed: see unf_execution_reversals().
 * Errors: UNF_UNKNOWN, UNF_STATE (an event without its causes, or twice), UNF_CONFLICT, UNF_MEMORY,
 * UNF_LIMIT. O(count · threads + races · count).
 */
UNF_API unf_status unf_execution_races(unf_unfolding *unfolding, const unf_event *execution,
                                       uint64_t count, unf_racing_visitor visit, void *user);

/** What an execution could have been from one of its nodes on. */
typedef struct unf_reversal {
  unf_event event;           /**< that could have happened, and did not */
  uint64_t position;         /**< depth of the node: events of the execution before it */
  const unf_event *sequence; /**< from there on; valid during the call. Its last event is `event` */
  uint64_t count;            /**< of events in it */
} unf_reversal;

/** Receives reversals one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_reversal_visitor)(void *user, const unf_reversal *reversal);

/**
 * The reversals of a maximal execution E, of all its races and of what its blocked threads could
 * have done, that are enough to explore everything (doc/odpor.md): for each event f that could have
 * happened instead, once, let K be the events of E that depend on f and are no causes of it. The
 * position is that of the first of K, and the sequence is all of E from there on that does not
 * happen after one of K, and then f: notdep(e, E).f of JACM 2017, section 6. One that is not
 * explored, which unf_sleep_initial() tells, is for the wakeup tree of that node.
 *
 * The next operation of every started thread must be known, after every event of the execution.
 * visit must not change the unfolding. Errors: UNF_UNKNOWN, UNF_STATE (an event without its causes,
 * or twice), UNF_CONFLICT, UNF_MISSING (detail: thread), UNF_UNSUPPORTED, UNF_MEMORY, UNF_LIMIT.
 * O(reversals · count · events in K).
 */
UNF_API unf_status unf_execution_reversals(unf_unfolding *unfolding, const unf_event *execution,
                                           uint64_t count, unf_reversal_visitor visit, void *user);

/** The sleep sets of the nodes of an execution, from the root to its end. */
typedef struct unf_sleep_sets unf_sleep_sets;

/** Makes the empty sleep set of a root. *out is owned by the caller and must be freed before the
 * unfolding. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_sleep_new(unf_unfolding *unfolding, unf_sleep_sets **out);

/** Frees sleep sets; NULL does nothing. O(1). */
UNF_API void unf_sleep_free(unf_sleep_sets *sleep);

/** Adds an event to the sleep set of the last node: what begins with it was explored there. Errors:
 * UNF_UNKNOWN, UNF_INVALID (⊥), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_sleep_add(unf_sleep_sets *sleep, unf_event event);

/** Goes on to the node after one more event, in whose sleep set are those of the last one that are
 * another event and independent of it. Errors: UNF_UNKNOWN, UNF_INVALID (⊥), UNF_MEMORY,
 * UNF_LIMIT. O(asleep). */
UNF_API unf_status unf_sleep_push(unf_sleep_sets *sleep, unf_event event);

/** Goes back to the node before; what was added at the last one is gone. Error: UNF_STATE (at the
 * root). O(asleep anywhere). */
UNF_API unf_status unf_sleep_pop(unf_sleep_sets *sleep);

/** The event that led to the last node, or ⊥ at the root. O(1). */
UNF_API unf_event unf_sleep_last(const unf_sleep_sets *sleep);

/** Whether an event is asleep at the last node. Error: UNF_UNKNOWN. O(asleep anywhere). */
UNF_API unf_status unf_sleep_contains(const unf_sleep_sets *sleep, unf_event event, bool *out);

/** Whether some event that is asleep at a node is a weak initial of a sequence there: then all that
 * begins with the sequence was explored. Errors: UNF_UNKNOWN, UNF_INVALID (⊥ in the sequence, or
 * depth beyond the last node). O(asleep anywhere · count). */
UNF_API unf_status unf_sleep_initial(const unf_sleep_sets *sleep, uint64_t depth,
                                     const unf_event *sequence, uint64_t count, bool *out);

/** The events asleep at a node, in the order in which they were added. Error: UNF_INVALID (depth
 * beyond the last node). O(asleep anywhere). */
UNF_API unf_status unf_sleep_visit(const unf_sleep_sets *sleep, uint64_t depth,
                                   unf_event_visitor visit, void *user);

/**
 * The wakeup trees of the nodes of an execution: at each, what is still to be explored from there,
 * as ordered trees of events. The branch that the execution itself took is not in them. At a leaf
 * the exploration goes on freely.
 */
typedef struct unf_wakeup_trees unf_wakeup_trees;

/** Makes wakeup trees that are all empty. *out is owned by the caller and must be freed before the
 * unfolding. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_wakeup_new(unf_unfolding *unfolding, unf_wakeup_trees **out);

/** Frees wakeup trees; NULL does nothing. O(1). */
UNF_API void unf_wakeup_free(unf_wakeup_trees *trees);

/**
 * Inserts a sequence into the tree of the node at a depth (JACM 2017, Definition 6.2 and Lemma
 * 6.3): goes to the leftmost branch whose event is a weak initial of it, takes that event out of
 * it, and so on below; ends without a change when the event was not in the sequence, the sequence
 * is used up, or the branch is a leaf; where no branch fits, what is left of the sequence becomes
 * the rightmost one. Nothing that sleeps at the node may be a weak initial of the sequence
 * (unf_sleep_initial()). *inserted, which may be NULL: whether the tree changed. Errors:
 * UNF_UNKNOWN, UNF_INVALID (⊥, or nothing), UNF_MEMORY, UNF_LIMIT. O(branches met · count).
 */
UNF_API unf_status unf_wakeup_insert(unf_wakeup_trees *trees, uint64_t depth,
                                     const unf_event *sequence, uint64_t count, bool *inserted);

/**
 * Takes the leftmost branch of the tree of the node at a depth: its event is what the execution
 * does next, and what is below it becomes the tree of the next node. UNF_EVENT_NONE: the tree is
 * empty, and the node is done, or a new one where any event that is not asleep will do. Errors:
 * UNF_STATE (a tree further down is not empty), UNF_MEMORY, UNF_LIMIT. O(1).
 */
UNF_API unf_status unf_wakeup_take(unf_wakeup_trees *trees, uint64_t depth, unf_event *out);

/** Receives an event of a tree: `level` is 0 for the first event of a branch. Returning false ends
 * the enumeration early, which is no error. */
typedef bool (*unf_wakeup_visitor)(void *user, unf_event event, uint32_t level);

/** The tree of the node at a depth, in preorder, from the left. Errors: UNF_MEMORY, UNF_LIMIT.
 * O(events in it). */
UNF_API unf_status unf_wakeup_visit(const unf_wakeup_trees *trees, uint64_t depth,
                                    unf_wakeup_visitor visit, void *user);

/** How many events all trees have together. O(1). */
UNF_API uint64_t unf_wakeup_size(const unf_wakeup_trees *trees);

UNF_END_DECLS

#endif
