/* The program and its libraries, as they lie in memory. */
#ifndef NATIVE_PRELOAD_MODULES_H
#define NATIVE_PRELOAD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

void modules_read(void);
/* Adds those that were loaded since. */
void modules_more(void);
/* Whether one that was loaded later, in this execution or in another one, is there. */
bool module_loaded(uint32_t module);
/* Whether a library of that name is there only because ours needs it. */
bool modules_brought(const char *library);
bool modules_import(const char *const *names);
/* Whether an address is in the code of the C library. */
bool modules_in_libc(uint64_t address);
bool module_locate(uint64_t address, uint32_t *module, uint64_t *offset);

#endif
