/**
 * @file
 * Validators: whether a structure is what it should be, by checks that do not use the fast
 * relations. They say what is wrong in the detail of the context. For tests of the library and of
 * front-ends; too slow for production.
 */
#ifndef UNFOLD_CHECK_H
#define UNFOLD_CHECK_H

#include <unfold/configuration.h>
#include <unfold/cutoff.h>
#include <unfold/explore.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/**
 * Every event: its predecessors come before it, it depends on each, none is a cause of another; its
 * history is free of conflict; its action is possible after its causes; no other event has its
 * name. Errors: UNF_BROKEN (detail: event), UNF_MEMORY, UNF_LIMIT. O(events² + events · history²).
 */
UNF_API unf_status unf_check_unfolding(unf_unfolding *unfolding);

/**
 * The histories of the threads' last events together: free of conflict, and what the configuration
 * tells of itself (size, events, last events, owners of mutexes) is that of this set. Errors:
 * UNF_BROKEN, UNF_MEMORY, UNF_LIMIT. O(size² + threads · size).
 */
UNF_API unf_status unf_check_configuration(const unf_configuration *configuration);

/**
 * The nodes on the path of an explorer, in any state: each event has its causes before it and is
 * possible there; each event of D has its causes in C at its node, is not in C there, and (not
 * UNF_DFS) is not performed below; counts add up; the configuration is one. Errors: UNF_BROKEN,
 * UNF_MEMORY, UNF_LIMIT. O(steps² + steps · |D|).
 */
UNF_API unf_status unf_check_explorer(const unf_explorer *explorer);

/**
 * Every event that a table of cutoffs knows: size, Foata layer and state of its local configuration
 * are what its history gives; its verdict follows from those of its predecessors; in the total
 * order it is the only one kept of its state. Errors: UNF_BROKEN (detail: event), UNF_MEMORY,
 * UNF_LIMIT. O(events · history).
 */
UNF_API unf_status unf_check_cutoffs(const unf_cutoffs *cutoffs);

/**
 * Whether the actions that are possible at a configuration, and do not depend on each other by what
 * their families say, commute there: none enables, disables or changes another. For families of a
 * front-end's own also whether they say the same when commuting events of the history come in
 * another order. Interns the events that are possible there. Errors: UNF_BROKEN (detail: event,
 * expected), UNF_MISSING (a started thread without an operation), UNF_MEMORY, UNF_LIMIT, and those
 * of a family. O(actions · threads · cost of outcomes).
 */
UNF_API unf_status unf_check_independence(const unf_configuration *configuration);

UNF_END_DECLS

#endif
