/*
 * The predicate of an unfolding: which branch events can be in one configuration. It is asked about
 * lists of branch events in which causes stand before their effects.
 *
 * YES and NO are final: a set within a consistent one is consistent, a set around an inconsistent
 * one is not. UNKNOWN says nothing.
 */
#ifndef STRUCTURE_CONSISTENCY_H
#define STRUCTURE_CONSISTENCY_H

#include <unfold/consistency.h>

#include "structure/event.h"
#include "structure/memo.h"
#include "structure/nogoods.h"

/* The latest witnesses, as many as are kept. */
#define WITNESSES 8

struct consistency {
  unf_consistency predicate;
  unf_consistency_counts counts;
  uint64_t witnesses[WITNESSES];
  uint64_t stamps[WITNESSES]; /* tells a witness from those that had its place before */
  uint64_t kept;              /* how many were kept so far */
  uint32_t next;              /* place of the next one */
  struct nogoods nogoods;
  struct memo memo;
  struct holder holder; /* drops these when events have other handles */
  VECTOR(uint32_t) core;
  VECTOR(uint32_t) sorted; /* the events of a question */
};

static inline bool is_branch(const unf_unfolding *u, uint32_t event) {
  return action_of(u, event)->kind == UNF_DID_BRANCH;
}

/* What is known of a list that grows, by witness: how many of its first events hold, and whether
 * the next one does not. */
struct witnessed {
  struct {
    uint64_t stamp;
    uint32_t count;
    bool fails;
  } items[WITNESSES];
};
/* Whether all events of a list, and one more, hold under a witness that is known. Of the list each
 * event is looked at once. */
bool unfi_witnessed_with(unf_unfolding *u, struct witnessed *known, const uint32_t *events,
                         uint32_t count, uint32_t event);
/* The list was cut to its first events. */
void unfi_witnessed_cut(struct witnessed *known, uint32_t count);
/* Whether the events can be together, the first `known` of which were not found to exclude each
 * other. */
unf_status unfi_ask(unf_unfolding *u, const uint32_t *events, uint32_t count, uint32_t known,
                    unf_answer *out);
void unfi_consistency_free(unf_unfolding *u);

#endif
