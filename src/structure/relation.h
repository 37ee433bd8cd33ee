/* Causality and conflict. */
#ifndef STRUCTURE_RELATION_H
#define STRUCTURE_RELATION_H

#include "structure/cut.h"

bool unfi_precedes(const unf_unfolding *u, uint32_t a, uint32_t b);
bool unfi_conflict(const unf_unfolding *u, uint32_t a, uint32_t b);
/* Whether two writes of a site are on different branches of its tree. */
bool unfi_diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y);
/* Whether [event] and the configuration with this cut are not one configuration. */
bool unfi_conflict_cut(const unf_unfolding *u, struct cut cut, uint32_t event);
/* Whether two cuts are in conflict at the sites of a block, the first of which is given. Together
 * they are no configuration if they are anywhere. */
bool unfi_conflict_at(const unf_unfolding *u, struct cut a, struct cut b, uint32_t first);
/* Whether the event is in the configuration with this cut. */
bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event);

#endif
