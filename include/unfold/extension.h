/**
 * @file
 * Extensions of a configuration C (Section 2 of the CAV 2018 paper): ex(C) is every event outside
 * of C whose causes are all in C; en(C) the part without conflict with C, what can happen next;
 * cex(C) the rest, what could have happened instead of something in C. They are defined where the
 * next operation of every started thread is known, at C and after every event of it.
 */
#ifndef UNFOLD_EXTENSION_H
#define UNFOLD_EXTENSION_H

#include <unfold/configuration.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** Receives actions one by one; returning false ends the enumeration early, which is no error. */
typedef bool (*unf_action_visitor)(void *user, const unf_action *action);

/** The actions possible after C, by thread and value, without interning anything. Error:
 * UNF_MISSING, whose detail names the thread. O(threads + results). */
UNF_API unf_status unf_configuration_actions(const unf_configuration *configuration,
                                             unf_action_visitor visit, void *user);

/** en(C), interned. Errors: UNF_MISSING, UNF_MEMORY, UNF_LIMIT. O(threads · (threads +
 * objects) + results). */
UNF_API unf_status unf_extensions_enabled(unf_configuration *configuration, unf_event_visitor visit,
                                          void *user);

/**
 * cex(C), exact, interned, each once. Errors: UNF_MISSING, UNF_MEMORY, UNF_LIMIT. O(size + results
 * · (threads + objects)); with failed trylocks the number of results can be exponential in the
 * number of concurrent ones, which are made one at a time.
 */
UNF_API unf_status unf_extensions_conflicting(unf_configuration *configuration,
                                              unf_event_visitor visit, void *user);

/** ex(C) = en(C) and then cex(C). Errors and cost: the sum. */
UNF_API unf_status unf_extensions_all(unf_configuration *configuration, unf_event_visitor visit,
                                      void *user);

UNF_END_DECLS

#endif
