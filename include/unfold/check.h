/**
 * @file
 * Validators: they check whether a structure satisfies its definition, without using the fast
 * relations, and report what is wrong in the detail of the context. They are for tests of the
 * library and of front-ends, and too slow for production.
 */
#ifndef UNFOLD_CHECK_H
#define UNFOLD_CHECK_H

#include <unfold/configuration.h>
#include <unfold/cutoff.h>
#include <unfold/explore.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/**
 * Checks every event: its predecessors have smaller handles, it depends on each of them, and none
 * is a cause of another; its history is free of conflict; its action is possible after its causes;
 * no other event has the same action and causes. Errors: UNF_BROKEN (detail: event), UNF_MEMORY,
 * UNF_LIMIT. O(events² + events · history²).
 */
UNF_API unf_status unf_check_unfolding(unf_unfolding *unfolding);

/**
 * Checks a configuration against the union of the histories of its threads' last events: the union
 * is free of conflict, and the size, events, last events and owners of mutexes that the
 * configuration reports are those of the union. Errors: UNF_BROKEN, UNF_MEMORY, UNF_LIMIT. O(size²
 * + threads · size).
 */
UNF_API unf_status unf_check_configuration(const unf_configuration *configuration);

/**
 * Checks the nodes on the path of an explorer, which may be in any state: each event has its causes
 * before it and is possible there; each event of D has its causes in C at its node, is not in C
 * there, and (except with UNF_DFS) is not performed below; counts add up; the configuration of the
 * path is one. Errors: UNF_BROKEN, UNF_MEMORY, UNF_LIMIT. O(steps² + steps · |D|).
 */
UNF_API unf_status unf_check_explorer(const unf_explorer *explorer);

/**
 * Checks every event that a table of cutoffs knows: size, Foata layer and state of its local
 * configuration are what its history gives; its verdict follows from those of its predecessors; in
 * the total order, it is the only kept event with its state. Errors: UNF_BROKEN (detail: event),
 * UNF_MEMORY, UNF_LIMIT. O(events · history).
 */
UNF_API unf_status unf_check_cutoffs(const unf_cutoffs *cutoffs);

/**
 * Checks that actions that are possible at a configuration commute there if they are independent
 * according to their effect families: neither enables, disables or changes the other. For effect
 * families that a front-end registered, also checks that their results do not change when
 * independent events of the history come in another order. Interns the events that are possible
 * at the configuration. Errors: UNF_BROKEN (detail: event, expected), UNF_MISSING (a started
 * thread without an operation), UNF_MEMORY, UNF_LIMIT, and those of a family. O(actions · threads
 * · cost of outcomes).
 */
UNF_API unf_status unf_check_independence(const unf_configuration *configuration);

UNF_END_DECLS

#endif
