/* Sets in a table by what is in them: O(events) for a question. */
#include "structure/memo.h"

#include <string.h>

static const uint32_t *members(const struct memo *m, uint32_t handle, uint32_t *count) {
  uint32_t first = handle > 1 ? m->ends.data[handle - 2] : 0;
  *count = m->ends.data[handle - 1] - first;
  return m->events.data + first;
}

static uint64_t hash_of(const uint32_t *events, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++)
    hash = mix(hash, events[i]);
  return hash;
}

static uint64_t set_hash(const void *memo, uint32_t handle) {
  uint32_t count;
  const uint32_t *events = members(memo, handle, &count);
  return hash_of(events, count);
}

bool unfi_memo_has(const struct memo *m, const uint32_t *events, uint32_t count) {
  uint64_t hash = hash_of(events, count);
  table_each(&m->table, hash, handle) {
    uint32_t own;
    const uint32_t *kept = members(m, handle, &own);
    if (own == count && memcmp(kept, events, count * sizeof *events) == 0) return true;
  }
  return false;
}

void unfi_memo_keep(unf_context *context, struct memo *m, const uint32_t *events, uint32_t count) {
  if (count > MEMO_EVENTS) return;
  if (m->events.count + count > MEMO_EVENTS) unfi_memo_drop(m);
  if (!vector_reserve(context, &m->ends, (uint64_t)m->ends.count + 1) ||
      !vector_reserve(context, &m->events, (uint64_t)m->events.count + count) ||
      !unfi_table_reserve_dense(context, &m->table, set_hash, m))
    return;
  for (uint32_t i = 0; i < count; i++)
    vector_push(&m->events, events[i]);
  vector_push(&m->ends, m->events.count);
  table_put(&m->table, hash_of(events, count), m->ends.count);
}

void unfi_memo_drop(struct memo *m) {
  if (m->table.slots != NULL)
    memset(m->table.slots, 0, ((size_t)m->table.mask + 1) * sizeof *m->table.slots);
  m->ends.count = m->events.count = m->table.count = 0;
}

void unfi_memo_free(unf_context *context, struct memo *m) {
  vector_free(context, &m->ends);
  vector_free(context, &m->events);
  unfi_table_free(context, &m->table);
}
