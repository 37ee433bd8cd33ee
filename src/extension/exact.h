/* Exact enumeration of conflicting extensions, and what a family's pruning of it works with. */
#ifndef EXTENSION_EXACT_H
#define EXTENSION_EXACT_H

#include "configuration/configuration.h"
#include "extension/site_uses.h"
#include "structure/effect.h"

/* effect_family.conflicting for families that do not compute them on their own; `uses` are those of
 * the cut. */
unf_status unfi_exact(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                      const unf_operation *operation, uint32_t event, struct site_uses *uses,
                      causes_visitor visit, void *user);

/* What the functions of a shape see of an enumeration: each event of C that the shape depends on is
 * open, or it was taken into P, with its causes, or left. */
struct enumeration {
  unf_unfolding *u;
  struct cut C;
  const unf_operation *operation;
  uint32_t before; /* the event that the operation follows, whose history is in P */
  const struct shape *shape;
  uint32_t left;     /* how many events were left */
  unf_status status; /* why it ends before it is complete */
};

/* P. */
struct cut unfi_exact_taken(const struct enumeration *e);
/* Takes an event; false: it or one of its causes was left or cannot be taken, or refused. */
bool unfi_exact_take(struct enumeration *e, uint32_t event);
/* The entry of a site in C without what was left. Returns false when refused. */
bool unfi_exact_rest(struct enumeration *e, uint32_t site, uint32_t *entry);

#endif
