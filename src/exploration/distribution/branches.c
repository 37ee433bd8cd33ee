/* Branches that fit into no word, and lists of branches as a whole. */
#include "exploration/distribution/branches.h"

#include <string.h>

/* The first long branch at a place or behind it, by its index. */
static uint32_t first_long(const struct branches *branches, uint32_t place) {
  uint32_t from = 0, to = branches->longs.count;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (branches->longs.data[middle].place < place)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

struct explored_branch unfi_branches_long(const struct branches *branches, uint32_t place) {
  return branches->longs.data[first_long(branches, place)].branch;
}

bool unfi_branches_push_long(unf_context *context, struct branches *branches,
                             struct explored_branch branch) {
  const struct long_branch entry = {branches->words.count, branch};
  if (!vector_reserve(context, &branches->words, (uint64_t)branches->words.count + 1) ||
      !vector_reserve(context, &branches->longs, (uint64_t)branches->longs.count + 1))
    return false;
  vector_push(&branches->words, 0);
  vector_push(&branches->longs, entry);
  return true;
}

bool unfi_branches_reserve(unf_context *context, struct branches *to, const struct branches *from) {
  return vector_reserve(context, &to->words, from->words.count) &&
         vector_reserve(context, &to->longs, from->longs.count);
}

void unfi_branches_copy(struct branches *to, const struct branches *from) {
  to->words.count = from->words.count;
  to->longs.count = from->longs.count;
  if (from->words.count > 0)
    memcpy(to->words.data, from->words.data, from->words.count * sizeof *from->words.data);
  if (from->longs.count > 0)
    memcpy(to->longs.data, from->longs.data, from->longs.count * sizeof *from->longs.data);
}

void unfi_branches_drop(struct branches *branches, uint32_t place) {
  if (place == 0) return;
  const uint32_t dropped = first_long(branches, place);
  branches->words.count -= place;
  memmove(branches->words.data, branches->words.data + place,
          branches->words.count * sizeof *branches->words.data);
  branches->longs.count -= dropped;
  for (uint32_t i = 0; i < branches->longs.count; i++) {
    branches->longs.data[i] = branches->longs.data[dropped + i];
    branches->longs.data[i].place -= place;
  }
}

void unfi_branches_free(unf_context *context, struct branches *branches) {
  vector_free(context, &branches->words);
  vector_free(context, &branches->longs);
}
