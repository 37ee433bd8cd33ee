/* Values of locations, and what operations on memory do to them. */
#ifndef EXTENSION_MEMORY_H
#define EXTENSION_MEMORY_H

#include "structure/action.h"
#include "structure/cut.h"

bool unfi_relation_holds(int64_t value, uint32_t relation, int64_t other);
/* The value of a location after an operation that writes or adds, beyond its bytes too. */
int64_t unfi_value_after(const unf_operation *operation, int64_t value);
int64_t unfi_location_value(unf_unfolding *u, struct cut cut, uint32_t location);
/* Appends the sites of a location, used in one way, to u->use_room. */
unf_status unfi_use_location(unf_unfolding *u, uint32_t location, enum access access);

#endif
