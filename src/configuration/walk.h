/* Walks over the events of cuts. */
#ifndef CONFIGURATION_WALK_H
#define CONFIGURATION_WALK_H

#include "configuration/configuration.h"

/* Appends the events of a cut that are not in `base`, ascending; returns false when refused. */
bool unfi_cut_events(const unf_unfolding *u, struct cut cut, struct cut base, handle_vector *out);
/* Appends them as unfi_cut_events() does, without a look at sites where there is nothing. */
bool unfi_sparse_events(const unf_unfolding *u, const struct sparse *cut, struct cut base,
                        handle_vector *out);

/* Appends the history of an event, itself included, ascending. O(history + leaves of its record).
 * Returns false when refused. */
bool unfi_history_events(const unf_unfolding *u, uint32_t event, handle_vector *out);

#endif
