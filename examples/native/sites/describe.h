/* One instruction. */
#ifndef NATIVE_SITES_DESCRIBE_H
#define NATIVE_SITES_DESCRIBE_H

#include <Zydis/Zydis.h>

#include <stdbool.h>

#include "table.h"

enum described {
  DESCRIBED_OTHER,   /* it does not read and write memory in one step, or only orders others */
  DESCRIBED_STRANGE, /* it does, in a form that is not known here */
  DESCRIBED_SITE
};

/* Whether it may be a site, from its first bytes alone: almost none pass. */
int may_be_site(const unsigned char *bytes, uint64_t room);
/* Fills in all of *site but its offset. */
enum described describe(const ZydisDecoder *decoder, const unsigned char *bytes, uint64_t room,
                        struct site *site);

/* ---- parts of it ---- */

/* SITE_KINDS: no instruction that is locked. */
int describe_kind_of(ZydisMnemonic mnemonic);
/* False: an address that is not made as usual. */
bool describe_address(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *memory,
                      struct site *site);
void describe_operand(const ZydisDecodedOperand *operand, struct site *site);

#endif
