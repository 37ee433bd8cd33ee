/* U in lists, and the spikes that they give. */
#ifndef EXPLORATION_STRATEGIES_QPOR_SPIKES_H
#define EXPLORATION_STRATEGIES_QPOR_SPIKES_H

#include <unfold/explore.h>

#include "base/table.h"
#include "base/vector.h"
#include "structure/compaction.h"

/*
 * A place in the lists of U. Where the family computes conflicting extensions, an event is in one
 * list, so its place has the event's own number and stands in what is known of it; any other is in
 * one list for each site that it uses, in places with a tag, kept in `places`.
 */
#define PLACE_TAG 0x80000000u
struct place {
  uint32_t event, next, head;
};

/* First place of the list at a write with several uses, of one of its sites. */
struct head {
  uint32_t site, write, first;
};

/* By site: the writes of it in C, by depth in its tree. */
typedef VECTOR(uint32_t) chain_vector;

/* Room for the places of an event in U, for which there is room in what is known; false: refused.
 */
bool unfi_places_reserve(unf_explorer *x, uint32_t event);
/* Enters an event into U, for which room was reserved. */
void unfi_known_add(unf_explorer *x, uint32_t event);
/* Puts parked events back into the lists that they belong to. */
void unfi_release(unf_explorer *x, uint32_t parked);
/* Keeps the events of U that conflict immediately with an event, and all that stand in a list with
 * them. Nothing may be parked; `walked` has a flag for every event and every place. */
void unfi_siblings_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked);
bool unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also_D);

#endif
