/* The additions above the last write of a site. */
#ifndef EXTENSION_ADDS_H
#define EXTENSION_ADDS_H

#include "structure/unfolding.h"

/* Visits the events whose first use is that of an entry's members, and that its layers have above
 * the last write, in layers that add: thread by thread, newest first. */
typedef void (*add_visitor)(void *user, uint32_t event, const struct action *action);
void unfi_adds(const unf_unfolding *u, uint32_t entry, add_visitor visit, void *user);

#endif
