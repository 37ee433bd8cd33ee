/**
 * @file
 * Configurations: sets of events that are closed under causes and free of conflict. A configuration
 * is what one partial execution leaves behind, whatever the order in which its events ran.
 */
#ifndef UNFOLD_CONFIGURATION_H
#define UNFOLD_CONFIGURATION_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** A configuration of one unfolding; it can grow, and be made {⊥} again. */
typedef struct unf_configuration unf_configuration;

/** Makes the configuration {⊥}. *out is owned by the caller and must be freed before its unfolding.
 * Errors: UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_configuration_new(unf_unfolding *unfolding, unf_configuration **out);

/** Frees a configuration; NULL does nothing. O(1). */
UNF_API void unf_configuration_free(unf_configuration *configuration);

/** Makes to the same set as from; both must be of one unfolding. Errors: UNF_INVALID, UNF_MEMORY.
 * O(threads + objects). */
UNF_API unf_status unf_configuration_assign(unf_configuration *to, const unf_configuration *from);

/** Makes it {⊥} again. O(threads + objects). */
UNF_API void unf_configuration_clear(unf_configuration *configuration);

/**
 * Says what a thread does next after its last event here (its start, if it has none). The unfolding
 * keeps it with that event, for every configuration. Saying the same again is no error; something
 * else is UNF_NONDETERMINISM, whose detail names both. Other errors: UNF_UNKNOWN, UNF_INVALID,
 * UNF_STATE (thread not started), UNF_MEMORY. Expected O(1).
 */
UNF_API unf_status unf_configuration_offer(unf_configuration *configuration, unf_thread thread,
                                           const unf_operation *operation);

/** The operation that was said for a thread here; UNF_MISSING if none was, UNF_STATE if it has not
 * started. Error: UNF_UNKNOWN. Expected O(1). */
UNF_API unf_status unf_configuration_next(const unf_configuration *configuration, unf_thread thread,
                                          unf_operation *out);

/**
 * Performs an action: interns its event and adds it. Needs no offered operation, but if there is
 * one the action must come of it. *out may be NULL. Errors: UNF_UNKNOWN, UNF_INVALID, UNF_DISABLED,
 * UNF_DIVERGENCE, UNF_MEMORY, UNF_LIMIT. O(threads + objects) for a new event, expected O(1) for a
 * known one.
 */
UNF_API unf_status unf_configuration_perform(unf_configuration *configuration,
                                             const unf_action *action, unf_event *out);

/** Adds an event whose causes are all there. Errors: UNF_UNKNOWN, UNF_STATE (causes missing, or
 * already there), UNF_CONFLICT. O(1). */
UNF_API unf_status unf_configuration_extend(unf_configuration *configuration, unf_event event);

/** Adds an event and all its causes (union with the local configuration). Errors: UNF_UNKNOWN,
 * UNF_CONFLICT, UNF_MEMORY. O(threads + objects + events added). */
UNF_API unf_status unf_configuration_add(unf_configuration *configuration, unf_event event);

/** Union with another of the same unfolding. Errors: UNF_INVALID, UNF_CONFLICT, UNF_MEMORY.
 * O(threads + objects + events added). */
UNF_API unf_status unf_configuration_unite(unf_configuration *to, const unf_configuration *from);

/** Number of events, ⊥ not counted. O(1). */
UNF_API uint32_t unf_configuration_size(const unf_configuration *configuration);

/** Whether the event is in it; ⊥ always is. Error: UNF_UNKNOWN. O(skip_step · log(branches)). */
UNF_API unf_status unf_configuration_contains(const unf_configuration *configuration,
                                              unf_event event, bool *out);

/** Whether both hold the same events. Error: UNF_INVALID (different unfoldings).
 * O(threads + objects). */
UNF_API unf_status unf_configuration_equal(const unf_configuration *a, const unf_configuration *b,
                                           bool *out);

/** Whether the event is not in it but all its causes are: e ∈ ex(C). Error: UNF_UNKNOWN.
 * O(predecessors · skip_step · log(branches)). */
UNF_API unf_status unf_configuration_extends(const unf_configuration *configuration,
                                             unf_event event, bool *out);

/** Whether some event of it is in conflict with the event. Error: UNF_UNKNOWN. O(objects ·
 * skip_step · log(branches)). */
UNF_API unf_status unf_configuration_conflicts(const unf_configuration *configuration,
                                               unf_event event, bool *out);

/** Whether some event of it is in immediate conflict with the event. Errors: UNF_UNKNOWN,
 * UNF_MEMORY. O(events · cost of conflict). */
UNF_API unf_status unf_configuration_conflicts_immediately(const unf_configuration *configuration,
                                                           unf_event event, bool *out);

/** Whether the event is concurrent with every event of it but ⊥. Errors: UNF_UNKNOWN, UNF_MEMORY.
 * O(threads · cost of conflict). */
UNF_API unf_status unf_configuration_concurrent(const unf_configuration *configuration,
                                                unf_event event, bool *out);

/** Last event of a thread in it; the event that created it or ⊥ if it has none; UNF_EVENT_NONE if
 * it has not started. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_configuration_last(const unf_configuration *configuration, unf_thread thread,
                                          unf_event *out);

/** The thread that holds a mutex after it, or UNF_THREAD_NONE. Errors: UNF_UNKNOWN, UNF_INVALID (no
 * mutex). O(1). */
UNF_API unf_status unf_configuration_owner(const unf_configuration *configuration, unf_object mutex,
                                           unf_thread *out);

/** The value of a location after it. Errors: UNF_UNKNOWN, UNF_INVALID (no location). O(additions
 * since the last write of another kind, and the events of their threads since). */
UNF_API unf_status unf_configuration_value(const unf_configuration *configuration,
                                           unf_object location, int64_t *out);

/** Its maximal events, ascending, without ⊥. Error: UNF_MEMORY. O(threads²). */
UNF_API unf_status unf_configuration_maximal(const unf_configuration *configuration,
                                             unf_event_visitor visit, void *user);

/** Its events without ⊥, ascending: a linearisation. Error: UNF_MEMORY. O(size log size). */
UNF_API unf_status unf_configuration_linearize(const unf_configuration *configuration,
                                               unf_event_visitor visit, void *user);

UNF_END_DECLS

#endif
