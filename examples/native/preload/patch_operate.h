/* What a changed place does. */
#ifndef NATIVE_PRELOAD_PATCH_OPERATE_H
#define NATIVE_PRELOAD_PATCH_OPERATE_H

#include "patch_hit.h"

/* The operation, in full; vector registers are saved around it, in `state`. */
void patch_operate(const struct patched *p, const struct patch_frame *frame,
                   const unsigned char *state);

/* What an instruction does, as an operation; and what memory has. */
struct access patch_access(const struct patched *p, const struct patch_frame *frame);
uint64_t memory_value(uint64_t address, unsigned size);

#endif
