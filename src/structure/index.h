/*
 * Index of events by the hash of their causes, for those that are not found from the events before
 * them (see event_find()). It stands in groups of places, each of the size of a line of the
 * processor's cache: the hashes of its events, and the events. The hash says which group an event
 * belongs to; there it takes the first place that is free, or, if there is none, one of the next
 * group that has one.
 *
 * A group is compared as a whole. So an event that is not there is found missing at the price of
 * one cache miss, and of no branch that is hard to predict; a search looks at hardly an event but
 * that which it finds, and doubling the index at none.
 */
#ifndef STRUCTURE_INDEX_H
#define STRUCTURE_INDEX_H

#include "base/context.h"

#define INDEX_GROUP 8u

/* The events that there are come first; the other places are 0. */
struct index_group {
  uint32_t hashes[INDEX_GROUP], events[INDEX_GROUP];
};

struct index {
  struct index_group *groups;
  uint32_t mask; /* number of groups - 1; that is a power of two */
  uint32_t count;
};

/* Makes an empty index. Returns false when refused. */
bool unfi_index_begin(unf_context *context, struct index *index);
/* Doubles an index. Returns false when refused. */
RARE bool unfi_index_enlarge(unf_context *context, struct index *index);
/* Makes it as large as one of this mask, if it is smaller. Returns false when refused. */
bool unfi_index_fit(unf_context *context, struct index *index, uint32_t mask);
void unfi_index_free(unf_context *context, struct index *index);

/* At most three quarters full, so that few events are in another group than their own. */
static inline bool index_has_room(const struct index *index) {
  return index->count < ((uint64_t)index->mask + 1) * (INDEX_GROUP * 3 / 4);
}

static inline bool index_group_is_full(const struct index_group *group) {
  return group->events[INDEX_GROUP - 1] != 0;
}

typedef uint32_t index_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t index_two __attribute__((vector_size(16)));

/* Whether one look shows that there is no event with a hash. */
static inline bool index_lacks(const struct index *index, uint32_t hash) {
  const struct index_group *group = &index->groups[hash & index->mask];
  const uint32_t *hashes = group->hashes;
  index_four x = *(const index_four *)hashes, y = *(const index_four *)(hashes + 4);
  index_two same = (index_two)(x == hash) | (index_two)(y == hash);
  return !index_group_is_full(group) && (same[0] | same[1]) == 0;
}

/* Where there is room for one more. */
static inline void index_put(struct index *index, uint32_t hash, uint32_t event) {
  uint32_t at = hash & index->mask, i = 0;
  while (index_group_is_full(&index->groups[at]))
    at = (at + 1) & index->mask;
  struct index_group *group = &index->groups[at];
  while (group->events[i] != 0)
    i++;
  group->hashes[i] = hash;
  group->events[i] = event;
  index->count++;
}

#endif
