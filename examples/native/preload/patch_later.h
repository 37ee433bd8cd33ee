/* What comes after main has begun, and what was there before. */
#ifndef NATIVE_PRELOAD_PATCH_LATER_H
#define NATIVE_PRELOAD_PATCH_LATER_H

#include <stdbool.h>
#include <stdint.h>

/* In the worker, when all modules are loaded that are there in front of main. */
void later_prepare(void);
/* At each operation: patches the modules that were loaded since the last one. */
void later_check(void);
/* Memory that was there in front of main, in no module: its number, and the place in it. */
bool memory_before(uint64_t address, uint32_t *number, uint64_t *offset);
uint64_t memory_low(uint32_t number);
void memory_add(uint64_t low, uint64_t high);

#endif
