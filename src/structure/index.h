/*
 * Index of events by the hash of their causes, for those that are not found from the events before
 * them (see event_find()). It stands in groups of places, each a line of the processor's cache: the
 * hashes of its events, and the events. A group is compared as a whole. So an event that is not
 * there is found missing at the price of one cache miss, and of no branch that is hard to predict;
 * a search looks at hardly an event but that which it finds.
 *
 * What follows one event is made, and looked for, at about the same time, and so is what follows
 * the events that came before and after that one. Hence an event stands in the group of the events
 * near the one that it follows, which has mostly just been looked at. Where that group is full it
 * is in a table of groups; there the hash says which group it belongs to, in which it takes the
 * first place that is free, or, if there is none, one of the next group that has one. Doubling the
 * table looks at no event.
 */
#ifndef STRUCTURE_INDEX_H
#define STRUCTURE_INDEX_H

#include "base/vector.h"

#define INDEX_GROUP 8u

/* The events that there are come first; the other places are 0. */
struct index_group {
  uint32_t hashes[INDEX_GROUP], events[INDEX_GROUP];
};

/* So many events, by their numbers, have a group together, and groups are made for NEAR_BLOCK
 * events at once, where one is needed; they and what memory is not used have two pages. */
#define NEAR_EVENTS 33u
#define NEAR_BLOCK  4096u
#define NEAR_GROUPS (NEAR_BLOCK / NEAR_EVENTS + 1)

struct index {
  VECTOR(struct index_group *) near; /* by block; NULL: none was needed */
  struct index_group *groups;
  uint32_t mask;  /* number of groups - 1; that is a power of two */
  uint32_t count; /* of events in them */
};

/* Makes an empty index. Returns false when refused. */
bool unfi_index_begin(unf_context *context, struct index *index);
/* Makes the groups of the events near one. Returns false when refused. */
RARE bool unfi_index_make_near(unf_context *context, struct index *index, uint32_t event);
/* Doubles the table. Returns false when refused. */
RARE bool unfi_index_enlarge(unf_context *context, struct index *index);
/* Makes the table as large as one of this mask, if it is smaller. Returns false when refused. */
bool unfi_index_fit(unf_context *context, struct index *index, uint32_t mask);
void unfi_index_free(unf_context *context, struct index *index);

static inline bool index_group_is_full(const struct index_group *group) {
  return group->events[INDEX_GROUP - 1] != 0;
}

/* The group of the events near one; NULL: it was not made. */
static inline struct index_group *index_near(const struct index *index, uint32_t event) {
  uint32_t block = event / NEAR_BLOCK;
  if (block >= index->near.count || index->near.data[block] == NULL) return NULL;
  return &index->near.data[block][event % NEAR_BLOCK / NEAR_EVENTS];
}

/* Room for one more event that follows one. The table is at most three quarters full, so that few
 * events are in another group than their own. Returns false when refused. */
static inline bool index_reserve(unf_context *context, struct index *index, uint32_t follows) {
  const struct index_group *near = index_near(index, follows);
  if (near == NULL) return unfi_index_make_near(context, index, follows);
  return !index_group_is_full(near) ||
         index->count < ((uint64_t)index->mask + 1) * (INDEX_GROUP * 3 / 4) ||
         unfi_index_enlarge(context, index);
}

typedef uint32_t index_four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t index_two __attribute__((vector_size(16)));

/* Whether one look shows that an event with a hash is neither in a group nor behind it. */
static inline bool index_group_lacks(const struct index_group *group, uint32_t hash) {
  const uint32_t *hashes = group->hashes;
  index_four x = *(const index_four *)hashes, y = *(const index_four *)(hashes + 4);
  index_two same = (index_two)(x == hash) | (index_two)(y == hash);
  return !index_group_is_full(group) && (same[0] | same[1]) == 0;
}

static inline void index_group_put(struct index_group *group, uint32_t hash, uint32_t event) {
  uint32_t i = 0;
  while (group->events[i] != 0)
    i++;
  group->hashes[i] = hash;
  group->events[i] = event;
}

/* Puts an event into the table. */
static inline void index_put_far(struct index *index, uint32_t hash, uint32_t event) {
  uint32_t at = hash & index->mask;
  while (index_group_is_full(&index->groups[at]))
    at = (at + 1) & index->mask;
  index_group_put(&index->groups[at], hash, event);
  index->count++;
}

/* Puts an event in, for which there is room. */
static inline void index_put(struct index *index, uint32_t follows, uint32_t hash, uint32_t event) {
  struct index_group *near = index_near(index, follows);
  if (index_group_is_full(near))
    index_put_far(index, hash, event);
  else
    index_group_put(near, hash, event);
}

#endif
