/* The way to an item. */
#ifndef EXPLORATION_DISTRIBUTION_WAY_H
#define EXPLORATION_DISTRIBUTION_WAY_H

#include "exploration/distribution/item.h"
#include "exploration/explorer.h"

/* The way to the root is taken, and something was decided beyond it, or not. Returns false when
 * refused. */
bool unfi_way_begin(unf_explorer *x, bool decided);
/* Room for what unfi_way_decided() notes, at a node from where so many steps are decided. Returns
 * false when refused. */
bool unfi_way_reserve(unf_explorer *x, uint32_t depth, uint32_t count);
/* Whether it is noted that the node of the path's end leaves a branch: others may find sequences
 * that belong there. */
static inline bool way_notes_left(const unf_explorer *x) {
  const struct item *item = &x->item;
  return item->begun && !item->closed && x->path.steps.count < item->accepting;
}
/* The node of the path's end, where that is noted, has left a branch. Returns false when refused.
 */
bool unfi_way_left(unf_explorer *x, uint32_t event);
/* So many steps were decided at a node. */
void unfi_way_decided(unf_explorer *x, uint32_t depth, uint32_t count);
/* The way is the path, and what is decided of the next execution behind it. */
uint32_t unfi_way_length(const unf_explorer *x);
/* Puts the nodes from the root of the item to the end of the way: how many there are; at how many
 * the branches are given away; for each the branches that are explored, the step to the next,
 * whether that is free, and the branches that are left. Returns false when refused. */
bool unfi_way_put(const unf_explorer *x, uint32_t shared, struct letter *letter);
/* Puts what was explored at the root of an item that is finished. */
bool unfi_way_put_finished(const unf_explorer *x, struct letter *letter);
/* The root of the item is the node at a depth from now on. */
void unfi_way_advance(unf_explorer *x, uint32_t depth);

#endif
