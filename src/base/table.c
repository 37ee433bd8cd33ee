/* Growth of intern tables: at most five eighths full, so that a search for what is not
 * there stays short. */
#include "base/table.h"

#include <string.h>

/* An empty table of twice the size, `dense` where handles are 1 … count. */
static bool make_larger(unf_context *context, const struct table *table, bool dense,
                        struct table *larger) {
  uint64_t size = table->slots == NULL ? 16 : ((uint64_t)table->mask + 1) * 2;
  uint32_t *slots = unfi_reallocate(context, NULL, 0, size * sizeof *slots);
  if (slots == NULL) return false;
  memset(slots, 0, size * sizeof *slots);
  uint32_t mask = (uint32_t)(size - 1);
  *larger = (struct table){slots, mask, dense ? mask : UINT32_MAX, 0};
  return true;
}

/* A larger one, with all that the table has, takes its place. */
static void replace(unf_context *context, struct table *table, const struct table *larger) {
  unfi_table_free(context, table);
  *table = *larger;
}

bool unfi_table_enlarge(unf_context *context, struct table *table,
                        uint64_t (*hash)(const void *owner, uint32_t handle), const void *owner) {
  struct table larger;
  if (!make_larger(context, table, false, &larger)) return false;
  for (uint64_t i = 0; table->slots != NULL && i <= table->mask; i++)
    if (table->slots[i] != 0) table_put(&larger, hash(owner, table->slots[i]), table->slots[i]);
  replace(context, table, &larger);
  return true;
}

bool unfi_table_enlarge_dense(unf_context *context, struct table *table,
                              uint64_t (*hash)(const void *owner, uint32_t handle),
                              const void *owner) {
  struct table larger;
  if (!make_larger(context, table, true, &larger)) return false;
  for (uint32_t handle = 1; handle <= table->count; handle++)
    table_put(&larger, hash(owner, handle), handle);
  replace(context, table, &larger);
  return true;
}

void unfi_table_free(unf_context *context, struct table *table) {
  size_t size = table->slots == NULL ? 0 : (size_t)table->mask + 1;
  unfi_reallocate(context, table->slots, size * sizeof *table->slots, 0);
  table->slots = NULL;
  table->mask = table->handles = table->count = 0;
}
