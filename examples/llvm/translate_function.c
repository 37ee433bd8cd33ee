/*
 * A function, instruction by instruction. What has no counterpart in the compact form becomes an
 * instruction REFUSED with a text, so that a program is refused only where it comes there. On an
 * edge to a block that begins with phis these become one move, behind the function's instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "translate.h"

struct pending {
  uint8_t kind, width;
  bool no_overflow;
  uint32_t result, values, numbers, file, line;
  size_t first; /* in words: values as in the file, then numbers */
};

struct edge {
  LLVMBasicBlockRef from, to;
};

struct body {
  struct translation *t;
  struct map registers, blocks; /* by handle; a block's number is its label */
  uint32_t register_count;
  struct pending *items;
  size_t count, room;
  uint64_t *words;
  size_t word_count, word_room;
  size_t *labels; /* the instruction there */
  size_t label_count, label_room;
  struct edge *edges; /* their labels are those behind the blocks' */
  size_t edge_count, edge_room;
  uint32_t block_count, file, line;
  bool failed; /* the instruction at hand has no counterpart */
};

static void begin(struct body *b, enum instruction_kind kind, unsigned width, uint32_t result) {
  b->items = grow(b->items, b->count + 1, &b->room, sizeof *b->items);
  b->items[b->count++] = (struct pending){.kind = (uint8_t)kind,
                                          .width = (uint8_t)width,
                                          .result = result,
                                          .file = b->file,
                                          .line = b->line,
                                          .first = b->word_count};
  b->failed |= width == 0 || width > 64;
}

static void push(struct body *b, uint64_t word) {
  b->words = grow(b->words, b->word_count + 1, &b->word_room, sizeof *b->words);
  b->words[b->word_count++] = word;
}

static void number(struct body *b, uint64_t value) {
  push(b, value);
  b->items[b->count - 1].numbers++;
}

static void value_number(struct body *b, int64_t value) {
  push(b, (uint64_t)constant_number(b->t, CONSTANT_NUMBER, value, 0) << 1 | 1);
  b->items[b->count - 1].values++;
}

static void value_register(struct body *b, uint32_t number) {
  push(b, (uint64_t)number << 1);
  b->items[b->count - 1].values++;
}

static uint32_t register_of(struct body *b, LLVMValueRef value) {
  const uint32_t first = map_get(&b->registers, (uint64_t)(uintptr_t)value, 0, 0);
  b->failed |= first == UINT32_MAX;
  return first == UINT32_MAX ? 0 : first;
}

/* A part of a value of the bitcode. */
static void value(struct body *b, LLVMValueRef value, uint32_t leaf) {
  struct constant constant;
  if (!LLVMIsConstant(value)) {
    value_register(b, register_of(b, value) + leaf);
    return;
  }
  const bool found = find_constant(b->t, value, leaf, &constant);
  b->failed |= !found;
  if (!found) constant = (struct constant){CONSTANT_NUMBER, 0, 0};
  push(b, (uint64_t)constant_number(b->t, constant.kind, constant.value, constant.index) << 1 | 1);
  b->items[b->count - 1].values++;
}

/* The width of a value of one part; 0: it has another type. */
static unsigned width_of(struct body *b, LLVMValueRef value) {
  struct leaves leaves = {0};
  unsigned width = 0;
  if (list_leaves(b->t, LLVMTypeOf(value), 0, &leaves) && leaves.count == 1)
    width = leaves.items[0].width;
  free(leaves.items);
  return width;
}

static void two(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  begin(b, kind, width_of(b, i), register_of(b, i));
  value(b, LLVMGetOperand(i, 0), 0);
  value(b, LLVMGetOperand(i, 1), 0);
}

static void convert(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  const unsigned from = width_of(b, LLVMGetOperand(i, 0));
  b->failed |= from == 0;
  begin(b, kind, width_of(b, i), register_of(b, i));
  value(b, LLVMGetOperand(i, 0), 0);
  number(b, from);
}

/* All parts of a value to the registers of an instruction. */
static void move_all(struct body *b, LLVMValueRef i, LLVMValueRef from) {
  const uint32_t count = leaf_count(b->t, LLVMTypeOf(i)), first = register_of(b, i);
  begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    value(b, from, n);
  for (uint32_t n = 0; n < count; n++)
    number(b, first + n);
}

