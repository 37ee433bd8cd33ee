/* Nogoods in one list: O(nogoods · log events) for a question, which is less than a solver needs.
 */
#include "structure/nogoods.h"

#include "base/sort.h"

static bool is_among(uint32_t event, const uint32_t *events, uint32_t count) {
  uint32_t low = 0;
  while (low < count) {
    uint32_t middle = low + (count - low) / 2;
    if (events[middle] == event) return true;
    if (events[middle] < event)
      low = middle + 1;
    else
      count = middle;
  }
  return false;
}

static bool are_among(const uint32_t *some, uint32_t some_count, const uint32_t *events,
                      uint32_t count) {
  for (uint32_t i = some_count; i > 0; i--)
    if (!is_among(some[i - 1], events, count)) return false;
  return true;
}

bool unfi_nogood_within(const struct nogoods *n, const uint32_t *events, uint32_t count) {
  for (uint32_t i = 0; i < n->sets.count; i++) {
    const struct nogood *set = &n->sets.data[i];
    if (are_among(n->events.data + set->first, set->count, events, count)) return true;
  }
  return false;
}

void unfi_nogood_keep(unf_context *context, struct nogoods *n, const uint32_t *events,
                      uint32_t count, uint32_t *core, uint64_t core_count) {
  bool given = core_count > 0 && core_count <= count;
  if (given) unfi_sort(core, (uint32_t)core_count);
  given = given && are_among(core, (uint32_t)core_count, events, count);
  const uint32_t *kept = given ? core : events;
  struct nogood set = {0, given ? (uint32_t)core_count : count};
  if (n->sets.count == NOGOODS) unfi_nogoods_drop(n);
  if (!vector_reserve(context, &n->sets, (uint64_t)n->sets.count + 1) ||
      !vector_reserve(context, &n->events, (uint64_t)n->events.count + set.count))
    return;
  set.first = n->events.count;
  for (uint32_t i = 0; i < set.count; i++)
    vector_push(&n->events, kept[i]);
  vector_push(&n->sets, set);
}

void unfi_nogoods_drop(struct nogoods *n) {
  n->sets.count = n->events.count = 0;
}

void unfi_nogoods_free(unf_context *context, struct nogoods *n) {
  vector_free(context, &n->sets);
  vector_free(context, &n->events);
}
