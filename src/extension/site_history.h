/* The uses of one site in a configuration. */
#ifndef EXTENSION_SITE_HISTORY_H
#define EXTENSION_SITE_HISTORY_H

#include "configuration/configuration.h"
#include "structure/effect.h"

/* The events of a cut that use a site beside that of their thread, those above the last write
 * too, ascending. Returns false when refused. */
bool unfi_site_history(unf_unfolding *u, struct cut cut, uint32_t site, handle_vector *out);

/* The entry of a site without some events and their successors. Returns false when refused. */
bool unfi_entry_without(unf_unfolding *u, uint32_t *entry, uint32_t site, const uint32_t *outs,
                        uint32_t count);

#endif