/* ---- comparisons ---- */

static void compare(struct body *b, LLVMValueRef i) {
  static const struct {
    enum comparison comparison;
    bool swapped;
  } table[] = {
      [LLVMIntEQ] = {COMPARE_EQUAL, false},  [LLVMIntNE] = {COMPARE_UNEQUAL, false},
      [LLVMIntUGT] = {COMPARE_BELOW, true},  [LLVMIntUGE] = {COMPARE_AT_MOST_UNSIGNED, true},
      [LLVMIntULT] = {COMPARE_BELOW, false}, [LLVMIntULE] = {COMPARE_AT_MOST_UNSIGNED, false},
      [LLVMIntSGT] = {COMPARE_LESS, true},   [LLVMIntSGE] = {COMPARE_AT_MOST, true},
      [LLVMIntSLT] = {COMPARE_LESS, false},  [LLVMIntSLE] = {COMPARE_AT_MOST, false}};
  const LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
  const bool swapped = table[predicate].swapped;
  begin(b, CODE_COMPARE, width_of(b, LLVMGetOperand(i, 0)), register_of(b, i));
  value(b, LLVMGetOperand(i, swapped ? 1 : 0), 0);
  value(b, LLVMGetOperand(i, swapped ? 0 : 1), 0);
  number(b, table[predicate].comparison);
}

static void compare_floats(struct body *b, LLVMValueRef i) {
  enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
  static const uint8_t sets[] = {[LLVMRealPredicateFalse] = 0,
                                 [LLVMRealOEQ] = EQUAL,
                                 [LLVMRealOGT] = GREATER,
                                 [LLVMRealOGE] = GREATER | EQUAL,
                                 [LLVMRealOLT] = LESS,
                                 [LLVMRealOLE] = LESS | EQUAL,
                                 [LLVMRealONE] = LESS | GREATER,
                                 [LLVMRealORD] = LESS | EQUAL | GREATER,
                                 [LLVMRealUNO] = UNORDERED,
                                 [LLVMRealUEQ] = UNORDERED | EQUAL,
                                 [LLVMRealUGT] = UNORDERED | GREATER,
                                 [LLVMRealUGE] = UNORDERED | GREATER | EQUAL,
                                 [LLVMRealULT] = UNORDERED | LESS,
                                 [LLVMRealULE] = UNORDERED | LESS | EQUAL,
                                 [LLVMRealUNE] = UNORDERED | LESS | GREATER,
                                 [LLVMRealPredicateTrue] = LESS | EQUAL | GREATER | UNORDERED};
  begin(b, CODE_FLOAT_COMPARE, width_of(b, LLVMGetOperand(i, 0)), register_of(b, i));
  value(b, LLVMGetOperand(i, 0), 0);
  value(b, LLVMGetOperand(i, 1), 0);
  number(b, sets[LLVMGetFCmpPredicate(i)]);
}

/* ---- memory ---- */

/* Registers of its own for what one instruction becomes that needs several. */
static uint32_t fresh(struct body *b) {
  return b->register_count++;
}

/* The address of a part of what stands at an address. */
static uint32_t address_at(struct body *b, LLVMValueRef base, uint64_t offset) {
  const uint32_t to = fresh(b);
  begin(b, CODE_ADDRESS, 64, to);
  value(b, base, 0);
  value_number(b, (int64_t)offset);
  number(b, 1);
  return to;
}

static void load_or_store(struct body *b, LLVMValueRef i, LLVMValueRef what, LLVMValueRef address,
                          bool stores) {
  struct leaves leaves = {0};
  b->failed |= !list_leaves(b->t, LLVMTypeOf(what), 0, &leaves) || leaves.count == 0;
  for (uint32_t n = 0; !b->failed && n < leaves.count; n++) {
    const bool begins = leaves.items[n].offset == 0;
    const uint32_t place = begins ? 0 : address_at(b, address, leaves.items[n].offset);
    begin(b, stores ? CODE_STORE : CODE_LOAD, leaves.items[n].width,
          stores ? 0 : register_of(b, i) + n);
    if (stores) value(b, what, n);
    if (begins)
      value(b, address, 0);
    else
      value_register(b, place);
  }
  free(leaves.items);
}

