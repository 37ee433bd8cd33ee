/*
 * Giving events back. The events that are kept, with all their causes, are interned anew in the
 * order of their handles, beside the old ones, so that causes go on to have the smaller handles and
 * a refusal changes nothing. Names (threads, objects, actions, operations, sets) stay.
 */
#ifndef STRUCTURE_COMPACTION_H
#define STRUCTURE_COMPACTION_H

#include "structure/unfolding.h"

/* A layer that has a new name. */
struct moved {
  uint32_t from, to;
};

struct compaction {
  unf_unfolding *u, made; /* what is made shares the names of u */
  /* By event of u: 0 as long as nobody keeps it; then not 0; when all is made, its new handle. */
  VECTOR(uint32_t) now;
  VECTOR(struct moved) layers;
  struct table layer_table;
  VECTOR(uint32_t) members, tuple; /* under construction */
};

/* Nothing is kept yet but ⊥. Returns false when refused. */
bool unfi_compaction_begin(struct compaction *c, unf_unfolding *u);
static inline void compaction_keep(struct compaction *c, uint32_t event) {
  c->now.data[event] = 1;
}
/* Makes the unfolding of what is kept; `now` and `made` can be used then. */
unf_status unfi_compaction_make(struct compaction *c);
/* Puts what was made in the place of the old. Cannot fail. */
void unfi_compaction_commit(struct compaction *c);
/* Frees what was not committed, and the tables. */
void unfi_compaction_free(struct compaction *c);

#endif
