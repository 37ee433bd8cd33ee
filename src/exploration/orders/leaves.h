/* The leaves that wait, and which of them comes next. */
#ifndef EXPLORATION_ORDERS_LEAVES_H
#define EXPLORATION_ORDERS_LEAVES_H

#include <unfold/explore.h>

/* Puts a strand among the leaves, for which there is room. */
void unfi_leaf_add(unf_explorer *x, uint32_t strand);
/* Chooses the next leaf, of which there is one, and takes it out. */
unf_status unfi_leaf_choose(unf_explorer *x, uint32_t *leaf);

/* For the table of orders: ranks, and the choice of the caller. */
bool unfi_leaf_was_found_first(const unf_leaf *a, const unf_leaf *b);
bool unfi_leaf_is_deeper(const unf_leaf *a, const unf_leaf *b);
unf_status unfi_leaf_chosen(unf_explorer *x, uint32_t *leaf);

#endif
