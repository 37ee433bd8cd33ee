/* The next branch, depth-first. */
#ifndef EXPLORATION_ORDERS_DEPTH_FIRST_H
#define EXPLORATION_ORDERS_DEPTH_FIRST_H

#include <unfold/explore.h>

/* Leaves the leaf for the next branch. */
unf_status unfi_branch(unf_explorer *x);

#endif
