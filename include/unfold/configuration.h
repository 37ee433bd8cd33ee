/**
 * @file
 * Configurations: sets of events that contain all causes of their events and are free of conflict.
 * A configuration is a partial execution without the order in which independent events happened.
 */
#ifndef UNFOLD_CONFIGURATION_H
#define UNFOLD_CONFIGURATION_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/event.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** A configuration of one unfolding; events can be added, and it can be reset to {⊥}. */
typedef struct unf_configuration unf_configuration;

/** Makes the configuration {⊥}. *out is owned by the caller and must be freed before its unfolding.
 * Errors: UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_configuration_new(unf_unfolding *unfolding, unf_configuration **out);

/** Frees a configuration; NULL does nothing. O(1). */
UNF_API void unf_configuration_free(unf_configuration *configuration);

/** Makes `to` a copy of `from`; both must be of one unfolding. Errors: UNF_INVALID, UNF_MEMORY.
 * O(threads and objects that events of the two use), but for the first call after more were named.
 */
UNF_API unf_status unf_configuration_assign(unf_configuration *to, const unf_configuration *from);

/** Resets a configuration to {⊥}. O(threads and objects that its events use). */
UNF_API void unf_configuration_clear(unf_configuration *configuration);

/**
 * Declares what a thread does next after its last event in this configuration (or after its start,
 * if it has no event). The unfolding stores the operation with that event, for all configurations.
 * Declaring the same operation again is no error; another one is UNF_NONDETERMINISM, whose detail
 * names both. Other errors: UNF_UNKNOWN, UNF_INVALID, UNF_STATE (the thread has not started),
 * UNF_MEMORY. Expected O(1).
 */
UNF_API unf_status unf_configuration_offer(unf_configuration *configuration, unf_thread thread,
                                           const unf_operation *operation);

/** The next operation of a thread, as declared by unf_configuration_offer(). Errors: UNF_MISSING
 * (none was declared), UNF_STATE (the thread has not started), UNF_UNKNOWN. Expected O(1). */
UNF_API unf_status unf_configuration_next(const unf_configuration *configuration, unf_thread thread,
                                          unf_operation *out);

/**
 * Whether a thread is blocked: its next operation, as declared, can have no outcome after the
 * configuration, and is neither UNF_EXIT nor UNF_HALT. Whether it is or not, visits the last events
 * on what the operation names: those that use its objects (of a mutex that is held, the one that
 * locked it; of readers, one for each thread that read last), or the last one of the thread that
 * it joins. A blocked thread can go on only after something else happened there. visit may be NULL.
 * Errors: as unf_configuration_next(), UNF_MEMORY. O(outcomes + events visited).
 */
UNF_API unf_status unf_configuration_blocked(unf_configuration *configuration, unf_thread thread,
                                             bool *out, unf_event_visitor visit, void *user);

/**
 * Performs an action: interns its event and adds it. If an operation was declared for the thread,
 * the action must be one of that operation. out may be NULL. Errors: UNF_UNKNOWN, UNF_INVALID,
 * UNF_DISABLED, UNF_DIVERGENCE, UNF_MEMORY, UNF_LIMIT. O(threads + objects) for a new event,
 * expected O(1) for a known one.
 */
UNF_API unf_status unf_configuration_perform(unf_configuration *configuration,
                                             const unf_action *action, unf_event *out);

/** Adds an event whose causes are all in the configuration. Errors: UNF_UNKNOWN, UNF_STATE (a cause
 * is missing, or the event is already in it), UNF_CONFLICT. O(1). */
UNF_API unf_status unf_configuration_extend(unf_configuration *configuration, unf_event event);

/** Adds an event and all its causes: the union with the local configuration of the event. Errors:
 * UNF_UNKNOWN, UNF_CONFLICT, UNF_MEMORY. O(threads and objects that its causes use + events added).
 */
UNF_API unf_status unf_configuration_add(unf_configuration *configuration, unf_event event);

/** Adds all events of another configuration of the same unfolding. Errors: UNF_INVALID,
 * UNF_CONFLICT, UNF_MEMORY. O(threads and objects that `from` uses + events added). */
UNF_API unf_status unf_configuration_unite(unf_configuration *to, const unf_configuration *from);

/** Number of events, ⊥ not counted. O(1). */
UNF_API uint32_t unf_configuration_size(const unf_configuration *configuration);

