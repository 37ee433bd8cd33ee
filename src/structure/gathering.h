/* The record of an event that follows a layer of many. */
#ifndef STRUCTURE_GATHERING_H
#define STRUCTURE_GATHERING_H

#include "structure/unfolding.h"

struct gathering;

/* Merges the histories of all events at the top of an entry of a site, which is a layer, themselves
 * included, into a record. Returns false when refused. */
bool unfi_gather(unf_unfolding *u, uint32_t site, uint32_t entry, uint32_t *record);
/* NULL is none. */
void unfi_gathering_free(unf_context *context, struct gathering *g);

#endif
