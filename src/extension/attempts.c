/* Attempts, in a table by what they are. */
#include "extension/attempts.h"

#include <string.h>

static uint64_t hash_of(const struct attempt *a) {
  return mix(((uint64_t)a->thread << 32) | a->before, a->entry);
}

static uint64_t attempt_hash(const void *attempts, uint32_t handle) {
  return hash_of(&((const struct attempts *)attempts)->list.data[handle - 1]);
}

bool unfi_attempt(unf_context *context, struct attempts *attempts, const struct attempt *attempt,
                  bool *seen) {
  struct table *table = &attempts->table;
  *seen = true;
  if (!unfi_table_reserve_dense(context, table, attempt_hash, attempts) ||
      !vector_reserve(context, &attempts->list, (uint64_t)attempts->list.count + 1))
    return false;
  uint64_t hash = hash_of(attempt);
  table_each(table, hash, handle) {
    const struct attempt *a = &attempts->list.data[handle - 1];
    if (a->thread == attempt->thread && a->before == attempt->before && a->entry == attempt->entry)
      return true;
  }
  *seen = false;
  vector_push(&attempts->list, *attempt);
  table_put(table, hash, attempts->list.count);
  return true;
}

void unfi_attempts_back(struct attempts *attempts, uint32_t count) {
  if (attempts->list.count == count) return;
  attempts->list.count = count;
  memset(attempts->table.slots, 0, ((size_t)attempts->table.mask + 1) * sizeof(uint32_t));
  attempts->table.count = 0;
  for (uint32_t handle = 1; handle <= count; handle++)
    table_put(&attempts->table, attempt_hash(attempts, handle), handle);
}

void unfi_attempts_forget(unf_context *context, struct attempts *attempts) {
  if (attempts->table.slots == NULL) return;
  vector_free(context, &attempts->list);
  unfi_table_free(context, &attempts->table);
}

void unfi_attempts_free(unf_context *context, struct attempts *attempts) {
  unfi_attempts_forget(context, attempts);
  unfi_sparse_free(context, &attempts->P);
  vector_free(context, &attempts->outs);
  vector_free(context, &attempts->predecessors);
  vector_free(context, &attempts->cuts.words);
  vector_free(context, &attempts->whole);
}
