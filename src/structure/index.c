/* Making and doubling the index of events. */
#include "structure/index.h"

#include <string.h>

enum { LEAST = 2 * INDEX_GROUP };

static size_t size_of(const struct index *index) {
  return ((size_t)index->mask + 1) * sizeof *index->places;
}

/* Places of which nothing is known yet. */
static bool take(unf_context *context, uint32_t mask, struct index *out) {
  *out = (struct index){.mask = mask};
  out->places = unfi_reallocate(context, NULL, 0, size_of(out));
  return out->places != NULL;
}

bool unfi_index_begin(unf_context *context, struct index *index) {
  if (!take(context, LEAST - 1, index)) return false;
  memset(index->places, 0, size_of(index));
  return true;
}

void unfi_index_free(unf_context *context, struct index *index) {
  if (index->places != NULL) unfi_reallocate(context, index->places, size_of(index), 0);
  *index = (struct index){0};
}

/* Shares out a group among its two, those whose next bit is 0 and 1; those that belong to a group
 * before it are left out. */
static inline void split(const uint32_t *group, uint32_t bit, uint32_t *low, uint32_t *high) {
  uint32_t *to[2] = {low, high};
  memset(low, 0, INDEX_GROUP * sizeof *low);
  memset(high, 0, INDEX_GROUP * sizeof *high);
  for (uint32_t i = 0; i < INDEX_GROUP && group[i] != 0; i++)
    if (!(group[i] & INDEX_FAR)) *to[(group[i] & bit) != 0]++ = group[i] & ~bit;
}

/* Puts in what was left out. */
static void put_far(const struct index *from, struct index *to,
                    uint64_t (*hash)(const void *owner, uint32_t event), const void *owner) {
  for (uint32_t at = 0; at < from->mask; at += INDEX_GROUP) {
    const uint32_t *group = from->places + at;
    if (!index_group_has(group, INDEX_FAR, INDEX_FAR)) continue;
    for (uint32_t i = 0; i < INDEX_GROUP; i++) {
      uint32_t event = group[i] & from->mask;
      if (group[i] & INDEX_FAR) index_put(to, hash(owner, event), event);
    }
  }
}

bool unfi_index_enlarge(unf_context *context, struct index *index,
                        uint64_t (*hash)(const void *owner, uint32_t event), const void *owner) {
  uint32_t bit = index->mask + 1;
  struct index larger;
  if (!take(context, index->mask | bit, &larger)) return false;
  for (uint32_t at = 0; at < bit; at += INDEX_GROUP)
    split(index->places + at, bit, larger.places + at, larger.places + bit + at);
  put_far(index, &larger, hash, owner);
  larger.count = index->count;
  unfi_index_free(context, index);
  *index = larger;
  return true;
}
