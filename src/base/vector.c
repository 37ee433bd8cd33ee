/* Growth of vectors: by half, so that appending is O(1) amortised and at most a third of the
 * memory is unused. */
#include "base/vector.h"

#include <string.h>

bool unfi_grow(unf_context *context, void **data, uint32_t *capacity, size_t element, uint64_t need,
               bool zero) {
  uint64_t wanted = grown_capacity(*capacity, need);
  if (wanted > UINT32_MAX / 2) return unfi_too_many(context, "entries of one array", wanted);
  void *moved = unfi_reallocate(context, *data, *capacity * element, wanted * element);
  if (moved == NULL) return false;
  if (zero) memset((char *)moved + *capacity * element, 0, (wanted - *capacity) * element);
  *data = moved;
  *capacity = (uint32_t)wanted;
  return true;
}
