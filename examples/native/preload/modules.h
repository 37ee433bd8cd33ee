/* The program and its libraries, as they lie in memory. */
#ifndef NATIVE_PRELOAD_MODULES_H
#define NATIVE_PRELOAD_MODULES_H

#include <stdbool.h>
#include <stdint.h>

void modules_read(void);
bool modules_import(const char *const *names);
bool module_locate(uint64_t address, uint32_t *module, uint64_t *offset);

#endif
