/* Tables by event, in chunks as the events themselves are: they grow without being copied. */
#ifndef EXPLORATION_BY_EVENT_H
#define EXPLORATION_BY_EVENT_H

#include "structure/event.h"

struct by_event {
  VECTOR(void *) chunks;
};

RARE bool unfi_by_event_enlarge(unf_context *context, struct by_event *table, size_t element,
                                uint32_t event);
/* Room for elements of so many bytes up to that of an event, zero at first. Returns false when
 * refused. */
static inline bool unfi_by_event_reserve(unf_context *context, struct by_event *table,
                                         size_t element, uint32_t event) {
  return event >> EVENT_SHIFT < table->chunks.count ||
         unfi_by_event_enlarge(context, table, element, event);
}
void unfi_by_event_free(unf_context *context, struct by_event *table, size_t element);

/* Whether there is room for an event. */
static inline bool by_event_has(const struct by_event *table, uint32_t event) {
  return event >> EVENT_SHIFT < table->chunks.count;
}

/* The element of an event for which there is room. */
#define by_event_at(table, type, event)                                                            \
  ((type *)(table)->chunks.data[(event) >> EVENT_SHIFT] + ((event) & ((1u << EVENT_SHIFT) - 1)))

#endif