static void access_atomically(struct body *b, LLVMValueRef i, LLVMValueRef what,
                              LLVMValueRef address, bool stores) {
  begin(b, stores ? CODE_ATOMIC_STORE : CODE_ATOMIC_LOAD, width_of(b, what),
        stores ? 0 : register_of(b, i));
  if (stores) value(b, what, 0);
  value(b, address, 0);
}

static bool is_atomic(LLVMValueRef i) {
  return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
}

static void update(struct body *b, LLVMValueRef i) {
  static const struct {
    bool is;
    enum update update;
  } table[] = {[LLVMAtomicRMWBinOpXchg] = {true, UPDATE_EXCHANGE},
               [LLVMAtomicRMWBinOpAdd] = {true, UPDATE_ADD},
               [LLVMAtomicRMWBinOpSub] = {true, UPDATE_SUBTRACT},
               [LLVMAtomicRMWBinOpAnd] = {true, UPDATE_AND},
               [LLVMAtomicRMWBinOpNand] = {true, UPDATE_NAND},
               [LLVMAtomicRMWBinOpOr] = {true, UPDATE_OR},
               [LLVMAtomicRMWBinOpXor] = {true, UPDATE_XOR}};
  const LLVMAtomicRMWBinOp operation = LLVMGetAtomicRMWBinOp(i);
  const bool known = operation < sizeof table / sizeof *table && table[operation].is;
  b->failed |= !known;
  begin(b, CODE_ATOMIC_UPDATE, width_of(b, i), register_of(b, i));
  value(b, LLVMGetOperand(i, 0), 0);
  value(b, LLVMGetOperand(i, 1), 0);
  number(b, known ? table[operation].update : 0);
}

static void compare_exchange(struct body *b, LLVMValueRef i) {
  begin(b, CODE_COMPARE_EXCHANGE, width_of(b, LLVMGetOperand(i, 1)), register_of(b, i));
  for (unsigned n = 0; n < 3; n++)
    value(b, LLVMGetOperand(i, n), 0);
}

static void allocate(struct body *b, LLVMValueRef i) {
  begin(b, CODE_ALLOCATE, 64, register_of(b, i));
  value(b, LLVMGetOperand(i, 0), 0);
  number(b, LLVMABISizeOfType(b->t->layout, LLVMGetAllocatedType(i)));
  number(b, LLVMGetAlignment(i) > 0 ? LLVMGetAlignment(i) : 1);
}

/* Adds an index, so many bytes each, to an address; the last one writes the result. */
static void add_index(struct body *b, uint32_t *at, LLVMValueRef base, LLVMValueRef index,
                      uint64_t offset, uint64_t scale) {
  const uint32_t to = fresh(b);
  begin(b, CODE_ADDRESS, 64, to);
  if (base != NULL)
    value(b, base, 0);
  else
    value_register(b, *at);
  if (index != NULL)
    value(b, index, 0);
  else
    value_number(b, (int64_t)offset);
  number(b, scale);
  b->failed |= scale > UINT32_MAX || (index != NULL && width_of(b, index) != 64 && scale == 0);
  *at = to;
}

static void find_element(struct body *b, LLVMValueRef i) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
  LLVMValueRef base = LLVMGetOperand(i, 0);
  uint32_t at = 0;
  for (int n = 1; n < LLVMGetNumOperands(i); n++) {
    LLVMValueRef index = LLVMGetOperand(i, (unsigned)n);
    if (n > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      const uint32_t field = (uint32_t)LLVMConstIntGetZExtValue(index);
      const uint64_t offset = element_offset(b->t, type, field);
      type = element_type(type, field);
      add_index(b, &at, base, NULL, offset, 1);
    } else {
      if (n > 1) {
        b->failed |= LLVMGetTypeKind(type) != LLVMArrayTypeKind;
        if (b->failed) return;
        type = LLVMGetElementType(type);
      }
      add_index(b, &at, base, index, 0, LLVMABISizeOfType(b->t->layout, type));
    }
    base = NULL;
  }
  begin(b, CODE_MOVE, 64, 0);
  if (base != NULL)
    value(b, base, 0);
  else
    value_register(b, at);
  number(b, register_of(b, i));
}

/* ---- parts of structures ---- */

