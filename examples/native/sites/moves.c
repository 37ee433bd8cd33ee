/* Plain instructions that access memory: loads, stores, calculations with an operand in memory,
 * calls through a pointer, string instructions. What a thread does on its own stack implicitly
 * (push, call, return) is no access, and neither is what it does in its own block of thread-local
 * variables. Where the address is that of a constant of the module there is nothing to watch. */
#include "moves.h"

#include <string.h>

enum { SIZE_MAX_BYTES = 64, STACK_POINTER = 4, LOW_PARTS = 16 };

bool may_be_move(const ZydisDecodedInstruction *instruction) {
  const bool modrm = (instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0;
  const unsigned char opcode = instruction->opcode;
  if (modrm) return instruction->raw.modrm.mod != 3;
  return instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
         ((opcode >= 0xa0 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf));
}

/* Nothing is read, or only brought nearer. */
static bool is_hint(const ZydisDecodedInstruction *instruction) {
  switch (instruction->meta.category) {
  case ZYDIS_CATEGORY_NOP:
  case ZYDIS_CATEGORY_WIDENOP:
  case ZYDIS_CATEGORY_PREFETCH:
  case ZYDIS_CATEGORY_PREFETCHWT1:
    return true;
  default:
    return instruction->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
           instruction->mnemonic == ZYDIS_MNEMONIC_CLFLUSHOPT ||
           instruction->mnemonic == ZYDIS_MNEMONIC_CLWB ||
           instruction->mnemonic == ZYDIS_MNEMONIC_CLDEMOTE;
  }
}

/* The lower part of a vector register is stored as it is. */
static bool stores_vector(const ZydisDecodedInstruction *instruction) {
  switch (instruction->mnemonic) {
  case ZYDIS_MNEMONIC_MOVD:
  case ZYDIS_MNEMONIC_MOVQ:
  case ZYDIS_MNEMONIC_MOVSS:
  case ZYDIS_MNEMONIC_MOVSD:
  case ZYDIS_MNEMONIC_MOVLPS:
  case ZYDIS_MNEMONIC_MOVLPD:
  case ZYDIS_MNEMONIC_VMOVD:
  case ZYDIS_MNEMONIC_VMOVQ:
  case ZYDIS_MNEMONIC_VMOVSS:
  case ZYDIS_MNEMONIC_VMOVSD:
  case ZYDIS_MNEMONIC_VMOVLPS:
  case ZYDIS_MNEMONIC_VMOVLPD:
    return true;
  default:
    return false;
  }
}

static bool is_general(const ZydisDecodedOperand *operand) {
  if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return true;
  if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
  switch (ZydisRegisterGetClass(operand->reg.value)) {
  case ZYDIS_REGCLASS_GPR8:
  case ZYDIS_REGCLASS_GPR16:
  case ZYDIS_REGCLASS_GPR32:
  case ZYDIS_REGCLASS_GPR64:
    return true;
  default:
    return false;
  }
}

static bool is_low_vector(const ZydisDecodedOperand *operand) {
  return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_XMM &&
         ZydisRegisterGetId(operand->reg.value) < LOW_PARTS;
}

/* The register that becomes what was read, and has nothing of its old value afterwards. */
static bool overwrites(const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *other) {
  switch (instruction->mnemonic) {
  case ZYDIS_MNEMONIC_MOV:
  case ZYDIS_MNEMONIC_MOVZX:
  case ZYDIS_MNEMONIC_MOVSX:
  case ZYDIS_MNEMONIC_MOVSXD:
    return is_general(other) && other->size >= 32;
  default:
    return false;
  }
}

/* What it does with its word, beyond reading and writing. */
static void describe_kind(const ZydisDecodedInstruction *instruction,
                          const ZydisDecodedOperand *other, struct site *site) {
  const uint8_t both = SITE_READS | SITE_WRITES, how = site->flags & both;
  const int locked = describe_kind_of(instruction->mnemonic);
  site->kind = how == SITE_READS ? SITE_LOAD : SITE_OTHER;
  if (how == SITE_READS && other != NULL && overwrites(instruction, other))
    describe_operand(other, site);
  if (how == SITE_WRITES && other != NULL && instruction->mnemonic == ZYDIS_MNEMONIC_MOV &&
      is_general(other)) {
    site->kind = SITE_STORE;
    describe_operand(other, site);
  } else if (how == SITE_WRITES && other != NULL && stores_vector(instruction) &&
             is_low_vector(other)) {
    site->kind = SITE_STORE;
    site->flags |= SITE_VECTOR;
    site->operand = (uint8_t)ZydisRegisterGetId(other->reg.value);
  } else if (how == both && locked >= SITE_ADD && locked <= SITE_BTC &&
             (other == NULL || is_general(other))) {
    site->kind = (uint8_t)locked;
    if (other != NULL) describe_operand(other, site);
  }
}

static enum described describe_string(const ZydisDecodedInstruction *instruction,
                                      struct site *site) {
  site->kind = SITE_STRING;
  site->base = site->index = site->operand = SITE_NONE;
  site->size = (uint8_t)(instruction->operand_width / 8);
  switch (instruction->opcode & 0xfe) {
  case 0xa4:
    site->flags = SITE_READS | SITE_WRITES;
    break;
  case 0xaa:
    site->flags = SITE_WRITES;
    break;
  default: /* comparisons end early, and loads one by one are hardly used */
    return DESCRIBED_STRANGE;
  }
  if ((instruction->opcode & 1) == 0) site->size = 1;
  site->flags |= SITE_MOVE;
  if ((instruction->attributes & ZYDIS_ATTRIB_HAS_REP) != 0) site->flags |= SITE_REPEATED;
  return instruction->address_width == 64 ? DESCRIBED_SITE : DESCRIBED_STRANGE;
}

static bool is_constant(const struct image *image, uint64_t address, const struct site *site) {
  uint64_t target = (uint64_t)(int64_t)site->displacement;
  if (site->index != SITE_NONE) return false;
  if (site->base == SITE_RIP)
    target += address + site->length;
  else if (site->base != SITE_NONE)
    return false;
  return image_constant(image, target);
}

/* The number of the bit is in a register, and decides which word it is. */
static bool is_far_bit(const ZydisDecodedInstruction *instruction,
                       const ZydisDecodedOperand *other) {
  switch (instruction->mnemonic) {
  case ZYDIS_MNEMONIC_BT:
  case ZYDIS_MNEMONIC_BTS:
  case ZYDIS_MNEMONIC_BTR:
  case ZYDIS_MNEMONIC_BTC:
    return other != NULL && other->type == ZYDIS_OPERAND_TYPE_REGISTER;
  default:
    return false;
  }
}

enum described describe_move(const ZydisDecoder *decoder, const struct image *image,
                             const unsigned char *bytes, uint64_t room, uint64_t address,
                             struct site *site) {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, bytes, room, &instruction, operands)) ||
      is_hint(&instruction) || instruction.length > SITE_LENGTH_MAX)
    return DESCRIBED_OTHER;
  *site = (struct site){.length = instruction.length, .operand = SITE_NONE, .flags = SITE_MOVE};
  memcpy(site->bytes, bytes, instruction.length);
  if ((instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) == 0)
    return describe_string(&instruction, site);
  const ZydisDecodedOperand *memory = NULL, *other = NULL;
  for (unsigned i = 0; i < instruction.operand_count_visible; i++) {
    if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
      memory = &operands[i];
    else
      other = &operands[i];
  }
  if (memory == NULL || memory->mem.type == ZYDIS_MEMOP_TYPE_AGEN) return DESCRIBED_OTHER;
  const bool usual = describe_address(&instruction, memory, site);
  if (memory->mem.segment == ZYDIS_REGISTER_FS) return DESCRIBED_OTHER;
  site->flags = SITE_MOVE;
  if ((memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) site->flags |= SITE_READS;
  if ((memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) site->flags |= SITE_WRITES;
  const bool call = instruction.meta.category == ZYDIS_CATEGORY_CALL;
  if (is_constant(image, address, site)) return DESCRIBED_OTHER;
  if (!usual || memory->mem.type != ZYDIS_MEMOP_TYPE_MEM || memory->size % 8 != 0 ||
      memory->size == 0 || memory->size / 8 > SIZE_MAX_BYTES || instruction.operand_count == 0 ||
      (site->flags & (SITE_READS | SITE_WRITES)) == 0)
    return DESCRIBED_STRANGE;
  if (is_far_bit(&instruction, other)) return DESCRIBED_STRANGE;
  if (site->base == STACK_POINTER && instruction.mnemonic == ZYDIS_MNEMONIC_POP)
    return DESCRIBED_STRANGE;
  site->size = (uint8_t)(memory->size / 8);
  describe_kind(&instruction, other, site);
  if (call) site->flags |= SITE_CALL;
  return DESCRIBED_SITE;
}
