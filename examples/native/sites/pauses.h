/* Loops that wait, as their authors say by a `pause`. */
#ifndef NATIVE_SITES_PAUSES_H
#define NATIVE_SITES_PAUSES_H

#include <Zydis/Zydis.h>

#include <stdint.h>

#include "image.h"
#include "table.h"

enum { PAUSES_MAX = 64, LOOPS_MAX = 256 };

/* Of one function: where they are, and what lies between a jump back and its target. Beyond their
 * room they are not known. */
struct pauses {
  uint64_t at[PAUSES_MAX];
  struct span loops[LOOPS_MAX];
  unsigned count, loop_count;
};

void pauses_begin(struct pauses *p);
/* The next instruction, at its address. */
void pauses_see(struct pauses *p, const ZydisDecodedInstruction *instruction, uint64_t at);
/* The function is over: marks those of its places that are near a pause, or in a loop with one. */
void pauses_mark(const struct pauses *p, struct site *sites, uint32_t count);

#endif
