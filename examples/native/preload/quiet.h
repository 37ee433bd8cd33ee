/* Places that are left out: --quiet. */
#ifndef NATIVE_PRELOAD_QUIET_H
#define NATIVE_PRELOAD_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patched;

/* Whether a place of a module is left out; whether all of the module is. */
bool quiet_place(uint32_t module, uint64_t offset);
bool quiet_module(uint32_t module);
/* A thread is about to perform a read-modify-write: whether it is left out. What uses the same
 * memory as a place that is left out is left out too, and the exploration begins again then. */
bool quiet_performs(const struct patched *place, uint64_t address);
/* In front of main: places that were named by their lines are looked for, from the start. */
void quiet_begin(void);

/* What a schedule says of them, behind the level; "" if there are none. */
void quiet_text(char *text, size_t size);

#endif
