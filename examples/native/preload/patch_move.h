/* Plain accesses to memory that several threads use. */
#ifndef NATIVE_PRELOAD_PATCH_MOVE_H
#define NATIVE_PRELOAD_PATCH_MOVE_H

#include <stdint.h>

#include "locations.h"

struct patched;
struct patch_frame;

/* The access of a thread that comes to such a place; its vector registers are in `state`. */
void move_operate(const struct patched *p, const struct patch_frame *frame,
                  const unsigned char *state);

#endif
