/* Calls of the program's own functions. */
#ifndef NATIVE_PRELOAD_PROGRAM_H
#define NATIVE_PRELOAD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose.h"
#include "real.h"

/* Calls one with up to three words; also for the library that watches memory. */
INTERPOSE long unfold_program(plain_function *function, long a, long b, long c);
/* Whether something returns there. */
bool program_called(uint64_t place);

#endif
