/* Which leaf comes next. */
#ifndef EXPLORATION_ORDERS_LEAVES_H
#define EXPLORATION_ORDERS_LEAVES_H

#include <unfold/explore.h>

/* Puts a strand among the leaves, for which there is room. */
void unfi_leaf_add(unf_explorer *x, uint32_t strand);
/* Chooses the next leaf, of which there is one, and takes it out. */
unf_status unfi_leaf_choose(unf_explorer *x, uint32_t *leaf);

#endif
