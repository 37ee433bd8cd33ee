/*
 * What was explored in items that are finished, of a shared tree: lists as they were reported, of
 * which nodes have parts. Most are never asked for; of one that is nodes are made, one below the
 * other as far as that goes.
 */
#ifndef EXPLORATION_DISTRIBUTION_EXPLORED_H
#define EXPLORATION_DISTRIBUTION_EXPLORED_H

#include "exploration/distribution/shared_tree.h"

/* Half of a word. */
enum { EXPLORED_HALF = 16 };

/* The branch of a part at a place. */
static inline struct done explored_at(const struct shared_tree *tree, struct stretch part,
                                      uint32_t place) {
  const struct explored *list = &tree->explored.data[part.list - 1];
  const uint32_t at = part.first + place, mask = (1u << EXPLORED_HALF) - 1;
  const uint32_t word = list->words.data[list->wide ? 2 * (uint64_t)at : at];
  const uint32_t number = list->wide ? word : word >> EXPLORED_HALF;
  const uint32_t below = list->wide ? list->words.data[2 * (uint64_t)at + 1] : word & mask;
  return (struct done){step_at(&tree->numbers, number), below};
}

/* Room for a list of branches. Returns false when refused. */
bool unfi_explored_reserve(struct shared_tree *tree, const struct done *branches, uint32_t count);
/* Makes a list, for which there is room, and which is there until its end, and as long as nodes
 * have parts of it; 0: of nothing. */
uint32_t unfi_explored_begin(struct shared_tree *tree, const struct done *branches, uint32_t count);
void unfi_explored_end(struct shared_tree *tree, uint32_t list);

/* Has a part of a list be what was explored below a node, which has no children. */
void unfi_explored_keep(struct shared_tree *tree, uint32_t node, struct stretch part);
void unfi_explored_drop(struct shared_tree *tree, uint32_t node);
/* Of branches, each behind those below it, how many are below no other. */
uint32_t unfi_explored_roots(const struct done *branches, uint32_t count);
/* Makes nodes of these, for which there is room: children of a node, each with what is below it. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, struct stretch part);
/* Makes nodes of those that a node has the part of a list of. Returns false when refused. */
bool unfi_explored_expand(struct shared_tree *tree, uint32_t node);

#endif