static uint32_t part_index(struct body *b, LLVMValueRef i, LLVMTypeRef type, uint32_t *count) {
  const unsigned *indices = LLVMGetIndices(i);
  uint32_t first = 0;
  for (unsigned n = 0; n < LLVMGetNumIndices(i); n++) {
    first += leaf_index(b->t, type, indices[n]);
    type = element_type(type, indices[n]);
  }
  *count = leaf_count(b->t, type);
  return first;
}

static void extract(struct body *b, LLVMValueRef i) {
  LLVMValueRef whole = LLVMGetOperand(i, 0);
  uint32_t count;
  const uint32_t first = part_index(b, i, LLVMTypeOf(whole), &count);
  begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    value(b, whole, first + n);
  for (uint32_t n = 0; n < count; n++)
    number(b, register_of(b, i) + n);
}

static void insert(struct body *b, LLVMValueRef i) {
  LLVMValueRef whole = LLVMGetOperand(i, 0), part = LLVMGetOperand(i, 1);
  uint32_t count;
  const uint32_t first = part_index(b, i, LLVMTypeOf(whole), &count);
  const uint32_t all = leaf_count(b->t, LLVMTypeOf(whole));
  begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < all; n++)
    if (n >= first && n < first + count)
      value(b, part, n - first);
    else
      value(b, whole, n);
  for (uint32_t n = 0; n < all; n++)
    number(b, register_of(b, i) + n);
}

static void select_value(struct body *b, LLVMValueRef i) {
  struct leaves leaves = {0};
  b->failed |= !list_leaves(b->t, LLVMTypeOf(i), 0, &leaves);
  for (uint32_t n = 0; !b->failed && n < leaves.count; n++) {
    begin(b, CODE_SELECT, leaves.items[n].width, register_of(b, i) + n);
    value(b, LLVMGetOperand(i, 0), 0);
    value(b, LLVMGetOperand(i, 1), n);
    value(b, LLVMGetOperand(i, 2), n);
  }
  free(leaves.items);
}

/* ---- control ---- */

static bool has_phis(LLVMBasicBlockRef block) {
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  return first != NULL && LLVMGetInstructionOpcode(first) == LLVMPHI;
}

static uint64_t label_of(struct body *b, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  if (!has_phis(to)) return map_get(&b->blocks, (uint64_t)(uintptr_t)to, 0, 0);
  b->edges = grow(b->edges, b->edge_count + 1, &b->edge_room, sizeof *b->edges);
  b->edges[b->edge_count] = (struct edge){from, to};
  return b->block_count + b->edge_count++;
}

static void branch(struct body *b, LLVMValueRef i) {
  LLVMBasicBlockRef from = LLVMGetInstructionParent(i);
  const bool tests = LLVMIsConditional(i);
  begin(b, tests ? CODE_TEST : CODE_JUMP, tests ? 1 : 64, 0);
  if (tests) value(b, LLVMGetCondition(i), 0);
  for (unsigned n = 0; n < LLVMGetNumSuccessors(i); n++)
    number(b, label_of(b, from, LLVMGetSuccessor(i, n)));
}

static void switch_on(struct body *b, LLVMValueRef i) {
  LLVMBasicBlockRef from = LLVMGetInstructionParent(i);
  const unsigned cases = LLVMGetNumSuccessors(i) - 1;
  begin(b, CODE_SWITCH, width_of(b, LLVMGetOperand(i, 0)), 0);
  value(b, LLVMGetOperand(i, 0), 0);
  for (unsigned n = 1; n <= cases; n++) /* operands: what, else, then a case and its block each */
    value(b, LLVMGetOperand(i, 2 * n), 0);
  for (unsigned n = 0; n <= cases; n++)
    number(b, label_of(b, from, LLVMGetSuccessor(i, n)));
}

