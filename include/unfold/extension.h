/**
 * @file
 * Extensions of a configuration C (Section 2 of "Quasi-Optimal Partial Order Reduction", CAV 2018).
 * ex(C) are the events that are not in C but whose causes all are; en(C) those of them without
 * conflict with C, which can happen next; cex(C) the others, the conflicting extensions, which
 * could have happened instead of something in C. They are defined if the next operation of every
 * started thread is known, after C and after each of its events.
 */
#ifndef UNFOLD_EXTENSION_H
#define UNFOLD_EXTENSION_H

#include <unfold/configuration.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** Receives actions one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_action_visitor)(void *user, const unf_action *action);

/** The actions that are possible after C, ordered by thread and value; interns nothing, and gives
 * all outcomes of a branch. Error:
 * UNF_MISSING, whose detail names the thread. O(threads + results). */
UNF_API unf_status unf_configuration_actions(const unf_configuration *configuration,
                                             unf_action_visitor visit, void *user);

/** Interns en(C); of a branch those outcomes that can be together with C, see consistency.h.
 * Errors: UNF_MISSING, UNF_MEMORY, UNF_LIMIT. O(threads · (threads + objects) + results). */
UNF_API unf_status unf_extensions_enabled(unf_configuration *configuration, unf_event_visitor visit,
                                          void *user);

/**
 * Interns cex(C), exactly, each event once: events in conflict with C whose causes are in C, and
 * outcomes of branches that exist, but not together with C. Errors: UNF_MISSING, UNF_MEMORY,
 * UNF_LIMIT, UNF_INTERRUPTED. O(size + results · (threads + objects)). With failed trylocks, the
 * number of results can be exponential in the number of concurrent failures; the results are made
 * one at a time.
 */
UNF_API unf_status unf_extensions_conflicting(unf_configuration *configuration,
                                              unf_event_visitor visit, void *user);

/** Interns ex(C): first en(C), then cex(C). Errors and cost: those of both. */
UNF_API unf_status unf_extensions_all(unf_configuration *configuration, unf_event_visitor visit,
                                      void *user);

UNF_END_DECLS

#endif
