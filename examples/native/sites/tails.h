/* What follows a short instruction. */
#ifndef NATIVE_SITES_TAILS_H
#define NATIVE_SITES_TAILS_H

#include <Zydis/Zydis.h>

#include <stdbool.h>

#include "table.h"

/* The sites of a function so far, and the instruction that comes next, at its address. */
void tails_follow(struct site *sites, uint32_t count, const ZydisDecodedInstruction *instruction,
                  uint64_t at);
/* Whether it jumps to an address that is not in it. */
bool tails_jumps(const ZydisDecodedInstruction *instruction);
/* The function is over; jumps: something in it jumps to where cannot be seen. */
void tails_end(struct site *sites, uint32_t count, bool jumps);

#endif
