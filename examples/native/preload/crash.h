/* Failures of a thread, and places in the program. */
#ifndef NATIVE_PRELOAD_CRASH_H
#define NATIVE_PRELOAD_CRASH_H

#include <stdint.h>

void crash_handler(int number);
void crash_stack(void);
uint64_t program_place(uint64_t place);

#endif
