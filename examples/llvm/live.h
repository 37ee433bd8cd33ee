/*
 * Registers whose values may still be read. Translated without optimisation, most are written by
 * one instruction and read by others behind it in the same block, and are of no use outside.
 */
#ifndef LLVM_LIVE_H
#define LLVM_LIVE_H

#include "machine.h"

/* Where a register may be read: from an instruction of its function to another one. */
struct live_range {
  uint32_t first, last;
};

struct live {
  const struct code *code;
  struct live_range *ranges; /* of the registers of all functions */
  size_t *first;             /* by function: in ranges */
};

/* False: no memory. live_free() is for both. O(code). */
bool live_make(struct live *live, const struct code *code);
void live_free(struct live *live);
/* Whether a register of a frame of a thread may be read again. */
bool live_register(const struct live *live, const struct thread *t, size_t frame, uint32_t number);

#endif
