/* Accesses to memory that are not locked. */
#ifndef NATIVE_SITES_MOVES_H
#define NATIVE_SITES_MOVES_H

#include <stdbool.h>

#include "describe.h"
#include "image.h"

/* Whether it may be one, from its first bytes alone, and what the quick decoder says. */
bool may_be_move(const ZydisDecodedInstruction *instruction);
/* As describe(), for an instruction at an address; what reads constants of the module is none. */
enum described describe_move(const ZydisDecoder *decoder, const struct image *image,
                             const unsigned char *bytes, uint64_t room, uint64_t address,
                             struct site *site);

#endif