static void return_from(struct body *b, LLVMValueRef i) {
  const bool has = LLVMGetNumOperands(i) > 0;
  const uint32_t count = has ? leaf_count(b->t, LLVMTypeOf(LLVMGetOperand(i, 0))) : 0;
  begin(b, CODE_RETURN, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    value(b, LLVMGetOperand(i, 0), n);
}

/* ---- calls ---- */

static bool starts_with(const char *text, size_t size, const char *prefix) {
  return size >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* Calls that are remarks to a compiler. */
static bool is_remark(LLVMValueRef function) {
  static const char *const remarks[] = {
      "llvm.dbg.",           "llvm.lifetime.",
      "llvm.assume",         "llvm.donothing",
      "llvm.var.annotation", "llvm.invariant.start",
      "llvm.invariant.end",  "llvm.experimental.noalias.scope.decl"};
  size_t size;
  const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &size) : NULL;
  for (size_t i = 0; name != NULL && i < sizeof remarks / sizeof *remarks; i++)
    if (starts_with(name, size, remarks[i])) return true;
  return false;
}

/* The type of an argument that is passed as a copy; NULL: it is not. */
static LLVMTypeRef copied_type(LLVMValueRef call, unsigned argument) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
  return attribute != NULL ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

/* A copy of what an argument points to, in the caller; its address. */
static uint32_t copy(struct body *b, LLVMValueRef argument, LLVMTypeRef type) {
  const uint32_t to = fresh(b);
  const uint64_t size = LLVMABISizeOfType(b->t->layout, type);
  const uint32_t memcpy_of = b->t->function_count; /* the function that translate.c adds */
  begin(b, CODE_ALLOCATE, 64, to);
  value_number(b, 1);
  number(b, size);
  number(b, 16);
  begin(b, CODE_CALL, 64, 0);
  push(b, (uint64_t)constant_number(b->t, CONSTANT_FUNCTION, 0, memcpy_of) << 1 | 1);
  b->items[b->count - 1].values++;
  value_register(b, to);
  value(b, argument, 0);
  value_number(b, (int64_t)size);
  number(b, 0);
  return to;
}

static void call(struct body *b, LLVMValueRef i) {
  enum { ARGUMENTS_MAX = 256 };
  uint32_t copies[ARGUMENTS_MAX];
  LLVMValueRef callee = LLVMGetCalledValue(i);
  const unsigned count = LLVMGetNumArgOperands(i);
  if (is_remark(callee)) return;
  b->failed |= LLVMIsAInlineAsm(callee) != NULL || count > ARGUMENTS_MAX;
  for (unsigned n = 0; !b->failed && n < count; n++) {
    LLVMTypeRef type = copied_type(i, n);
    copies[n] = type != NULL ? copy(b, LLVMGetOperand(i, n), type) : UINT32_MAX;
  }
  const uint32_t results = leaf_count(b->t, LLVMTypeOf(i));
  begin(b, CODE_CALL, 64, results > 0 ? register_of(b, i) : 0);
  if (b->failed) return;
  value(b, callee, 0);
  for (unsigned n = 0; !b->failed && n < count; n++) {
    LLVMValueRef argument = LLVMGetOperand(i, n);
    if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMMetadataTypeKind) continue;
    const uint32_t leaves = leaf_count(b->t, LLVMTypeOf(argument));
    for (uint32_t leaf = 0; copies[n] == UINT32_MAX && leaf < leaves; leaf++)
      value(b, argument, leaf);
    if (copies[n] != UINT32_MAX) value_register(b, copies[n]);
  }
  number(b, results);
}

/* ---- instructions ---- */

