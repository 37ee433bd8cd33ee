/* Memory that is put back between executions. */
#ifndef NATIVE_PRELOAD_SNAPSHOT_H
#define NATIVE_PRELOAD_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *snapshot_take(uint64_t stack); /* why it cannot be, or NULL */
void snapshot_restore(void);
bool snapshot_fault(uint64_t address);         /* whether it was the first change of a page */
void snapshot_expose(uint64_t address);        /* the system is going to write there */
void snapshot_release(void);                   /* everything may be changed */
void snapshot_open(void *memory, size_t size); /* the system is going to write there, for us */

/* Maps memory at that place and nowhere else. */
bool map_at(uint64_t address, uint64_t size, int protection, int flags, int file, uint64_t offset);

#endif
