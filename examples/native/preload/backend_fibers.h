/* Fibers that are no threads of the program. */
#ifndef NATIVE_PRELOAD_BACKEND_FIBERS_H
#define NATIVE_PRELOAD_BACKEND_FIBERS_H

#include <stdint.h>

struct fiber {
  void *stack; /* where the saved registers are */
  struct tls_block *block;
};
void fiber_make(struct fiber *f, uint64_t top, void (*function)(void *), void *argument);
void fiber_switch(struct fiber *from, const struct fiber *to);

#endif
