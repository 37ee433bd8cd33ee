/* Growing arrays. VECTOR(type) declares one; all zero is empty. When growth is refused, the
 * elements stay as they are. */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

#define VECTOR(type)                                                                               \
  struct {                                                                                         \
    type *data;                                                                                    \
    uint32_t count, capacity;                                                                      \
  }

/* How many elements there is room for after growth: more by half, and at least `need`. */
static inline uint64_t grown_capacity(uint32_t capacity, uint64_t need) {
  uint64_t more = (uint64_t)capacity + capacity / 2 + 8;
  return more < need ? need : more;
}

/* Makes room for `need` elements in all; new ones are zero if `zero` is set. Returns
 * false when refused. */
RARE bool unfi_grow(unf_context *context, void **data, uint32_t *capacity, size_t element,
                    uint64_t need, bool zero);

#define vector_reserve(context, v, need)                                                           \
  ((uint64_t)(need) <= (v)->capacity ||                                                            \
   unfi_grow((context), (void **)&(v)->data, &(v)->capacity, sizeof *(v)->data, (need), false))

/* As vector_reserve, but elements up to the capacity are zero until they are written. */
#define vector_reserve_zero(context, v, need)                                                      \
  ((uint64_t)(need) <= (v)->capacity ||                                                            \
   unfi_grow((context), (void **)&(v)->data, &(v)->capacity, sizeof *(v)->data, (need), true))

/* Appends an element, for which room was reserved. */
#define vector_push(v, value) ((v)->data[(v)->count++] = (value))

#define vector_free(context, v)                                                                    \
  ((v)->data = unfi_reallocate((context), (v)->data, (v)->capacity * sizeof *(v)->data, 0),        \
   (v)->count = (v)->capacity = 0)

#endif
