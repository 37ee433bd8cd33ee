/* Instructions of a function in the making. What has no counterpart in the compact form is marked
 * as failed, and becomes an instruction REFUSED (translate_function.c). */
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "translate_call.h"
#include "translate_constants.h"
#include "translate_extended.h"
#include "translate_memory.h"
#include "translate_types.h"
#include "translate_wide.h"

void body_begin(struct body *b, enum instruction_kind kind, unsigned width, uint32_t result) {
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

void body_number(struct body *b, uint64_t value) {
  push(b, value);
  b->items[b->count - 1].numbers++;
}

void body_constant(struct body *b, struct constant constant) {
  push(b, (uint64_t)constant_number(b->t, constant.kind, constant.value, constant.index) << 1 | 1);
  b->items[b->count - 1].values++;
}

void body_of_number(struct body *b, int64_t value) {
  body_constant(b, (struct constant){CONSTANT_NUMBER, value, 0});
}

void body_of_register(struct body *b, uint32_t number) {
  push(b, (uint64_t)number << 1);
  b->items[b->count - 1].values++;
}

uint32_t body_register(struct body *b, LLVMValueRef value) {
  const uint32_t first = map_get(&b->registers, (uint64_t)(uintptr_t)value, 0, 0);
  b->failed |= first == UINT32_MAX;
  return first == UINT32_MAX ? 0 : first;
}

uint32_t body_fresh(struct body *b) {
  return b->register_count++;
}

void body_value(struct body *b, LLVMValueRef value, uint32_t leaf) {
  struct constant constant;
  if (!LLVMIsConstant(value)) {
    body_of_register(b, body_register(b, value) + leaf);
    return;
  }
  const bool found = find_constant(b->t, value, leaf, &constant);
  if (!found && LLVMIsAConstantExpr(value)) {
    body_of_register(b, body_register(b, value) + leaf); /* body_compute() was here */
    return;
  }
  b->failed |= !found;
  if (!found) constant = (struct constant){CONSTANT_NUMBER, 0, 0};
  body_constant(b, constant);
}

unsigned body_width(struct body *b, LLVMValueRef value) {
  struct leaves leaves = {0};
  unsigned width = 0;
  if (list_leaves(b->t, LLVMTypeOf(value), 0, &leaves) && leaves.count == 1)
    width = leaves.items[0].width;
  free(leaves.items);
  return width;
}

bool body_list(struct body *b, LLVMValueRef value, struct leaves *leaves) {
  b->failed |= !list_leaves(b->t, LLVMTypeOf(value), 0, leaves) || leaves->count == 0;
  return !b->failed;
}

static void two(struct body *b, LLVMValueRef i, enum instruction_kind kind, bool no_overflow) {
  struct leaves leaves = {0};
  if (is_wide(LLVMTypeOf(i))) {
    wide_two(b, i, kind);
    return;
  }
  if (is_extended(LLVMTypeOf(i))) {
    extended_two(b, i, kind);
    return;
  }
  const bool known = body_list(b, i, &leaves);
  for (uint32_t n = 0; known && n < leaves.count; n++) {
    body_begin(b, kind, leaves.items[n].width, body_register(b, i) + n);
    b->items[b->count - 1].no_overflow = no_overflow;
    body_value(b, LLVMGetOperand(i, 0), n);
    body_value(b, LLVMGetOperand(i, 1), n);
  }
  free(leaves.items);
}

static void convert(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  struct leaves sources = {0}, targets = {0};
  const bool of_integers = kind >= CODE_TRUNCATE && kind <= CODE_SIGN_EXTEND;
  if (has_two_parts(LLVMTypeOf(from)) || has_two_parts(LLVMTypeOf(i))) {
    if (of_integers)
      wide_convert(b, i, kind);
    else
      extended_convert(b, i, kind);
    return;
  }
  const bool both = body_list(b, from, &sources) && body_list(b, i, &targets);
  for (uint32_t n = 0; both && n < targets.count && !b->failed; n++) {
    body_begin(b, kind, targets.items[n].width, body_register(b, i) + n);
    body_value(b, from, n);
    body_number(b, sources.items[n].width);
  }
  free(sources.items);
  free(targets.items);
}

/* All parts of a value to the registers of an instruction. */
static void move_all(struct body *b, LLVMValueRef i, LLVMValueRef from) {
  const uint32_t count = leaf_count(b->t, LLVMTypeOf(i)), first = body_register(b, i);
  body_begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    body_value(b, from, n);
  for (uint32_t n = 0; n < count; n++)
    body_number(b, first + n);
}

static void negate(struct body *b, LLVMValueRef i) {
  struct leaves leaves = {0};
  if (is_extended(LLVMTypeOf(i))) {
    extended_negate(b, i);
    return;
  }
  const bool known = body_list(b, i, &leaves);
  for (uint32_t n = 0; known && n < leaves.count; n++) {
    body_begin(b, CODE_FLOAT_NEGATE, leaves.items[n].width, body_register(b, i) + n);
    body_value(b, LLVMGetOperand(i, 0), n);
  }
  free(leaves.items);
}

/* Between addresses and numbers that may be narrower. */
static void convert_pointer(struct body *b, LLVMValueRef i) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  const bool narrows = body_width(b, i) < 64, widens = body_width(b, from) < 64;
  if (is_vector(LLVMTypeOf(i)) || is_wide(LLVMTypeOf(i)) || is_wide(LLVMTypeOf(from)))
    b->failed = true;
  else if (narrows || widens)
    convert(b, i, narrows ? CODE_TRUNCATE : CODE_ZERO_EXTEND);
  else
    move_all(b, i, from);
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
  LLVMValueRef one = LLVMGetOperand(i, swapped ? 1 : 0), other = LLVMGetOperand(i, swapped ? 0 : 1);
  struct leaves leaves = {0};
  if (is_wide(LLVMTypeOf(one))) {
    wide_compare(b, i, table[predicate].comparison, one, other);
    return;
  }
  const bool known = body_list(b, one, &leaves);
  for (uint32_t n = 0; known && n < leaves.count; n++) {
    body_begin(b, CODE_COMPARE, leaves.items[n].width, body_register(b, i) + n);
    body_value(b, one, n);
    body_value(b, other, n);
    body_number(b, table[predicate].comparison);
  }
  free(leaves.items);
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
  struct leaves leaves = {0};
  if (is_extended(LLVMTypeOf(LLVMGetOperand(i, 0)))) {
    extended_compare(b, i, sets[LLVMGetFCmpPredicate(i)]);
    return;
  }
  const bool known = body_list(b, LLVMGetOperand(i, 0), &leaves);
  for (uint32_t n = 0; known && n < leaves.count; n++) {
    body_begin(b, CODE_FLOAT_COMPARE, leaves.items[n].width, body_register(b, i) + n);
    body_value(b, LLVMGetOperand(i, 0), n);
    body_value(b, LLVMGetOperand(i, 1), n);
    body_number(b, sets[LLVMGetFCmpPredicate(i)]);
  }
  free(leaves.items);
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
  body_begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    body_value(b, whole, first + n);
  for (uint32_t n = 0; n < count; n++)
    body_number(b, body_register(b, i) + n);
}