static void translate(struct body *b, LLVMValueRef i) {
  static const uint8_t simple[256] = {[LLVMAdd] = CODE_ADD + 1,
                                      [LLVMSub] = CODE_SUBTRACT + 1,
                                      [LLVMMul] = CODE_MULTIPLY + 1,
                                      [LLVMUDiv] = CODE_UNSIGNED_DIVIDE + 1,
                                      [LLVMSDiv] = CODE_SIGNED_DIVIDE + 1,
                                      [LLVMURem] = CODE_UNSIGNED_REMAINDER + 1,
                                      [LLVMSRem] = CODE_SIGNED_REMAINDER + 1,
                                      [LLVMShl] = CODE_SHIFT_LEFT + 1,
                                      [LLVMLShr] = CODE_SHIFT_RIGHT + 1,
                                      [LLVMAShr] = CODE_SHIFT_RIGHT_SIGNED + 1,
                                      [LLVMAnd] = CODE_AND + 1,
                                      [LLVMOr] = CODE_OR + 1,
                                      [LLVMXor] = CODE_XOR + 1,
                                      [LLVMFAdd] = CODE_FLOAT_ADD + 1,
                                      [LLVMFSub] = CODE_FLOAT_SUBTRACT + 1,
                                      [LLVMFMul] = CODE_FLOAT_MULTIPLY + 1,
                                      [LLVMFDiv] = CODE_FLOAT_DIVIDE + 1,
                                      [LLVMFRem] = CODE_FLOAT_REMAINDER + 1};
  static const uint8_t conversions[256] = {
      [LLVMTrunc] = CODE_TRUNCATE + 1,           [LLVMZExt] = CODE_ZERO_EXTEND + 1,
      [LLVMSExt] = CODE_SIGN_EXTEND + 1,         [LLVMFPToSI] = CODE_FLOAT_TO_SIGNED + 1,
      [LLVMFPToUI] = CODE_FLOAT_TO_UNSIGNED + 1, [LLVMSIToFP] = CODE_SIGNED_TO_FLOAT + 1,
      [LLVMUIToFP] = CODE_UNSIGNED_TO_FLOAT + 1, [LLVMFPTrunc] = CODE_FLOAT_CONVERT + 1,
      [LLVMFPExt] = CODE_FLOAT_CONVERT + 1};
  const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  if (opcode < 256 && simple[opcode] != 0) {
    two(b, i, simple[opcode] - 1);
    const bool signs = opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul;
    b->items[b->count - 1].no_overflow = signs && LLVMGetNSW(i);
    return;
  }
  if (opcode < 256 && conversions[opcode] != 0) {
    convert(b, i, conversions[opcode] - 1);
    return;
  }
  switch (opcode) {
  case LLVMICmp:
    compare(b, i);
    break;
  case LLVMFCmp:
    compare_floats(b, i);
    break;
  case LLVMFNeg:
    begin(b, CODE_FLOAT_NEGATE, width_of(b, i), register_of(b, i));
    value(b, LLVMGetOperand(i, 0), 0);
    break;
  case LLVMSelect:
    select_value(b, i);
    break;
  case LLVMBitCast:
    b->failed |= leaf_count(b->t, LLVMTypeOf(i)) != 1 || width_of(b, i) == 0;
    move_all(b, i, LLVMGetOperand(i, 0));
    break;
  case LLVMPtrToInt:
  case LLVMIntToPtr:
    b->failed |= width_of(b, i) != 64 || width_of(b, LLVMGetOperand(i, 0)) != 64;
    move_all(b, i, LLVMGetOperand(i, 0));
    break;
  case LLVMFreeze:
    move_all(b, i, LLVMGetOperand(i, 0));
    break;
  case LLVMAlloca:
    allocate(b, i);
    break;
  case LLVMLoad:
    if (is_atomic(i))
      access_atomically(b, i, i, LLVMGetOperand(i, 0), false);
    else
      load_or_store(b, i, i, LLVMGetOperand(i, 0), false);
    break;
  case LLVMStore:
    if (is_atomic(i))
      access_atomically(b, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), true);
    else
      load_or_store(b, i, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), true);
    break;
  case LLVMGetElementPtr:
    find_element(b, i);
    break;
  case LLVMAtomicRMW:
    update(b, i);
    break;
  case LLVMAtomicCmpXchg:
    compare_exchange(b, i);
    break;
  case LLVMFence: /* every order is explored as one of the program's threads */
  case LLVMPHI:
    break;
  case LLVMExtractValue:
    extract(b, i);
    break;
  case LLVMInsertValue:
    insert(b, i);
    break;
  case LLVMBr:
    branch(b, i);
    break;
  case LLVMSwitch:
    switch_on(b, i);
    break;
  case LLVMRet:
    return_from(b, i);
    break;
  case LLVMCall:
    call(b, i);
    break;
  case LLVMUnreachable:
    begin(b, CODE_UNREACHABLE, 64, 0);
    break;
  default:
    b->failed = true;
  }
}

static void refuse(struct body *b, LLVMValueRef i) {
  enum { SHOWN = 200 };
  char *text = LLVMPrintValueToString(i), *from = text + strspn(text, " ");
  begin(b, CODE_REFUSED, 64, 0);
  const size_t size = strcspn(from, "\n");
  number(b, text_number(b->t, from, size < SHOWN ? size : SHOWN));
  LLVMDisposeMessage(text);
}

static void translate_instruction(struct body *b, LLVMValueRef i) {
  const size_t count = b->count, words = b->word_count;
  unsigned length = 0;
  const char *file = LLVMGetDebugLocFilename(i, &length);
  b->line = LLVMGetDebugLocLine(i);
  b->file = text_number(b->t, file != NULL ? file : "", file != NULL ? length : 0);
  b->failed = false;
  translate(b, i);
  if (!b->failed) return;
  b->count = count;
  b->word_count = words;
  refuse(b, i);
}

