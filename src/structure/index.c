/* Making and doubling the index of events. */
#include "structure/index.h"

#include <string.h>

enum { LINE = sizeof(struct index_group) };

static size_t size_of(size_t groups) {
  return (groups + 1) * LINE;
}

/* Empty groups, each in a line of its own. Before them stands where their memory begins: it is
 * aligned as a pointer is. Returns NULL when refused. */
static struct index_group *groups_new(unf_context *context, size_t count) {
  char *memory = unfi_reallocate(context, NULL, 0, size_of(count));
  if (memory == NULL) return NULL;
  void *groups = memory + (LINE - (uintptr_t)memory % LINE);
  ((void **)groups)[-1] = memory;
  memset(groups, 0, count * LINE);
  return groups;
}

static void groups_free(unf_context *context, struct index_group *groups, size_t count) {
  if (groups != NULL) unfi_reallocate(context, ((void **)groups)[-1], size_of(count), 0);
}

bool unfi_index_begin(unf_context *context, struct index *index) {
  *index = (struct index){.groups = groups_new(context, 1)};
  return index->groups != NULL;
}

void unfi_index_free(unf_context *context, struct index *index) {
  for (uint32_t i = 0; i < index->near.count; i++)
    groups_free(context, index->near.data[i], NEAR_GROUPS);
  vector_free(context, &index->near);
  groups_free(context, index->groups, (size_t)index->mask + 1);
  *index = (struct index){0};
}

bool unfi_index_make_near(unf_context *context, struct index *index, uint32_t event) {
  uint32_t block = event / NEAR_BLOCK;
  if (!vector_reserve(context, &index->near, (uint64_t)block + 1)) return false;
  while (index->near.count <= block)
    vector_push(&index->near, NULL);
  index->near.data[block] = groups_new(context, NEAR_GROUPS);
  return index->near.data[block] != NULL;
}

bool unfi_index_enlarge(unf_context *context, struct index *index) {
  return unfi_index_fit(context, index, 2 * index->mask + 1);
}

bool unfi_index_fit(unf_context *context, struct index *index, uint32_t mask) {
  struct index larger = {.mask = mask};
  if (index->mask >= mask) return true;
  larger.groups = groups_new(context, (size_t)mask + 1);
  if (larger.groups == NULL) return false;
  for (uint32_t at = 0; at <= index->mask; at++)
    for (uint32_t i = 0; i < INDEX_GROUP && index->groups[at].events[i] != 0; i++)
      index_put_far(&larger, index->groups[at].hashes[i], index->groups[at].events[i]);
  groups_free(context, index->groups, (size_t)index->mask + 1);
  index->groups = larger.groups;
  index->mask = larger.mask;
  return true;
}