static void insert(struct body *b, LLVMValueRef i) {
  LLVMValueRef whole = LLVMGetOperand(i, 0), part = LLVMGetOperand(i, 1);
  uint32_t count;
  const uint32_t first = part_index(b, i, LLVMTypeOf(whole), &count);
  const uint32_t all = leaf_count(b->t, LLVMTypeOf(whole));
  body_begin(b, CODE_MOVE, 64, 0);
  for (uint32_t n = 0; n < all; n++)
    if (n >= first && n < first + count)
      body_value(b, part, n - first);
    else
      body_value(b, whole, n);
  for (uint32_t n = 0; n < all; n++)
    body_number(b, body_register(b, i) + n);
}

static void select_value(struct body *b, LLVMValueRef i) {
  struct leaves leaves = {0};
  const bool each = is_vector(LLVMTypeOf(LLVMGetOperand(i, 0)));
  body_list(b, i, &leaves);
  for (uint32_t n = 0; !b->failed && n < leaves.count; n++) {
    body_begin(b, CODE_SELECT, leaves.items[n].width, body_register(b, i) + n);
    body_value(b, LLVMGetOperand(i, 0), each ? n : 0);
    body_value(b, LLVMGetOperand(i, 1), n);
    body_value(b, LLVMGetOperand(i, 2), n);
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
  body_begin(b, tests ? CODE_TEST : CODE_JUMP, tests ? 1 : 64, 0);
  if (tests) body_value(b, LLVMGetCondition(i), 0);
  for (unsigned n = 0; n < LLVMGetNumSuccessors(i); n++)
    body_number(b, label_of(b, from, LLVMGetSuccessor(i, n)));
}

static void switch_on(struct body *b, LLVMValueRef i) {
  LLVMBasicBlockRef from = LLVMGetInstructionParent(i);
  const unsigned cases = LLVMGetNumSuccessors(i) - 1;
  body_begin(b, CODE_SWITCH, body_width(b, LLVMGetOperand(i, 0)), 0);
  body_value(b, LLVMGetOperand(i, 0), 0);
  for (unsigned n = 1; n <= cases; n++) /* operands: what, else, then a case and its block each */
    body_value(b, LLVMGetOperand(i, 2 * n), 0);
  for (unsigned n = 0; n <= cases; n++)
    body_number(b, label_of(b, from, LLVMGetSuccessor(i, n)));
}

/* To where an address of a label says: these are numbers from 1 on. */
static void jump_indirectly(struct body *b, LLVMValueRef i) {
  LLVMBasicBlockRef from = LLVMGetInstructionParent(i);
  const unsigned count = LLVMGetNumSuccessors(i);
  body_begin(b, CODE_SWITCH, 64, 0);
  body_value(b, LLVMGetOperand(i, 0), 0);
  for (unsigned n = 0; n < count; n++)
    body_of_number(b, label_number(LLVMGetSuccessor(i, n)));
  body_number(b, label_of(b, from, LLVMGetSuccessor(i, 0)));
  for (unsigned n = 0; n < count; n++)
    body_number(b, label_of(b, from, LLVMGetSuccessor(i, n)));
}

static void return_from(struct body *b, LLVMValueRef i) {
  const bool has = LLVMGetNumOperands(i) > 0;
  const uint32_t count = has ? leaf_count(b->t, LLVMTypeOf(LLVMGetOperand(i, 0))) : 0;
  body_begin(b, CODE_RETURN, 64, 0);
  for (uint32_t n = 0; n < count; n++)
    body_value(b, LLVMGetOperand(i, 0), n);
}

/* ---- instructions ---- */

/* Those that are an instruction of the same shape, and 1 more; 0: others. */
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

static void freeze(struct body *b, LLVMValueRef i) {
  move_all(b, i, LLVMGetOperand(i, 0));
}

static void cast_bits(struct body *b, LLVMValueRef i) {
  const LLVMTypeRef to = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
  if (is_wide(to) || is_vector(to) || is_wide(from) || is_vector(from))
    wide_cast(b, i);
  else
    move_all(b, i, LLVMGetOperand(i, 0));
}

/* A fence: every order is explored as one of the program's threads. A phi: its edges have moves. */
static void leave_out(struct body *b, LLVMValueRef i) {
  (void)b;
  (void)i;
}

static void never_come(struct body *b, LLVMValueRef i) {
  (void)i;
  body_begin(b, CODE_UNREACHABLE, 64, 0);
}

typedef void translator(struct body *b, LLVMValueRef i);
/* NULL: it is refused. */
static void (*const others[256])(struct body *b,
                                 LLVMValueRef i) = {[LLVMICmp] = compare,
                                                    [LLVMFCmp] = compare_floats,
                                                    [LLVMFNeg] = negate,
                                                    [LLVMSelect] = select_value,
                                                    [LLVMBitCast] = cast_bits,
                                                    [LLVMPtrToInt] = convert_pointer,
                                                    [LLVMIntToPtr] = convert_pointer,
                                                    [LLVMExtractElement] = wide_extract,
                                                    [LLVMInsertElement] = wide_insert,
                                                    [LLVMShuffleVector] = wide_shuffle,
                                                    [LLVMIndirectBr] = jump_indirectly,
                                                    [LLVMFreeze] = freeze,
                                                    [LLVMAlloca] = memory_allocate,
                                                    [LLVMLoad] = memory_access,
                                                    [LLVMStore] = memory_access,
                                                    [LLVMGetElementPtr] = memory_element,
                                                    [LLVMAtomicRMW] = memory_update,
                                                    [LLVMAtomicCmpXchg] = memory_exchange,
                                                    [LLVMFence] = leave_out,
                                                    [LLVMPHI] = leave_out,
                                                    [LLVMExtractValue] = extract,
                                                    [LLVMInsertValue] = insert,
                                                    [LLVMBr] = branch,
                                                    [LLVMSwitch] = switch_on,
                                                    [LLVMRet] = return_from,
                                                    [LLVMCall] = translate_call,
                                                    [LLVMUnreachable] = never_come};

void body_compute(struct body *b, LLVMValueRef value) {
  struct constant constant;
  if (!LLVMIsAConstantExpr(value) || find_constant(b->t, value, 0, &constant)) return;
  const LLVMOpcode opcode = LLVMGetConstOpcode(value);
  LLVMValueRef first = LLVMGetOperand(value, 0);
  const bool computes = opcode < 256 && simple[opcode] != 0;
  const unsigned width = body_width(b, value), from = body_width(b, first);
  if (!computes && opcode != LLVMTrunc && opcode != LLVMPtrToInt) return;
  for (int n = 0; n < LLVMGetNumOperands(value); n++)
    body_compute(b, LLVMGetOperand(value, (unsigned)n));
  const uint64_t key = (uint64_t)(uintptr_t)value;
  uint32_t to = map_get(&b->registers, key, 0, 0);
  if (to == UINT32_MAX) to = map_put(&b->registers, key, 0, 0, body_fresh(b));
  body_begin(b, computes ? simple[opcode] - 1 : CODE_TRUNCATE, width, to);
  body_value(b, first, 0);
  if (computes)
    body_value(b, LLVMGetOperand(value, 1), 0);
  else
    body_number(b, from);
}

void body_translate(struct body *b, LLVMValueRef i) {
  if (!LLVMIsAPHINode(i))
    for (int n = 0; n < LLVMGetNumOperands(i); n++)
      body_compute(b, LLVMGetOperand(i, (unsigned)n));
  const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  if (opcode < 256 && simple[opcode] != 0) {
    const bool signs = opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul;
    two(b, i, simple[opcode] - 1, signs && LLVMGetNSW(i));
    return;
  }
  if (opcode < 256 && conversions[opcode] != 0) {
    convert(b, i, conversions[opcode] - 1);
    return;
  }
  if (opcode < 256 && others[opcode] != NULL)
    others[opcode](b, i);
  else
    b->failed = true;
}
