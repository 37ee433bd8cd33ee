/* Jumps to trampolines, at a place itself or near it. */
#ifndef NATIVE_PRELOAD_PATCH_STONES_H
#define NATIVE_PRELOAD_PATCH_STONES_H

#include <stdint.h>

#include "patch.h"

enum { PATCH_JUMP_SIZE = 5 };

/* The targets that a jump there can have of which so many bytes may change. They are signed: a
 * distance whose upper byte is large goes back. */
void stones_window(uint64_t jump, unsigned size, int64_t *low, int64_t *high);
void stones_jump(uint64_t jump, unsigned size, uint64_t target);

/* Bytes that are never executed, in code that ends there. */
void stones_add(uint64_t address, unsigned size, uint64_t text_high);
/* Puts a jump near the place, with a trampoline that `take` finds; where it is, or 0. */
uint64_t stones_take(struct patched *p,
                     uint64_t (*take)(const struct patched *p, int64_t low, int64_t high));
/* The place jumps there. */
void stones_step(uint64_t address, uint64_t stone);

#endif
