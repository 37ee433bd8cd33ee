/* What a locked instruction does, and where: the fields of its row, from the disassembler's
 * description of its operands. */
#include "describe.h"

#include <stdbool.h>
#include <string.h>

enum { LOCK = 0xf0, EXCHANGE_BYTE = 0x86, EXCHANGE = 0x87, REGISTER_FORM = 0xc0 };

static const struct {
  ZydisMnemonic mnemonic;
  enum site_kind kind;
} kinds[] = {
#define KIND(name, text) {ZYDIS_MNEMONIC_##name, SITE_##name},
    SITE_LOCKED_TABLE(KIND)
#undef KIND
};

static bool is_prefix(unsigned char byte) {
  return byte == LOCK || byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
         byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
         byte == 0x65;
}

/* An exchange with memory is always locked. */
int may_be_site(const unsigned char *bytes, uint64_t room) {
  uint64_t at = 0;
  while (at < room && is_prefix(bytes[at]))
    if (bytes[at++] == LOCK) return true;
  if (at < room && (bytes[at] & 0xf0) == 0x40) at++;
  return at + 1 < room && (bytes[at] == EXCHANGE || bytes[at] == EXCHANGE_BYTE) &&
         bytes[at + 1] < REGISTER_FORM;
}

int describe_kind_of(ZydisMnemonic mnemonic) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (kinds[i].mnemonic == mnemonic) return kinds[i].kind;
  return SITE_KINDS;
}

static uint8_t register_number(ZydisRegister r) {
  const int id = ZydisRegisterGetId(r);
  if (r == ZYDIS_REGISTER_NONE) return SITE_NONE;
  if (r == ZYDIS_REGISTER_RIP) return SITE_RIP;
  if (ZydisRegisterGetClass(r) != ZYDIS_REGCLASS_GPR8) return (uint8_t)id;
  if (id < 4) return (uint8_t)id; /* al cl dl bl ah ch dh bh spl bpl sil dil r8b … */
  return (uint8_t)(id < 8 ? id - 4 + SITE_HIGH_BYTE : id - 4);
}

bool describe_address(const ZydisDecodedInstruction *instruction, const ZydisDecodedOperand *memory,
                      struct site *site) {
  const ZydisRegister segment = memory->mem.segment;
  site->base = register_number(memory->mem.base);
  site->index = register_number(memory->mem.index);
  site->scale = memory->mem.scale;
  site->displacement = (int32_t)memory->mem.disp.value;
  site->displacement_at = site->base == SITE_RIP ? instruction->raw.disp.offset : 0;
  site->flags = segment == ZYDIS_REGISTER_FS ? SITE_THREAD_BLOCK : 0;
  return instruction->address_width == 64 && segment != ZYDIS_REGISTER_GS &&
         (site->base != SITE_RIP || instruction->raw.disp.size == 32);
}

void describe_operand(const ZydisDecodedOperand *operand, struct site *site) {
  if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
    site->operand = register_number(operand->reg.value);
  } else {
    site->operand = SITE_NONE;
    site->immediate = (int32_t)operand->imm.value.s;
  }
}

/* What changes nothing at the top of the stack only orders the accesses around it. */
static bool is_fence(const struct site *site) {
  if (site->base != 4 || site->operand != SITE_NONE) return false;
  if (site->kind == SITE_AND) return site->immediate == -1;
  return site->immediate == 0 && (site->kind == SITE_OR || site->kind == SITE_ADD ||
                                  site->kind == SITE_SUB || site->kind == SITE_XOR);
}

enum described describe(const ZydisDecoder *decoder, const unsigned char *bytes, uint64_t room,
                        struct site *site) {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, room, &instruction, operands)))
    return DESCRIBED_OTHER;
  const ZydisDecodedOperand *memory = NULL, *other = NULL;
  for (unsigned i = 0; i < instruction.operand_count; i++) {
    if (operands[i].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) continue;
    if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
      memory = &operands[i];
    else
      other = &operands[i];
  }
  if (memory == NULL) return DESCRIBED_OTHER;
  const int kind = describe_kind_of(instruction.mnemonic);
  *site = (struct site){.kind = (uint8_t)kind,
                        .length = instruction.length,
                        .size = (uint8_t)(memory->size / 8),
                        .operand = SITE_NONE};
  if (kind == SITE_KINDS || instruction.length > SITE_LENGTH_MAX) return DESCRIBED_STRANGE;
  memcpy(site->bytes, bytes, instruction.length);
  bool usual = describe_address(&instruction, memory, site);
  if (other != NULL) describe_operand(other, site);
  if (is_fence(site)) return DESCRIBED_OTHER;
  return usual ? DESCRIBED_SITE : DESCRIBED_STRANGE;
}
