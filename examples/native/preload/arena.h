/* Memory of the explorer, shared by worker and executions; and private memory that is
 * never freed. */
#ifndef NATIVE_PRELOAD_ARENA_H
#define NATIVE_PRELOAD_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

bool arena_new(uint64_t size);
unf_allocator arena_allocator(void);
void *private_memory(size_t size);
void private_memory_from(char *memory, size_t size); /* from there, which is empty */
size_t private_memory_used(const char *memory);

#endif
