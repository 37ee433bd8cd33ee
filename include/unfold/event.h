/**
 * @file
 * Events and their relations. An event is an action and the set of its causes. Events are interned:
 * the same action with the same causes has the same handle. Nothing that these functions report
 * about an event ever changes, except its cookie.
 *
 * The relations follow Definition 1 and Section 2 of "Quasi-Optimal Partial Order Reduction"
 * (Nguyen, Rodríguez, Sousa, Coti, Petrucci, CAV 2018), and are correct for every pair of events,
 * also for events in conflict.
 */
#ifndef UNFOLD_EVENT_H
#define UNFOLD_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/action.h>
#include <unfold/export.h>
#include <unfold/status.h>
#include <unfold/thread.h>

UNF_BEGIN_DECLS

/** Handle of an event of one unfolding. */
typedef uint32_t unf_event;
/** The event before all others; it has no action. */
#define UNF_EVENT_BOTTOM ((unf_event)0)
/** No event. */
#define UNF_EVENT_NONE ((unf_event)UINT32_MAX)

/** Receives events one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_event_visitor)(void *user, unf_event event);

/**
 * Interns the event of an action whose causes are the given events and all causes of these; their
 * order and redundant entries do not matter. Checks that the causes are free of conflict, that the
 * action is possible after them, and that each is really a cause: a later cause or the action
 * depends on it. Errors: UNF_UNKNOWN, UNF_INVALID, UNF_CONFLICT, UNF_DISABLED, UNF_MEMORY,
 * UNF_LIMIT. O(threads + objects + size of the history).
 */
UNF_API unf_status unf_event_intern(unf_unfolding *unfolding, const unf_action *action,
                                    const unf_event *causes, uint32_t count, unf_event *out);

/** The action of an event. Errors: UNF_UNKNOWN, UNF_INVALID (⊥ has none). O(1). */
UNF_API unf_status unf_event_action(const unf_unfolding *unfolding, unf_event event,
                                    unf_action *out);

/** The immediate predecessors (maximal causes), ascending; ⊥ for an event without other causes.
 * Error: UNF_UNKNOWN. O(their number²). */
UNF_API unf_status unf_event_predecessors(const unf_unfolding *unfolding, unf_event event,
                                          unf_event_visitor visit, void *user);

/** The local configuration [event], without ⊥, ascending (a linearisation). Errors: UNF_UNKNOWN,
 * UNF_MEMORY. O(size log size). */
UNF_API unf_status unf_event_history(const unf_unfolding *unfolding, unf_event event,
                                     unf_event_visitor visit, void *user);

/** The cookie of an event: a number that the front-end stored with it, such as a source location; 0
 * if it stored none. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_event_cookie(const unf_unfolding *unfolding, unf_event event, uint64_t *out);

/** Sets the cookie of an event. Errors: UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT. O(1) amortised. */
UNF_API unf_status unf_event_set_cookie(unf_unfolding *unfolding, unf_event event, uint64_t cookie);

/**
 * A fingerprint of the canonical name of an event: the same in every process and for every order of
 * interning. Errors: UNF_UNKNOWN, UNF_MEMORY, UNF_LIMIT. O(1) for an event whose fingerprint was
 * computed before; else O(predecessors) for each event interned since the last computation.
 */
UNF_API unf_status unf_event_fingerprint(unf_unfolding *unfolding, unf_event event,
                                         uint64_t out[2]);

/** Causality: whether a is b, or a cause of b. Error: UNF_UNKNOWN. O(skip_step · log(branches)). */
UNF_API unf_status unf_event_precedes(const unf_unfolding *unfolding, unf_event a, unf_event b,
                                      bool *out);

/** Conflict: whether no execution contains both. Error: UNF_UNKNOWN. O(objects · skip_step ·
 * log(branches)), by Theorem 6 of the paper, generalised to data non-determinism and to readers. */
UNF_API unf_status unf_event_conflicts(const unf_unfolding *unfolding, unf_event a, unf_event b,
                                       bool *out);

/** Immediate conflict: the events are in conflict, but neither is in conflict with a cause of the
 * other. Error: UNF_UNKNOWN. O(threads · cost of conflict). */
UNF_API unf_status unf_event_conflicts_immediately(const unf_unfolding *unfolding, unf_event a,
                                                   unf_event b, bool *out);

/** Concurrency: the events are different, not in conflict, and neither precedes the other. Error:
 * UNF_UNKNOWN. Cost as for conflict. */
UNF_API unf_status unf_event_concurrent(const unf_unfolding *unfolding, unf_event a, unf_event b,
                                        bool *out);

/** Dependence of two actions: they are of the same thread, or use an object in ways that do not
 * commute. Reflexive and symmetric. Errors: UNF_UNKNOWN, UNF_INVALID, UNF_MEMORY. O(1). */
UNF_API unf_status unf_actions_dependent(unf_unfolding *unfolding, const unf_action *a,
                                         const unf_action *b, bool *out);

UNF_END_DECLS

#endif
