/* Where trampolines go to. */
#ifndef NATIVE_PRELOAD_PATCH_HIT_H
#define NATIVE_PRELOAD_PATCH_HIT_H

#include <stdint.h>

struct patched;
struct thread;

/* The registers of the thread at the place, by their numbers, as patch_enter has saved them. */
struct patch_frame {
  uint64_t called_at; /* for who walks up the stack */
  uint64_t registers[16];
  uint64_t flags;
  uint64_t place; /* struct patched; in the end, where to go on */
};

void patch_prepare(void);
void patch_enter(void); /* not to be called: by a trampoline */
/* What the thread that calls finds below, where it has not written anything. */
void stack_empty(const struct thread *t);

#endif
