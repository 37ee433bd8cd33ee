/* What operations on memory do to a value. */
#ifndef EXTENSION_MEMORY_H
#define EXTENSION_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <unfold/action.h>

bool unfi_relation_holds(int64_t value, uint32_t relation, int64_t other);
/* The value of a location after an operation that writes or adds, beyond its bytes too. */
int64_t unfi_value_after(const unf_operation *operation, int64_t value);

#endif
