#include "index.h"

#include <stdlib.h>
#include <string.h>

static struct slot *slot_of(const struct index *index, uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ a >> 31) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ hash >> 29 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
  size_t at = (size_t)(hash ^ hash >> 32) & (index->room - 1);
  while (index->slots[at].number != 0 && (index->slots[at].a != a || index->slots[at].b != b))
    at = (at + 1) & (index->room - 1);
  return &index->slots[at];
}

uint32_t index_find(const struct index *index, uint64_t a, uint64_t b) {
  return index->room > 0 ? slot_of(index, a, b)->number - 1 : UINT32_MAX;
}

static bool enlarge(struct index *index) {
  struct index larger = {.count = index->count, .room = index->room > 0 ? 2 * index->room : 64};
  larger.slots = calloc(larger.room, sizeof *larger.slots);
  if (larger.slots == NULL) return false;
  for (size_t i = 0; i < index->room; i++)
    if (index->slots[i].number != 0)
      *slot_of(&larger, index->slots[i].a, index->slots[i].b) = index->slots[i];
  free(index->slots);
  *index = larger;
  return true;
}

bool index_put(struct index *index, uint64_t a, uint64_t b, uint32_t number) {
  if (2 * index->count >= index->room && !enlarge(index)) return false;
  struct slot *slot = slot_of(index, a, b);
  index->count += slot->number == 0;
  *slot = (struct slot){a, b, number + 1};
  return true;
}

void index_free(struct index *index) {
  free(index->slots);
  memset(index, 0, sizeof *index);
}

uint64_t index_hash(const char *text) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (; *text != '\0'; text++)
    hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
  return hash;
}
