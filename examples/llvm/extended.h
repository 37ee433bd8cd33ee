/* Extended floating point numbers, the long double of x86-64: 64 bits of digits, and 16 of a sign
 * and an exponent. Each is two numbers as code.h says, the digits first. */
#ifndef LLVM_EXTENDED_H
#define LLVM_EXTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "code.h"

/* Whether the machine that this runs on has such numbers, else none of the following is called. */
bool extended_is_known(void);
/* What an instruction from CODE_EXTENDED_ADD to CODE_FLOAT_TO_EXTENDED makes of its values. */
void extended_compute(enum instruction_kind kind, unsigned width, uint32_t set,
                      const int64_t *values, int64_t *results);

/* Such a number as one of this machine. */
long double extended_number(const int64_t parts[2]);
void extended_parts(long double number, int64_t parts[2]);

#endif
