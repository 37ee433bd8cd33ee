/* The record of an event that follows many others. */
#ifndef STRUCTURE_GATHERING_H
#define STRUCTURE_GATHERING_H

#include "structure/unfolding.h"

struct gathering;

/* Begins with the entries of a record. Returns NULL when refused. */
struct gathering *unfi_gathering_begin(unf_unfolding *u, uint32_t record);
/* Merges the histories of all events at the top of an entry of a site, themselves included. Returns
 * false when refused. */
bool unfi_gather(unf_unfolding *u, struct gathering *g, uint32_t site, uint32_t entry);
/* The record of all that was merged. Returns false when refused. */
bool unfi_gathering_end(unf_unfolding *u, struct gathering *g, uint32_t *record);
/* NULL is none. */
void unfi_gathering_free(unf_context *context, struct gathering *g);

#endif
