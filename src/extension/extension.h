/* What operations can become: dispatch to the families. */
#ifndef EXTENSION_EXTENSION_H
#define EXTENSION_EXTENSION_H

#include "configuration/configuration.h"
#include "extension/site_uses.h"
#include "structure/effect.h"

/* The actions that an operation can have after a cut, without engine-made blocks. */
unf_status unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                         outcome_visitor visit, void *user);

/* Conflicting extensions that come of one operation, exactly; see effect_family.conflicting. `uses`
 * are those of the cut, kept from one operation to the next. */
unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, struct site_uses *uses, causes_visitor visit,
                            void *user);

#endif
