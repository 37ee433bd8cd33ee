/* Growing arrays. VECTOR(type) declares one; all zero is empty. Growth keeps what is there when it
 * is refused. */
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

/* Makes room for `need` elements in all; false: refused. New elements are zero when
 * `zero` is set. */
bool unfi_grow(unf_context *context, void **data, uint32_t *capacity, size_t element, uint64_t need,
               bool zero);

#define vector_reserve(context, v, need)                                                           \
  ((uint64_t)(need) <= (v)->capacity ||                                                            \
   unfi_grow((context), (void **)&(v)->data, &(v)->capacity, sizeof *(v)->data, (need), false))

/* As vector_reserve, but everything up to the capacity is kept zero where it was never written. */
#define vector_reserve_zero(context, v, need)                                                      \
  ((uint64_t)(need) <= (v)->capacity ||                                                            \
   unfi_grow((context), (void **)&(v)->data, &(v)->capacity, sizeof *(v)->data, (need), true))

/* Appends where room was reserved before. */
#define vector_push(v, value) ((v)->data[(v)->count++] = (value))

#define vector_free(context, v)                                                                    \
  ((v)->data = unfi_reallocate((context), (v)->data, (v)->capacity * sizeof *(v)->data, 0),        \
   (v)->count = (v)->capacity = 0)

#endif
