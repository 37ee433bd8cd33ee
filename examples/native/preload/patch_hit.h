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
  uint64_t back;  /* where it goes on: the copy of the instruction */
  uint64_t place; /* struct patched */
  uint64_t spare[2];
};

void patch_prepare(void);
/* Not to be called: by trampolines. */
void patch_enter(void);
void patch_filter(void);
/* What the thread that calls finds below, where it has not written anything. */
void stack_empty(const struct thread *t);

#endif
