/*
 * Lists of branches that were explored, each behind those below it. They are most of what a worker
 * and the ledger know of finished work, so a branch is one word: the number of its step, and how
 * many branches are below it, which of the two that is being for whoever has the list to say: all
 * of them, or those right below. One of which a number is too large for that has an entry of its
 * own.
 */
#ifndef EXPLORATION_DISTRIBUTION_BRANCHES_H
#define EXPLORATION_DISTRIBUTION_BRANCHES_H

#include "base/vector.h"

/* The number of a step, from 1. */
struct explored_branch {
  uint32_t number, below;
};

struct long_branch {
  uint32_t place;
  struct explored_branch branch;
};

struct branches {
  VECTOR(uint32_t) words; /* 0: it is a long one */
  VECTOR(struct long_branch) longs;
};

/* Bits of a word that say how many are below. */
enum { BRANCH_BELOW = 12 };

/* The long branch at a place that has one. */
struct explored_branch unfi_branches_long(const struct branches *branches, uint32_t place);
/* Appends a branch that fits into no word. Returns false when refused. */
bool unfi_branches_push_long(unf_context *context, struct branches *branches,
                             struct explored_branch branch);
/* Room for a copy of some branches in an empty list. Returns false when refused. */
bool unfi_branches_reserve(unf_context *context, struct branches *to, const struct branches *from);
/* Copies them, for which there is room. */
void unfi_branches_copy(struct branches *to, const struct branches *from);
/* Drops those in front of a place. */
void unfi_branches_drop(struct branches *branches, uint32_t place);
void unfi_branches_free(unf_context *context, struct branches *branches);

static inline uint32_t branches_count(const struct branches *branches) {
  return branches->words.count;
}

static inline void branches_empty(struct branches *branches) {
  branches->words.count = branches->longs.count = 0;
}

static inline struct explored_branch branches_at(const struct branches *branches, uint32_t place) {
  const uint32_t word = branches->words.data[place];
  if (word == 0) return unfi_branches_long(branches, place);
  return (struct explored_branch){word >> BRANCH_BELOW, word & ((1u << BRANCH_BELOW) - 1)};
}

/* Returns false when refused. */
static inline bool branches_push(unf_context *context, struct branches *branches,
                                 struct explored_branch branch) {
  if (branch.below >> BRANCH_BELOW != 0 || branch.number >> (32 - BRANCH_BELOW) != 0)
    return unfi_branches_push_long(context, branches, branch);
  if (!vector_reserve(context, &branches->words, (uint64_t)branches->words.count + 1)) return false;
  vector_push(&branches->words, branch.number << BRANCH_BELOW | branch.below);
  return true;
}

#endif
