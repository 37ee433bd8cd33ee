/* The code of trampolines. */
#ifndef NATIVE_PRELOAD_PATCH_CODE_H
#define NATIVE_PRELOAD_PATCH_CODE_H

#include <stdint.h>

struct patched;

/* How much room one needs. */
uint64_t code_size(const struct patched *p);
/* Where a jump in its tail leads, before something is changed there; its own place without one. */
uint64_t code_tail_target(const struct patched *p);
/* Writes it to p->trampoline, and says where the copy of the instruction is. */
void code_write(struct patched *p);

#endif
