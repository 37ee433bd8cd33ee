/*
 * Index of events by the hash of their causes. A place is four bytes: an event in the low bits, and
 * above it some of its hash. Places stand in groups, each in one line of the processor's cache
 * where the allocator begins large allocations at a line. The hash says which group an event
 * belongs to; there it takes the first place that is free, or, if there is none, one of the next
 * group that has one.
 *
 * A group is compared as a whole. So an event that is not there, as most are that are performed for
 * the first time, is found missing at the price of one cache miss, and of no branch that is hard to
 * predict. The bits of the hash in a place are those above the ones that chose the group: a search
 * looks at hardly an event but that which it finds; and when the index is doubled, the lowest of
 * them tells which of two groups each event goes to, and few events are looked at.
 */
#ifndef STRUCTURE_INDEX_H
#define STRUCTURE_INDEX_H

#include "base/context.h"

#define INDEX_GROUP 8u
/* Set in a place whose event belongs to another group, one before it. */
#define INDEX_FAR 0x80000000u

struct index {
  uint32_t *places;
  uint32_t mask; /* number of places - 1; at most 2³¹ - 1, where all events have room */
  uint32_t count;
};

/* Makes an empty index. Returns false when refused. */
bool unfi_index_begin(unf_context *context, struct index *index);
/* Doubles an index; `hash` returns that of an event. Returns false when refused. */
bool unfi_index_enlarge(unf_context *context, struct index *index,
                        uint64_t (*hash)(const void *owner, uint32_t event), const void *owner);
void unfi_index_free(unf_context *context, struct index *index);

/* At most five eighths full, so that few events are in another group than their own. */
static inline bool index_has_room(const struct index *index) {
  return index->count < ((index->mask >> 3) + 1) * 5 || index->mask == ~INDEX_FAR;
}

/* The bits of a hash that are used. The lower ones, up to the mask, are the first place of a group;
 * those above stand in a place. */
static inline uint32_t index_word(uint64_t hash) {
  return (uint32_t)hash * INDEX_GROUP & ~INDEX_FAR;
}

typedef uint32_t index_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t index_two __attribute__((vector_size(16)));

/* Whether some place of a group has all bits of the mask as in the key. */
static inline bool index_group_has(const uint32_t *group, uint32_t mask, uint32_t key) {
  index_four x = *(const index_four *)group, y = *(const index_four *)(group + 4);
  index_two same = (index_two)((x & mask) == key) | (index_two)((y & mask) == key);
  return (same[0] | same[1]) != 0;
}

/* Whether one look shows that there is no event with a hash. */
static inline bool index_lacks(const struct index *index, uint64_t hash) {
  uint32_t word = index_word(hash), mask = index->mask;
  const uint32_t *group = index->places + (word & mask);
  return group[INDEX_GROUP - 1] == 0 && !index_group_has(group, ~mask, word & ~mask);
}

/* Where there is room for one more. */
static inline void index_put(struct index *index, uint64_t hash, uint32_t event) {
  uint32_t word = index_word(hash), at = word & index->mask, far = 0;
  for (; index->places[at + INDEX_GROUP - 1] != 0; far = INDEX_FAR)
    at = (at + INDEX_GROUP) & index->mask;
  /* Those that are taken come first. */
  at += index->places[at + 3] != 0 ? 4 : 0;
  at += index->places[at + 1] != 0 ? 2 : 0;
  at += index->places[at] != 0;
  index->places[at] = event | (word & ~index->mask) | far;
  index->count++;
}

#endif
