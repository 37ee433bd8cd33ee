/* Instructions that access memory, or compute addresses. */
#include "translate_memory.h"

#include <stdlib.h>

#include "body.h"
#include "translate_types.h"
#include "translate_wide.h"

/* The address of a part of what stands at an address. */
static uint32_t address_at(struct body *b, LLVMValueRef base, uint64_t offset) {
  const uint32_t to = body_fresh(b);
  body_begin(b, CODE_ADDRESS, 64, to);
  body_value(b, base, 0);
  body_of_number(b, (int64_t)offset);
  body_number(b, 1);
  return to;
}

static LLVMValueRef only_user(LLVMValueRef value, LLVMOpcode opcode) {
  LLVMUseRef use = LLVMGetFirstUse(value);
  if (use == NULL || LLVMGetNextUse(use) != NULL) return NULL;
  LLVMValueRef user = LLVMGetUser(use);
  return LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == opcode ? user : NULL;
}

/* A load of what is stored there again, with some bits changed: those of a bit-field. */
static bool changes_bits(LLVMValueRef load) {
  LLVMValueRef kept = only_user(load, LLVMAnd);
  LLVMValueRef all = kept != NULL ? only_user(kept, LLVMOr) : NULL;
  LLVMValueRef store = all != NULL ? only_user(all, LLVMStore) : NULL;
  return store != NULL && LLVMGetOperand(store, 1) == LLVMGetOperand(load, 0);
}

/* A load of what is only handed on, as a structure is that fits into registers. */
static bool hands_on(LLVMValueRef load) {
  for (LLVMUseRef use = LLVMGetFirstUse(load); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
    if (opcode != LLVMCall && opcode != LLVMRet && opcode != LLVMInsertValue &&
        (opcode != LLVMStore || LLVMGetOperand(user, 0) != load))
      return false;
  }
  return true;
}

static bool has_part_bytes(const struct leaves *leaves) {
  for (size_t n = 0; n < leaves->count; n++)
    if (leaves->items[n].width % 8 != 0) return true;
  return false;
}

static void access_plainly(struct body *b, LLVMValueRef i, LLVMValueRef what, LLVMValueRef address,
                           bool stores) {
  struct leaves leaves = {0};
  if (body_list(b, what, &leaves))
    b->failed |= is_vector(LLVMTypeOf(what)) && has_part_bytes(&leaves);
  const bool bits = !stores && changes_bits(i), partly = bits || (!stores && hands_on(i));
  for (uint32_t n = 0; !b->failed && n < leaves.count; n++) {
    const bool begins = leaves.items[n].offset == 0;
    const uint32_t place = begins ? 0 : address_at(b, address, leaves.items[n].offset);
    body_begin(b,
               stores   ? CODE_STORE
               : partly ? CODE_LOAD_PART
                        : CODE_LOAD,
               leaves.items[n].width, stores ? 0 : body_register(b, i) + n);
    if (stores) body_value(b, what, n);
    if (begins)
      body_value(b, address, 0);
    else
      body_of_register(b, place);
    if (partly) body_number(b, bits);
  }
  free(leaves.items);
}

/* Of the instruction that was begun. */
static void set_order(struct body *b, LLVMAtomicOrdering order) {
  if (!b->failed && order != LLVMAtomicOrderingSequentiallyConsistent)
    b->items[b->count - 1].weaker = true;
}

static void both_parts(struct body *b, LLVMValueRef value) {
  body_value(b, value, 0);
  body_value(b, value, 1);
}

/* Of 128 bits, by the library (library/atomics.c). */
static bool is_wide_atomic(struct body *b, LLVMTypeRef type) {
  b->failed |= is_wide(type) && LLVMGetIntTypeWidth(type) != 128;
  return is_wide(type);
}

static void access_atomically(struct body *b, LLVMValueRef i, LLVMValueRef what,
                              LLVMValueRef address, bool stores) {
  if (is_wide_atomic(b, LLVMTypeOf(what))) {
    body_helper(b, stores ? "__unfold_wide_store" : "__unfold_wide_load",
                stores ? 0 : body_register(b, i), stores ? 0 : 2);
    if (stores) both_parts(b, what);
    body_value(b, address, 0);
    set_order(b, LLVMGetOrdering(i));
    return;
  }
  body_begin(b, stores ? CODE_ATOMIC_STORE : CODE_ATOMIC_LOAD, body_width(b, what),
             stores ? 0 : body_register(b, i));
  if (stores) body_value(b, what, 0);
  body_value(b, address, 0);
  set_order(b, LLVMGetOrdering(i));
}

void memory_access(struct body *b, LLVMValueRef i) {
  const bool stores = LLVMGetInstructionOpcode(i) == LLVMStore;
  LLVMValueRef what = stores ? LLVMGetOperand(i, 0) : i;
  LLVMValueRef address = LLVMGetOperand(i, stores ? 1 : 0);
  if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
    access_atomically(b, i, what, address, stores);
  else
    access_plainly(b, i, what, address, stores);
}

