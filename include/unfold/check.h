/**
 * @file
 * Validators: whether a structure is what it should be, by checks that do not use the fast relations. They say what is wrong in the detail of
 * the context. For tests of the library and of front-ends; too slow for production.
 */
#ifndef UNFOLD_CHECK_H
#define UNFOLD_CHECK_H

#include <unfold/configuration.h>
#include <unfold/explore.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** Every event: causes before it, predecessors reduced and free of conflict, action possible after them, no two events with one name. Errors: UNF_BROKEN, UNF_MEMORY. O(events · history). */
UNF_API unf_status unf_check_unfolding(unf_unfolding *unfolding);

/** Closed under causes, free of conflict, size and last events as told. Errors: UNF_BROKEN, UNF_MEMORY. O(size²). */
UNF_API unf_status unf_check_configuration(const unf_configuration *configuration);

/** The nodes on the path of an explorer: each event enabled after those before, each D free of events of C, each event of D an extension of C's past at its node, counts that add up. Errors: UNF_BROKEN, UNF_MEMORY. O(steps²). */
UNF_API unf_status unf_check_explorer(const unf_explorer *explorer);

UNF_END_DECLS

#endif
