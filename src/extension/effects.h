/* The library's effect families. */
#ifndef EXTENSION_EFFECTS_H
#define EXTENSION_EFFECTS_H

#include "configuration/configuration.h"

extern const struct effect_family unfi_local_family;
extern const struct effect_family unfi_thread_family;
extern const struct effect_family unfi_mutex_family;

/* The actions of every operation after a cut, threads ascending, without engine-made blocks; false:
   the visitor ended it. Every started thread's operation must be known. */
bool unfi_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t operation,
                   outcome_visitor visit, void *user);

/* Conflicting extensions that come of one operation; see effect_family.conflicting. */
unf_status unfi_conflicting(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                            uint32_t event, causes_visitor visit, void *user);

#endif