void memory_update(struct body *b, LLVMValueRef i) {
  static const struct {
    bool is;
    enum update update;
  } table[] = {[LLVMAtomicRMWBinOpXchg] = {true, UPDATE_EXCHANGE},
               [LLVMAtomicRMWBinOpAdd] = {true, UPDATE_ADD},
               [LLVMAtomicRMWBinOpSub] = {true, UPDATE_SUBTRACT},
               [LLVMAtomicRMWBinOpAnd] = {true, UPDATE_AND},
               [LLVMAtomicRMWBinOpNand] = {true, UPDATE_NAND},
               [LLVMAtomicRMWBinOpOr] = {true, UPDATE_OR},
               [LLVMAtomicRMWBinOpXor] = {true, UPDATE_XOR},
               [LLVMAtomicRMWBinOpMax] = {true, UPDATE_MOST},
               [LLVMAtomicRMWBinOpMin] = {true, UPDATE_LEAST},
               [LLVMAtomicRMWBinOpUMax] = {true, UPDATE_MOST_UNSIGNED},
               [LLVMAtomicRMWBinOpUMin] = {true, UPDATE_LEAST_UNSIGNED}};
  const LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(i);
  const bool known = operation < sizeof table / sizeof *table && table[operation].is;
  const bool wide = is_wide(LLVMTypeOf(i));
  b->failed |= !known || (wide && table[operation].update >= UPDATE_MOST);
  if (is_wide_atomic(b, LLVMTypeOf(i))) {
    body_helper(b, "__unfold_wide_update", body_register(b, i), 2);
    body_value(b, LLVMGetOperand(i, 0), 0);
    both_parts(b, LLVMGetOperand(i, 1));
    body_of_number(b, known ? table[operation].update : 0);
    set_order(b, LLVMGetOrdering(i));
    return;
  }
  body_begin(b, CODE_ATOMIC_UPDATE, body_width(b, i), body_register(b, i));
  body_value(b, LLVMGetOperand(i, 0), 0);
  body_value(b, LLVMGetOperand(i, 1), 0);
  body_number(b, known ? table[operation].update : 0);
  set_order(b, LLVMGetOrdering(i));
}

static void exchange_wide(struct body *b, LLVMValueRef i) {
  LLVMValueRef expected = LLVMGetOperand(i, 1);
  const uint32_t to = body_register(b, i), low = body_fresh(b), high = body_fresh(b);
  body_helper(b, "__unfold_wide_compare", to, 2);
  body_value(b, LLVMGetOperand(i, 0), 0);
  both_parts(b, expected);
  both_parts(b, LLVMGetOperand(i, 2));
  set_order(b, LLVMGetCmpXchgSuccessOrdering(i));
  set_order(b, LLVMGetCmpXchgFailureOrdering(i));
  for (uint32_t part = 0; part < 2; part++) {
    body_begin(b, CODE_COMPARE, 64, part == 0 ? low : high);
    body_of_register(b, to + part);
    body_value(b, expected, part);
    body_number(b, COMPARE_EQUAL);
  }
  body_begin(b, CODE_AND, 1, to + 2);
  body_of_register(b, low);
  body_of_register(b, high);
}

void memory_exchange(struct body *b, LLVMValueRef i) {
  if (is_wide_atomic(b, LLVMTypeOf(LLVMGetOperand(i, 1)))) {
    exchange_wide(b, i);
    return;
  }
  body_begin(b, CODE_COMPARE_EXCHANGE, body_width(b, LLVMGetOperand(i, 1)), body_register(b, i));
  for (unsigned n = 0; n < 3; n++)
    body_value(b, LLVMGetOperand(i, n), 0);
  set_order(b, LLVMGetCmpXchgSuccessOrdering(i));
  set_order(b, LLVMGetCmpXchgFailureOrdering(i));
}

/* What a variable is called: a text. */
static uint32_t name_of(const struct body *b, LLVMValueRef variable) {
  const uint32_t name = map_get(&b->names, (uint64_t)(uintptr_t)variable, 0, 0);
  return name != UINT32_MAX ? name : b->no_name;
}

void memory_allocate(struct body *b, LLVMValueRef i) {
  body_begin(b, CODE_ALLOCATE, 64, body_register(b, i));
  body_value(b, LLVMGetOperand(i, 0), 0);
  body_number(b, LLVMABISizeOfType(b->t->layout, LLVMGetAllocatedType(i)));
  body_number(b, LLVMGetAlignment(i) > 0 ? LLVMGetAlignment(i) : 1);
  body_number(b, name_of(b, i));
}

/* Adds an index, so many bytes each, to an address; the last one writes the result. */
static void add_index(struct body *b, uint32_t *at, LLVMValueRef base, LLVMValueRef index,
                      uint64_t offset, uint64_t scale) {
  const uint32_t to = body_fresh(b);
  body_begin(b, CODE_ADDRESS, 64, to);
  if (base != NULL)
    body_value(b, base, 0);
  else
    body_of_register(b, *at);
  if (index != NULL)
    body_value(b, index, 0);
  else
    body_of_number(b, (int64_t)offset);
  body_number(b, scale);
  b->failed |= scale > UINT32_MAX || (index != NULL && body_width(b, index) != 64 && scale == 0);
  *at = to;
}

void memory_element(struct body *b, LLVMValueRef i) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
  LLVMValueRef base = LLVMGetOperand(i, 0);
  uint32_t at = 0;
  b->failed |= is_vector(LLVMTypeOf(i));
  for (int n = 1; n < LLVMGetNumOperands(i); n++) {
    LLVMValueRef index = LLVMGetOperand(i, (unsigned)n);
    if (n > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      const uint32_t field = (uint32_t)LLVMConstIntGetZExtValue(index);
      const uint64_t offset = element_offset(b->t, type, field);
      type = element_type(type, field);
      add_index(b, &at, base, NULL, offset, 1);
    } else {
      if (n > 1) {
        b->failed |= LLVMGetTypeKind(type) != LLVMArrayTypeKind && !is_vector(type);
        if (b->failed) return;
        type = LLVMGetElementType(type);
      }
      add_index(b, &at, base, index, 0, LLVMABISizeOfType(b->t->layout, type));
    }
    base = NULL;
  }
  body_begin(b, CODE_MOVE, 64, 0);
  if (base != NULL)
    body_value(b, base, 0);
  else
    body_of_register(b, at);
  body_number(b, body_register(b, i));
}
