/*
 * Nogoods: sets of branch events that cannot be together, as the predicate said. Whatever has one
 * of them within is not asked about.
 */
#ifndef STRUCTURE_NOGOODS_H
#define STRUCTURE_NOGOODS_H

#include "structure/unfolding.h"

/* As many are kept; with the next one all are dropped. */
#define NOGOODS 512u

struct nogood {
  uint32_t first, count; /* of `events` */
};

struct nogoods {
  VECTOR(struct nogood) sets;
  VECTOR(uint32_t) events; /* ascending in each set */
};

/* Whether one of them is within ascending events. */
bool unfi_nogood_within(const struct nogoods *n, const uint32_t *events, uint32_t count);
/* Keeps some of these ascending events, or all of them if there are none in `core` or others too.
 * Without memory it is not kept. */
void unfi_nogood_keep(unf_context *context, struct nogoods *n, const uint32_t *events,
                      uint32_t count, uint32_t *core, uint64_t core_count);
void unfi_nogoods_drop(struct nogoods *n);
void unfi_nogoods_free(unf_context *context, struct nogoods *n);

#endif
