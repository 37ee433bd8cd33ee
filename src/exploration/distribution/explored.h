/*
 * What was explored in items that are finished, of a shared tree: lists as they were reported. Most
 * are never asked for; of one that is nodes are made.
 */
#ifndef EXPLORATION_DISTRIBUTION_EXPLORED_H
#define EXPLORATION_DISTRIBUTION_EXPLORED_H

#include "exploration/distribution/shared_tree.h"

/* Room for a list of so many branches. Returns false when refused. */
bool unfi_explored_reserve(struct shared_tree *tree, uint32_t count);
/* Has a list of branches below a node, which has no children, for which there is room. */
void unfi_explored_keep(struct shared_tree *tree, uint32_t node, const struct done *branches,
                        uint32_t count);
/* Room for so many as nodes. Returns false when refused. */
bool unfi_explored_room(struct shared_tree *tree, uint32_t count);
/* Makes nodes of branches, for which there is room. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, const struct done *branches,
                          uint32_t count);
/* Makes nodes of the list of a node. Returns false when refused. */
bool unfi_explored_expand(struct shared_tree *tree, uint32_t node);
void unfi_explored_drop(struct shared_tree *tree, uint32_t node);

#endif
