/* Names of a trace, each kept once. A hash takes all bytes, and stands nowhere but in the table. */
#include "io/std_names.h"

#include "io/output.h"
#include "io/std.h"

#include <string.h>

static uint64_t hash_of(const char *name, size_t size) {
  return mix(unfi_fnv(FNV_EMPTY, name, size), size);
}

static uint64_t hash_known(const void *owner, uint32_t handle) {
  const char *name = std_name(owner, handle - 1);
  return hash_of(name, strlen(name));
}

uint32_t unfi_std_intern(unf_context *context, struct std_names *names, const char *name,
                         size_t size) {
  const uint64_t hash = hash_of(name, size);
  table_each(&names->table, hash, handle) {
    const char *known = std_name(names, handle - 1);
    if (strncmp(known, name, size) == 0 && known[size] == '\0') return handle - 1;
  }
  if (!unfi_table_reserve_dense(context, &names->table, hash_known, names) ||
      !vector_reserve(context, &names->starts, (uint64_t)names->starts.count + 1) ||
      !vector_reserve(context, &names->bytes, (uint64_t)names->bytes.count + size + 1))
    return UINT32_MAX;
  vector_push(&names->starts, names->bytes.count);
  memcpy(names->bytes.data + names->bytes.count, name, size);
  names->bytes.count += (uint32_t)size;
  vector_push(&names->bytes, '\0');
  table_put(&names->table, hash, names->starts.count);
  return names->starts.count - 1;
}

void unfi_std_names_free(unf_context *context, struct std_names *names) {
  vector_free(context, &names->bytes);
  vector_free(context, &names->starts);
  unfi_table_free(context, &names->table);
}
