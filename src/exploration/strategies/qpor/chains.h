/* The writes of each site in C, by depth in the tree of the site, as far as somebody asked. */
#ifndef EXPLORATION_STRATEGIES_QPOR_CHAINS_H
#define EXPLORATION_STRATEGIES_QPOR_CHAINS_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "structure/tree.h"

/* What stands in a chain beyond C means nothing. */
typedef VECTOR(uint32_t) chain_vector;

struct chains {
  VECTOR(chain_vector) writes; /* by site */
  VECTOR(uint32_t) reaches;    /* see chain_reach() */
  uint32_t steps;              /* the first steps of the path are entered */
};

/* The depth of the last node of a branch, of the tree of some site, that a write in C has; 0: none.
 * Of the last write of a site it may be missing, which can get its branch when it is in C. */
static inline uint32_t chain_reach(const struct chains *c, uint32_t branch) {
  return branch < c->reaches.capacity ? c->reaches.data[branch] : 0;
}

/* Enters the steps of the path that are not entered yet. */
unf_status unfi_chains_enter(unf_explorer *x);
/* The last step of the path, which was entered, was taken back. */
void unfi_chains_leave(unf_explorer *x, uint32_t event);
void unfi_chains_free(unf_context *context, struct chains *c);

#endif
