/*
 * What was explored in items that are finished, of a shared tree: lists as they were reported, of
 * which nodes have parts. Most are never asked for; of one that is nodes are made, one below the
 * other as far as that goes.
 */
#ifndef EXPLORATION_DISTRIBUTION_EXPLORED_H
#define EXPLORATION_DISTRIBUTION_EXPLORED_H

#include "exploration/distribution/shared_tree.h"

/* The branch of a part at a place; below it are all that the number says. */
static inline struct explored_branch explored_at(const struct shared_tree *tree,
                                                 struct stretch part, uint32_t place) {
  return branches_at(&tree->explored.data[part.list - 1].branches, part.first + place);
}

/* Room for a list of some branches. Returns false when refused. */
bool unfi_explored_reserve(struct shared_tree *tree, const struct branches *branches);
/* Makes a list of them, for which there is room, and which is there until its end, and as long as
 * nodes have parts of it; 0: of nothing. Many are taken as they are, and then there are none left.
 */
uint32_t unfi_explored_begin(struct shared_tree *tree, struct branches *branches);
void unfi_explored_end(struct shared_tree *tree, uint32_t list);

/* Has a part of a list be what was explored below a node, which has no children. */
void unfi_explored_keep(struct shared_tree *tree, uint32_t node, struct stretch part);
void unfi_explored_drop(struct shared_tree *tree, uint32_t node);
/* Of so many branches from a place on how many are below no other. */
uint32_t unfi_explored_roots(const struct branches *branches, uint32_t first, uint32_t count);
/* Makes nodes of these, for which there is room: children of a node, each with what is below it. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, struct stretch part);
/* Makes nodes of those that a node has the part of a list of. Returns false when refused. */
bool unfi_explored_expand(struct shared_tree *tree, uint32_t node);

#endif
