/* Growth of intern tables: at most five eighths full, so that a search for what is not there stays short. */
#include "base/table.h"

#include <string.h>

bool unfi_table_reserve(unf_context *context, struct table *table,
                        uint64_t (*hash)(const void *owner, uint32_t handle), const void *owner) {
  uint64_t size = table->slots == NULL ? 0 : (uint64_t)table->mask + 1;
  if (((uint64_t)table->count + 1) * 8 <= size * 5) return true;
  uint64_t wanted = size == 0 ? 16 : size * 2;
  uint32_t *slots = unfi_reallocate(context, NULL, 0, wanted * sizeof *slots);
  if (slots == NULL) return false;
  memset(slots, 0, wanted * sizeof *slots);
  struct table grown = {slots, (uint32_t)(wanted - 1), 0};
  for (uint64_t i = 0; i < size; i++)
    if (table->slots[i] != 0) table_put(&grown, hash(owner, table->slots[i]), table->slots[i]);
  unfi_reallocate(context, table->slots, size * sizeof *slots, 0);
  *table = grown;
  return true;
}

void unfi_table_free(unf_context *context, struct table *table) {
  size_t size = table->slots == NULL ? 0 : (size_t)table->mask + 1;
  unfi_reallocate(context, table->slots, size * sizeof *table->slots, 0);
  table->slots = NULL;
  table->mask = table->count = 0;
}
