/* The next branch, in orders other than depth-first. */
#ifndef EXPLORATION_ORDERS_SEARCH_H
#define EXPLORATION_ORDERS_SEARCH_H

#include <unfold/explore.h>

/* Leaves the leaf for the next branch. */
unf_status unfi_search(unf_explorer *x);
/* Begins, with a leaf at the root; false: refused. */
bool unfi_search_begin(unf_explorer *x, const unf_explorer_options *options);
void unfi_search_free(unf_explorer *x);
/* Makes leaves of all branches of an explored strand's nodes that are known to exist by now. */
unf_status unfi_search_ask_again(unf_explorer *x, uint32_t strand);
/* Begins again with the clue from the root, when everything was explored. */
void unfi_search_again(unf_explorer *x);
/* Steps that the path has in common with the last execution, at most so many. */
uint32_t unfi_search_shared(const unf_explorer *x, uint32_t most);

#endif