/* ---- the whole ---- */

static void name_registers(struct body *b, LLVMValueRef function) {
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    LLVMValueRef parameter = LLVMGetParam(function, i);
    map_put(&b->registers, (uint64_t)(uintptr_t)parameter, 0, 0, b->register_count);
    b->register_count += leaf_count(b->t, LLVMTypeOf(parameter));
  }
}

static void name_results(struct body *b, LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    map_put(&b->blocks, (uint64_t)(uintptr_t)block, 0, 0, b->block_count++);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
      const uint32_t count = leaf_count(b->t, LLVMTypeOf(i));
      if (count == 0) continue;
      map_put(&b->registers, (uint64_t)(uintptr_t)i, 0, 0, b->register_count);
      b->register_count += count;
    }
  }
}

static void set_label(struct body *b) {
  b->labels = grow(b->labels, b->label_count + 1, &b->label_room, sizeof *b->labels);
  b->labels[b->label_count++] = b->count;
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned n = 0; n < LLVMCountIncoming(phi); n++)
    if (LLVMGetIncomingBlock(phi, n) == from) return LLVMGetIncomingValue(phi, n);
  return NULL;
}

static void translate_edge(struct body *b, struct edge edge) {
  LLVMValueRef first = LLVMGetFirstInstruction(edge.to);
  b->failed = false;
  begin(b, CODE_MOVE, 64, 0);
  for (int pass = 0; pass < 2; pass++)
    for (LLVMValueRef i = first; i != NULL && LLVMGetInstructionOpcode(i) == LLVMPHI;
         i = LLVMGetNextInstruction(i)) {
      const uint32_t count = leaf_count(b->t, LLVMTypeOf(i));
      for (uint32_t n = 0; n < count; n++)
        if (pass == 0)
          value(b, incoming(i, edge.from), n);
        else
          number(b, register_of(b, i) + n);
    }
  if (b->failed) {
    b->count--;
    refuse(b, first);
    return;
  }
  begin(b, CODE_JUMP, 64, 0);
  number(b, map_get(&b->blocks, (uint64_t)(uintptr_t)edge.to, 0, 0));
}

static void write_instruction(const struct body *b, const struct pending *p) {
  struct bytes *out = &b->t->functions;
  const bool jumps = p->kind == CODE_JUMP || p->kind == CODE_TEST || p->kind == CODE_SWITCH;
  put_number(out, p->kind);
  put_number(out, p->width);
  put_number(out, p->no_overflow);
  put_number(out, p->result);
  put_number(out, p->values);
  put_number(out, p->numbers);
  for (uint32_t n = 0; n < p->values + p->numbers; n++) {
    const uint64_t word = b->words[p->first + n];
    put_number(out, jumps && n >= p->values ? b->labels[word] : word);
  }
  put_number(out, p->file);
  put_number(out, p->line);
}

static void write_function(const struct body *b, LLVMValueRef function, uint32_t parameters) {
  struct bytes *out = &b->t->functions;
  size_t size;
  const char *name = LLVMGetValueName2(function, &size);
  const bool variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
  put_text(out, name, size);
  put_number(out, (LLVMIsDeclaration(function) ? 0U : 1U) | (variadic ? 2U : 0U));
  put_number(out, parameters);
  put_number(out, b->register_count);
  put_number(out, b->count);
  for (size_t i = 0; i < b->count; i++)
    write_instruction(b, &b->items[i]);
}

void translate_function(struct translation *t, LLVMValueRef function) {
  struct body b = {.t = t};
  name_registers(&b, function);
  const uint32_t parameters = b.register_count;
  name_results(&b, function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
       block = LLVMGetNextBasicBlock(block)) {
    set_label(&b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL; i = LLVMGetNextInstruction(i))
      translate_instruction(&b, i);
  }
  for (size_t e = 0; e < b.edge_count; e++) {
    set_label(&b);
    translate_edge(&b, b.edges[e]);
  }
  write_function(&b, function, parameters);
  free(b.registers.entries);
  free(b.blocks.entries);
  free(b.items);
  free(b.words);
  free(b.labels);
  free(b.edges);
}
