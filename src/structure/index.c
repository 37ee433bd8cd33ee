/* Making and doubling the index of events. */
#include "structure/index.h"

#include <string.h>

static size_t size_of(const struct index *index) {
  return ((size_t)index->mask + 1) * sizeof *index->groups;
}

static bool begin(unf_context *context, uint32_t mask, struct index *out) {
  *out = (struct index){.mask = mask};
  out->groups = unfi_reallocate(context, NULL, 0, size_of(out));
  if (out->groups == NULL) return false;
  memset(out->groups, 0, size_of(out));
  return true;
}

bool unfi_index_begin(unf_context *context, struct index *index) {
  return begin(context, 0, index);
}

void unfi_index_free(unf_context *context, struct index *index) {
  if (index->groups != NULL) unfi_reallocate(context, index->groups, size_of(index), 0);
  *index = (struct index){0};
}

bool unfi_index_enlarge(unf_context *context, struct index *index) {
  return unfi_index_fit(context, index, 2 * index->mask + 1);
}

bool unfi_index_fit(unf_context *context, struct index *index, uint32_t mask) {
  struct index larger;
  if (index->mask >= mask) return true;
  if (!begin(context, mask, &larger)) return false;
  for (uint32_t at = 0; at <= index->mask; at++)
    for (uint32_t i = 0; i < INDEX_GROUP && index->groups[at].events[i] != 0; i++)
      index_put(&larger, index->groups[at].hashes[i], index->groups[at].events[i]);
  unfi_index_free(context, index);
  *index = larger;
  return true;
}
