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
/* Whether the two cuts together are no configuration. */
bool unfi_conflict_cuts(const unf_unfolding *u, struct cut a, struct cut b);
/* Whether the event is in the configuration with this cut. */
bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event);

#endif
