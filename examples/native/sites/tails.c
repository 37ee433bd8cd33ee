/* An instruction that is shorter than a jump needs room for one where no trampoline is near: a
 * breakpoint in its place costs a signal each time, and a debugger would stop at it. The
 * instructions behind it can make that room if nothing jumps to them, or returns; they are then
 * performed elsewhere. */
#include "tails.h"

enum { SHORT_SIZE = 2, BRANCH_SIZE = 6, RIP_ALONE = 5, INDIRECT = 0xff };

static bool is_relative_to_rip(const ZydisDecodedInstruction *i) {
  return i->raw.modrm.offset != 0 && i->raw.modrm.mod == 0 && i->raw.modrm.rm == RIP_ALONE;
}

/* The digit in the operand byte of calls and jumps through registers and memory. */
static int indirect(const ZydisDecodedInstruction *i) {
  const bool is = i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && i->opcode == INDIRECT;
  return is ? i->raw.modrm.reg : 0;
}

bool tails_jumps(const ZydisDecodedInstruction *i) {
  return (indirect(i) == 4 || indirect(i) == 5) && !is_relative_to_rip(i);
}

static enum site_tail tail_of(const ZydisDecodedInstruction *i) {
  const bool first = i->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
  if (i->raw.imm[0].is_relative) {
    const bool jump_short = (i->opcode >= 0x70 && i->opcode <= 0x7f) || i->opcode == 0xeb;
    const bool branch = i->opcode >= 0x80 && i->opcode <= 0x8f;
    if (first && jump_short && i->length == SHORT_SIZE) return SITE_TAIL_SHORT;
    if (first && i->opcode == 0xe9 && i->length == SITE_JUMP_SIZE) return SITE_TAIL_JUMP;
    return i->opcode_map == ZYDIS_OPCODE_MAP_0F && branch && i->length == BRANCH_SIZE
               ? SITE_TAIL_BRANCH
               : SITE_TAIL_FIXED;
  }
  const bool call = indirect(i) == 2 || indirect(i) == 3;
  return call || is_relative_to_rip(i) || i->mnemonic == ZYDIS_MNEMONIC_SYSCALL ? SITE_TAIL_FIXED
                                                                                : SITE_TAIL_PLAIN;
}

void tails_follow(struct site *sites, uint32_t count, const ZydisDecodedInstruction *instruction,
                  uint64_t at) {
  for (uint32_t i = count; i-- > 0 && sites[i].offset + 2 * SITE_TAIL_MAX > at;) {
    struct site *s = &sites[i];
    const unsigned covered = s->length + s->tail_size;
    const bool open = s->tail == SITE_TAIL_NONE || s->tail == SITE_TAIL_PLAIN;
    if (s->offset + covered != at || covered >= SITE_JUMP_SIZE || !open) continue;
    s->tail = (uint8_t)tail_of(instruction);
    s->tail_size = (uint8_t)(s->tail_size + instruction->length);
  }
}

void tails_end(struct site *sites, uint32_t count, bool jumps) {
  for (uint32_t i = 0; i < count; i++) {
    struct site *s = &sites[i];
    const bool enough = s->length + s->tail_size >= SITE_JUMP_SIZE && s->tail_size > 0;
    const bool returns = (s->flags & SITE_CALL) != 0; /* to what follows */
    if (enough && !jumps && !returns && s->tail_size <= SITE_TAIL_MAX) continue;
    s->tail = SITE_TAIL_NONE;
    s->tail_size = 0;
  }
}
