/* Tables by event, made longer by a chunk at a time. */
#include "exploration/by_event.h"

#include <string.h>

#include "extension/adds.h"
#include "structure/event.h"

bool unfi_by_event_enlarge(unf_context *context, struct by_event *table, size_t element,
                           uint32_t event) {
  size_t size = element << EVENT_SHIFT;
  while (table->chunks.count <= event >> EVENT_SHIFT) {
    if (!vector_reserve(context, &table->chunks, (uint64_t)table->chunks.count + 1)) return false;
    void *chunk = unfi_reallocate(context, NULL, 0, size);
    if (chunk == NULL) return false;
    memset(chunk, 0, size);
    vector_push(&table->chunks, chunk);
  }
  return true;
}

void unfi_by_event_free(unf_context *context, struct by_event *table, size_t element) {
  for (uint32_t i = 0; i < table->chunks.count; i++)
    unfi_reallocate(context, table->chunks.data[i], element << EVENT_SHIFT, 0);
  vector_free(context, &table->chunks);
}
