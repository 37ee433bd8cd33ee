/* Wakeup trees, gone through and made again node by node. */
#ifndef EXPLORATION_IMAGE_TREE_H
#define EXPLORATION_IMAGE_TREE_H

#include <unfold/explore.h>
#include <unfold/wakeup.h>

#include "base/bytes.h"
#include "configuration/configuration.h"

/* Visits the tree of a depth: each node by its event, then the nodes below it, then 0; at last 0.
 * False ends it, without an error. */
typedef bool (*tree_visitor)(void *user, uint32_t event);
unf_status unfi_tree_walk(const unf_wakeup_trees *trees, uint32_t depth, tree_visitor visit,
                          void *user);
/* Reads a tree of which a function gives the nodes: the next event, which is enabled where the path
 * ends then, or 0. What goes wrong it notes. */
typedef uint32_t (*tree_reader)(void *user);
unf_status unfi_tree_read_by(unf_explorer *x, struct bytes_in *in, unf_wakeup_trees *trees,
                             tree_reader next, void *user);

#endif