/** Whether an event is in the configuration; ⊥ always is. Error: UNF_UNKNOWN.
 * O(skip_step · log(branches)). */
UNF_API unf_status unf_configuration_contains(const unf_configuration *configuration,
                                              unf_event event, bool *out);

/** Whether two configurations have the same events. Error: UNF_INVALID (different unfoldings).
 * O(threads and objects that they use). */
UNF_API unf_status unf_configuration_equal(const unf_configuration *a, const unf_configuration *b,
                                           bool *out);

/** Whether e ∈ ex(C): the event is not in the configuration, but all its causes are. Error:
 * UNF_UNKNOWN. O(predecessors · skip_step · log(branches)). */
UNF_API unf_status unf_configuration_extends(const unf_configuration *configuration,
                                             unf_event event, bool *out);

/** Whether an event is in conflict with some event of the configuration. Error: UNF_UNKNOWN.
 * O(objects · skip_step · log(branches)). */
UNF_API unf_status unf_configuration_conflicts(const unf_configuration *configuration,
                                               unf_event event, bool *out);

/** Whether an event is in immediate conflict with some event of the configuration. Errors:
 * UNF_UNKNOWN, UNF_MEMORY. O(events · cost of conflict). */
UNF_API unf_status unf_configuration_conflicts_immediately(const unf_configuration *configuration,
                                                           unf_event event, bool *out);

/** Whether an event is concurrent with every event of the configuration except ⊥. Errors:
 * UNF_UNKNOWN, UNF_MEMORY. O(threads · cost of conflict). */
UNF_API unf_status unf_configuration_concurrent(const unf_configuration *configuration,
                                                unf_event event, bool *out);

/** The last event of a thread in the configuration; if it has none there, the event that created
 * the thread, or ⊥; UNF_EVENT_NONE if the thread has not started. Error: UNF_UNKNOWN. O(1). */
UNF_API unf_status unf_configuration_last(const unf_configuration *configuration, unf_thread thread,
                                          unf_event *out);

/** The thread that holds a mutex after the configuration, or UNF_THREAD_NONE. Errors: UNF_UNKNOWN,
 * UNF_INVALID (not a mutex). O(1). */
UNF_API unf_status unf_configuration_owner(const unf_configuration *configuration, unf_object mutex,
                                           unf_thread *out);

/** The value of a location after the configuration. Errors: UNF_UNKNOWN, UNF_INVALID
 * (not a location). O(additions since the last write of another kind + events of their
 * threads since then). */
UNF_API unf_status unf_configuration_value(const unf_configuration *configuration,
                                           unf_object location, int64_t *out);

/** The maximal events of a configuration, ascending, without ⊥. Error: UNF_MEMORY. O(size log
 * size), and at most one comparison for each two of its threads. */
UNF_API unf_status unf_configuration_maximal(const unf_configuration *configuration,
                                             unf_event_visitor visit, void *user);

/** The events of a configuration, ascending, without ⊥: a linearisation. Error: UNF_MEMORY.
 * O(size log size). */
UNF_API unf_status unf_configuration_linearize(const unf_configuration *configuration,
                                               unf_event_visitor visit, void *user);

/** What is known of the switches of a configuration; see unf_configuration_fewest_switches(). */
typedef struct unf_switches {
  uint64_t switches; /**< of the linearisation that was found */
  uint64_t least;    /**< no linearisation has fewer; proved to be a fewest one if it has these */
} unf_switches;

/**
 * Visits a linearisation of a configuration with few switches, which are steps of another thread
 * than that of the step before. The search is exact, but to find the fewest is hard in general, so
 * it stops after so many elementary steps, such as an event that is looked at (UINT64_MAX: never);
 * even with 0 a linearisation is found. out->least says what was proved. Errors: UNF_MEMORY,
 * UNF_LIMIT, UNF_INTERRUPTED; nothing was visited then, and the next call begins again, since a
 * configuration keeps nothing of the search. O(size log size + predecessors), and the search, which
 * ends at once where that what each thread needs by itself is enough.
 */
UNF_API unf_status unf_configuration_fewest_switches(const unf_configuration *configuration,
                                                     uint64_t steps, unf_event_visitor visit,
                                                     void *user, unf_switches *out);

UNF_END_DECLS

#endif
