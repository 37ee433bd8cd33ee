/**
 * @file
 * Unfoldings, configurations and explorations as DOT (for Graphviz) and JSON. Text leaves the
 * library through a callback; output does not depend on addresses or on time.
 */
#ifndef UNFOLD_OUTPUT_H
#define UNFOLD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <unfold/configuration.h>
#include <unfold/explore.h>
#include <unfold/export.h>

UNF_BEGIN_DECLS

/** Takes a piece of text that is not terminated; returns false if it could not be written. A call
 * that failed and is repeated begins again from the start of its output. */
typedef bool (*unf_write)(void *user, const char *text, size_t size);

/** The events of an unfolding: threads as columns, causality as arrows, immediate conflicts dashed.
 * Errors: UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(events² · cost of conflict). */
UNF_API unf_status unf_dot_unfolding(unf_unfolding *unfolding, unf_write write, void *user);

/** The events of a configuration, threads as columns. Errors: UNF_WRITE,
 * UNF_MEMORY, UNF_LIMIT. O(size²). */
UNF_API unf_status unf_dot_configuration(const unf_configuration *configuration, unf_write write,
                                         void *user);

/** The unfolding with names of the program in the labels, as in unf_action_label(); NULL: canonical
 * ones. Error too: UNF_INVALID (names of another size). O(events² · cost of conflict). */
UNF_API unf_status unf_dot_unfolding_named(unf_unfolding *unfolding, const unf_names *names,
                                           unf_write write, void *user);

/** unf_dot_configuration() with names of the program, or NULL. Error too: UNF_INVALID.
 * O(size²). */
UNF_API unf_status unf_dot_configuration_named(const unf_configuration *configuration,
                                               const unf_names *names, unf_write write, void *user);

/** The unfolding as one JSON object: threads, objects, events with action, predecessors, cookie;
 * the format is in doc/formats.md. Errors: UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(events). */
UNF_API unf_status unf_json_unfolding(unf_unfolding *unfolding, unf_write write, void *user);

/** A configuration as one JSON object: its size, events in a linearisation, maximal events. Errors:
 * UNF_WRITE, UNF_MEMORY, UNF_LIMIT. O(size log size). */
UNF_API unf_status unf_json_configuration(const unf_configuration *configuration, unf_write write,
                                          void *user);

/**
 * The prefix that cutoffs leave, kept events and cutoffs, as a place/transition net in PNML
 * (ISO/IEC 15909-2): an occurrence net with the same causality and conflicts, in which cutoffs are
 * marked. Whether the prefix is complete is known to who explored it. doc/formats.md has the
 * details; names may be NULL. Errors: UNF_INVALID, UNF_UNSUPPORTED (with branches on unknown data,
 * see consistency.h, conflicts are not those of a net), UNF_WRITE, UNF_MEMORY, UNF_LIMIT,
 * UNF_INTERRUPTED. O(events log events), and for each two uses of an object with the same write
 * before them, one of which commutes with others, the cost of causality.
 */
UNF_API unf_status unf_pnml_prefix(unf_cutoffs *cutoffs, const unf_names *names, unf_write write,
                                   void *user);

/** The executions of an exploration as a tree, in which they share their common beginnings. */
typedef struct unf_tree unf_tree;

/** Makes an empty tree over an unfolding, which must outlive it. *out is owned by the caller.
 * Errors: UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_tree_new(unf_unfolding *unfolding, unf_tree **out);

/** Frees a tree; NULL does nothing. O(1). */
UNF_API void unf_tree_free(unf_tree *tree);

/** Adds the last run of an explorer; to be called directly after the run was finished.
 * Errors: UNF_STATE, UNF_INVALID (an explorer of another unfolding), UNF_MEMORY, UNF_LIMIT.
 * O(steps · branches). */
UNF_API unf_status unf_tree_add(unf_tree *tree, const unf_explorer *explorer,
                                const unf_verdict *verdict);

/** unf_tree_add(), asking what stands for each event that the tree does not have yet (`event` of
 * unf_names, or NULL): the tree keeps that as the label of its edge, in place of the action, since
 * events may be gone when it is drawn. Error too: UNF_INVALID (names of another size).
 * O(steps · branches), and an answer for each event that is new there. */
UNF_API unf_status unf_tree_add_named(unf_tree *tree, const unf_explorer *explorer,
                                      const unf_verdict *verdict, const unf_names *names);

/** The tree as DOT: an edge for each event, leaves by verdict. Errors: UNF_WRITE, UNF_MEMORY,
 * UNF_LIMIT. O(nodes). */
UNF_API unf_status unf_dot_tree(const unf_tree *tree, unf_write write, void *user);

/** unf_dot_tree() with names of the program, or NULL. Error too: UNF_INVALID. O(nodes). */
UNF_API unf_status unf_dot_tree_named(const unf_tree *tree, const unf_names *names, unf_write write,
                                      void *user);

UNF_END_DECLS

#endif
