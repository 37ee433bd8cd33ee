/* How a function takes the place of one of the C library, and where it was called. */
#ifndef NATIVE_PRELOAD_INTERPOSE_H
#define NATIVE_PRELOAD_INTERPOSE_H

#include <stdint.h>

/* Exported under a name of the C library. */
#define INTERPOSE __attribute__((visibility("default")))
/* A second exported name of an interposed function, which old programs and libraries refer to. */
#define OLDER_NAME(old, name) __asm__(".globl " #old "\n.set " #old ", " #name)
/* Where the program called an interposed function. */
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

#endif
