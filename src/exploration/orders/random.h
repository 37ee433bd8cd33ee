/* Random descents of the tree. */
#ifndef EXPLORATION_ORDERS_RANDOM_H
#define EXPLORATION_ORDERS_RANDOM_H

#include <unfold/explore.h>

/* Chooses a leaf that waits, of which there is one. */
unf_status unfi_leaf_at_random(unf_explorer *x, uint32_t *leaf);

#endif
