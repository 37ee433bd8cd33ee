/*
 * A memo: sets of branch events of which the predicate said that they can be together. Just these
 * sets are not asked about again. Where the predicate gives no witnesses, or many went by since,
 * that is what spares asking in optimal DPOR, which comes to the same events at many nodes.
 */
#ifndef STRUCTURE_MEMO_H
#define STRUCTURE_MEMO_H

#include "base/table.h"
#include "structure/unfolding.h"

/* As many events are kept in all; with more all are dropped. */
#define MEMO_EVENTS 65536u

struct memo {
  VECTOR(uint32_t) ends;   /* by set: behind its last event */
  VECTOR(uint32_t) events; /* ascending in each set */
  struct table table;      /* of numbers of sets, and 1 more */
};

/* Whether it has just these events, which are ascending. */
bool unfi_memo_has(const struct memo *memo, const uint32_t *events, uint32_t count);
/* Keeps a set that it does not have. Without memory it is not kept. */
void unfi_memo_keep(unf_context *context, struct memo *memo, const uint32_t *events,
                    uint32_t count);
void unfi_memo_drop(struct memo *memo);
void unfi_memo_free(unf_context *context, struct memo *memo);

#endif
