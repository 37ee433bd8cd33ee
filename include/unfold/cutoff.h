/**
 * @file
 * Cutoffs: events whose local configuration leads to a state to which a smaller local
 * configuration leads as well, so that nothing after them is new (Section 3.8 of "Symbolic
 * Partial-Order Execution for Testing Multi-Threaded Programs", CAV 2020; "An Improvement of
 * McMillan's Unfolding Algorithm", Esparza, Römer, Vogler, FMSD 2002). doc/cutoffs.md has the
 * definitions and their guarantees.
 *
 * A table of cutoffs is given, for each event that was performed, the change that the event made to
 * the state, and decides which events are cutoffs. An explorer can keep one
 * (unf_explorer_options.cutoffs); it can also be used alone.
 */
#ifndef UNFOLD_CUTOFF_H
#define UNFOLD_CUTOFF_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>
#include <unfold/fingerprint.h>

UNF_BEGIN_DECLS

/** Which local configurations are smaller than others. */
typedef enum unf_cutoff_order {
  UNF_CUTOFFS_NONE = 0, /**< no cutoffs */
  UNF_CUTOFFS_SIZE = 1, /**< fewer events; equal sizes decide nothing */
  UNF_CUTOFFS_ERV = 2,  /**< total: size, then numbers of actions, then Foata normal form */
  UNF_CUTOFF_ORDER_COUNT
} unf_cutoff_order;

/** The word for an order, such as "erv"; "?" for an unknown one. Static storage. O(1). */
UNF_API const char *unf_cutoff_order_text(unf_cutoff_order order);

/** The order for a word. Errors: UNF_INVALID, UNF_UNKNOWN (no such word). O(orders). */
UNF_API unf_status unf_cutoff_order_from_text(const char *text, unf_cutoff_order *out);

/** What a table knows about an event. */
typedef enum unf_cutoff_verdict {
  UNF_CUTOFF_UNKNOWN = 0, /**< it was not performed */
  UNF_CUTOFF_KEPT = 1,    /**< neither a cutoff nor after one */
  UNF_CUTOFF_IS = 2,      /**< a cutoff, and after none */
  UNF_CUTOFF_AFTER = 3    /**< after a cutoff */
} unf_cutoff_verdict;

/** A table of cutoffs: verdicts about the events of one unfolding. */
typedef struct unf_cutoffs unf_cutoffs;

/** Numbers of events by verdict, and of states. */
typedef struct unf_cutoff_counts {
  uint64_t kept;    /**< events that are neither cutoffs nor after one */
  uint64_t cutoffs; /**< cutoffs */
  uint64_t after;   /**< events that were performed before one of their causes became a cutoff */
  uint64_t states;  /**< different states that kept events lead to, and the initial state */
} unf_cutoff_counts;

/** Makes a table for an unfolding, which must outlive it. The order must not be UNF_CUTOFFS_NONE.
 * *out is owned by the caller. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_cutoffs_new(unf_unfolding *unfolding, unf_cutoff_order order,
                                   unf_cutoffs **out);

/** Frees a table; NULL does nothing. O(bytes held). */
UNF_API void unf_cutoffs_free(unf_cutoffs *cutoffs);

/**
 * Adds an event that was performed, with what it changed in the state: in its thread, in shared
 * objects, and in a thread that it created, up to their next operations. All its causes must have
 * been added before. Adding an event again with the same change is no error; with another change it
 * is UNF_NONDETERMINISM. *verdict (verdict may be NULL) is the verdict for now; it can change
 * later, see unf_cutoffs_settle(). Other errors: UNF_UNKNOWN, UNF_INVALID (⊥), UNF_MISSING (a
 * cause), UNF_UNSUPPORTED (an unfolding with a predicate of consistency, which needs
 * unf_cutoffs_add_under()), UNF_MEMORY, UNF_LIMIT. O(threads + successors of events that become
 * cutoffs); in the UNF_CUTOFFS_ERV order, where two sizes are equal, plus O(d log d), where d is
 * the number of events that are in only one of the two local configurations.
 */
UNF_API unf_status unf_cutoffs_add(unf_cutoffs *cutoffs, unf_event event,
                                   const unf_fingerprint *change, unf_cutoff_verdict *verdict);

/**
 * unf_cutoffs_add() for an unfolding with a predicate of consistency (consistency.h), where it is
 * the only one: what values the literals in the local configuration of the event leave to what is
 * unknown is a part of the state to which it leads, and no sum of what single events changed.
 * `condition` stands for that: the condition of two events may be equal only if the same steps are
 * possible after both, with the same states; doc/consistency.md says when. Adding an event again
 * with another condition is UNF_NONDETERMINISM. UNF_FINGERPRINT_INIT is the condition of an event
 * without a branch among its causes. *verdict (verdict may be NULL), other errors and cost: as for
 * unf_cutoffs_add(). UNF_UNSUPPORTED: the unfolding has no predicate.
 */
UNF_API unf_status unf_cutoffs_add_under(unf_cutoffs *cutoffs, unf_event event,
                                         const unf_fingerprint *change,
                                         const unf_fingerprint *condition,
                                         unf_cutoff_verdict *verdict);

/** The verdict about an event. For an event that was not performed it is UNF_CUTOFF_AFTER if one of
 * its causes is a cutoff or comes after one. Errors: UNF_UNKNOWN, UNF_MEMORY. O(predecessors²). */
UNF_API unf_status unf_cutoffs_verdict(unf_cutoffs *cutoffs, unf_event event,
                                       unf_cutoff_verdict *out);

/** The state to which the local configuration of a performed event leads. Errors:
 * UNF_UNKNOWN, UNF_MISSING. O(1). */
UNF_API unf_status unf_cutoffs_state(const unf_cutoffs *cutoffs, unf_event event,
                                     unf_fingerprint *out);

/**
 * Decides again about all events that were performed, from the smallest local configuration to the
 * largest, so that only kept events make others cutoffs. Events that were cutoffs before and are
 * kept now are passed to visit: what follows them has yet to be explored. When there are no such
 * events, and everything after kept events was performed, the kept events and the cutoffs are those
 * of the definition, whatever the order in which they were found. Errors: UNF_MEMORY, UNF_LIMIT.
 * O(events · cost of unf_cutoffs_add()).
 */
UNF_API unf_status unf_cutoffs_settle(unf_cutoffs *cutoffs, unf_event_visitor visit, void *user);

/** Numbers of events by verdict, and of states. O(states). */
UNF_API void unf_cutoffs_counts(const unf_cutoffs *cutoffs, unf_cutoff_counts *out);

/**
 * Compares the local configurations of two performed events by the order of the table. *out is
 * negative if that of a is smaller, positive if that of b is smaller, and 0 if neither is; in
 * the UNF_CUTOFFS_ERV order, 0 means that they are the same configuration. Errors:
 * UNF_UNKNOWN, UNF_MISSING, UNF_MEMORY, UNF_LIMIT. O(1) for different sizes, else O(threads +
 * d log d) as for unf_cutoffs_add().
 */
UNF_API unf_status unf_cutoffs_compare(unf_cutoffs *cutoffs, unf_event a, unf_event b, int *out);

UNF_END_DECLS

#endif
