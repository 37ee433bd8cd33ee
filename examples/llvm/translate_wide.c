/*
 * Values of several registers: vectors, which are done part by part, and numbers of 128 bits, whose
 * halves stand behind each other, the lower one first. What is more than a few instructions on them
 * is a call of the library (library/bits.c).
 */
#include "translate_wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "translate_types.h"

bool is_wide(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 128;
}

bool is_vector(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

void body_helper(struct body *b, const char *name, uint32_t result, uint32_t results) {
  LLVMValueRef function = LLVMGetNamedFunction(b->t->module, name);
  const uint32_t number =
      function != NULL ? map_get(&b->t->symbols, (uint64_t)(uintptr_t)function, 0, 0) : UINT32_MAX;
  b->failed |= number == UINT32_MAX;
  body_begin(b, CODE_CALL, 64, result);
  b->items[b->count - 1].calls = true;
  b->items[b->count - 1].results = results;
  body_constant(b, (struct constant){CONSTANT_FUNCTION, 0, number != UINT32_MAX ? number : 0});
}

/* ---- 128 bits ---- */

/* An instruction of two registers or parts of values. */
static uint32_t of_parts(struct body *b, enum instruction_kind kind, LLVMValueRef one,
                         LLVMValueRef other, uint32_t leaf) {
  const uint32_t to = body_fresh(b);
  body_begin(b, kind, 64, to);
  body_value(b, one, leaf);
  body_value(b, other, leaf);
  return to;
}

static uint32_t of_registers(struct body *b, enum instruction_kind kind, unsigned width,
                             uint32_t one, uint32_t other) {
  const uint32_t to = body_fresh(b);
  body_begin(b, kind, width, to);
  body_of_register(b, one);
  body_of_register(b, other);
  return to;
}

static uint32_t compare_parts(struct body *b, enum comparison comparison, LLVMValueRef one,
                              LLVMValueRef other, uint32_t leaf) {
  const uint32_t to = of_parts(b, CODE_COMPARE, one, other, leaf);
  body_number(b, comparison);
  return to;
}

static enum comparison without_signs(enum comparison comparison) {
  return comparison == COMPARE_LESS      ? COMPARE_BELOW
         : comparison == COMPARE_AT_MOST ? COMPARE_AT_MOST_UNSIGNED
                                         : comparison;
}

void wide_compare(struct body *b, LLVMValueRef i, enum comparison comparison, LLVMValueRef one,
                  LLVMValueRef other) {
  const bool equals = comparison == COMPARE_EQUAL || comparison == COMPARE_UNEQUAL;
  if (equals) {
    const uint32_t low = of_parts(b, CODE_XOR, one, other, 0);
    const uint32_t high = of_parts(b, CODE_XOR, one, other, 1);
    const uint32_t both = of_registers(b, CODE_OR, 64, low, high);
    body_begin(b, CODE_COMPARE, 64, body_register(b, i));
    body_of_register(b, both);
    body_of_number(b, 0);
    body_number(b, comparison);
    return;
  }
  const bool has_signs = comparison == COMPARE_LESS || comparison == COMPARE_AT_MOST;
  const uint32_t high = compare_parts(b, has_signs ? COMPARE_LESS : COMPARE_BELOW, one, other, 1);
  const uint32_t same = compare_parts(b, COMPARE_EQUAL, one, other, 1);
  const uint32_t low = compare_parts(b, without_signs(comparison), one, other, 0);
  const uint32_t then = of_registers(b, CODE_AND, 1, same, low);
  body_begin(b, CODE_OR, 1, body_register(b, i));
  body_of_register(b, high);
  body_of_register(b, then);
}

void wide_two(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  static const char *const names[] = {[CODE_ADD] = "add",
                                      [CODE_SUBTRACT] = "sub",
                                      [CODE_MULTIPLY] = "mul",
                                      [CODE_UNSIGNED_DIVIDE] = "udiv",
                                      [CODE_SIGNED_DIVIDE] = "sdiv",
                                      [CODE_UNSIGNED_REMAINDER] = "urem",
                                      [CODE_SIGNED_REMAINDER] = "srem",
                                      [CODE_SHIFT_LEFT] = "shl",
                                      [CODE_SHIFT_RIGHT] = "lshr",
                                      [CODE_SHIFT_RIGHT_SIGNED] = "ashr"};
  const uint32_t to = body_register(b, i);
  char name[32];
  if (kind == CODE_AND || kind == CODE_OR || kind == CODE_XOR) {
    for (uint32_t leaf = 0; leaf < 2; leaf++) {
      body_begin(b, kind, 64, to + leaf);
      body_value(b, LLVMGetOperand(i, 0), leaf);
      body_value(b, LLVMGetOperand(i, 1), leaf);
    }
    return;
  }
  snprintf(name, sizeof name, "__unfold_%s128", names[kind]);
  body_helper(b, name, to, 2);
  for (unsigned operand = 0; operand < 2; operand++)
    for (uint32_t leaf = 0; leaf < 2; leaf++)
      body_value(b, LLVMGetOperand(i, operand), leaf);
}

/* From or to 128 bits. */
void wide_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  LLVMTypeRef source = LLVMTypeOf(from), target = LLVMTypeOf(i);
  const uint32_t to = body_register(b, i);
  const bool narrows = kind == CODE_TRUNCATE && is_wide(source) && !is_wide(target);
  const bool widens = (kind == CODE_ZERO_EXTEND || kind == CODE_SIGN_EXTEND) && is_wide(target);
  const LLVMTypeKind narrow = LLVMGetTypeKind(narrows ? target : source);
  b->failed |= (!narrows && !widens) || narrow != LLVMIntegerTypeKind;
  if (b->failed) return;
  const unsigned width = LLVMGetIntTypeWidth(narrows ? target : source);
  body_begin(b, width == 64 ? CODE_MOVE : kind, narrows ? width : 64, width == 64 ? 0 : to);
  body_value(b, from, 0);
  body_number(b, width == 64 ? to : narrows ? 64 : width);
  if (narrows) return;
  if (kind == CODE_ZERO_EXTEND) {
    body_begin(b, CODE_MOVE, 64, 0);
    body_of_number(b, 0);
    body_number(b, to + 1);
  } else {
    body_begin(b, CODE_SHIFT_RIGHT_SIGNED, 64, to + 1);
    body_of_register(b, to);
    body_of_number(b, 63);
  }
}

/* ---- the same bits in other parts ---- */

/* Adds the bits of a part that lie in another one to what is there. */
static uint32_t add_bits(struct body *b, LLVMValueRef from, uint32_t leaf, unsigned width, int by,
                         uint32_t sum) {
  uint32_t part = body_fresh(b);
  body_begin(b, CODE_ZERO_EXTEND, 64, part);
  body_value(b, from, leaf);
  body_number(b, width);
  if (by != 0) {
    const uint32_t shifted = body_fresh(b);
    body_begin(b, by > 0 ? CODE_SHIFT_LEFT : CODE_SHIFT_RIGHT, 64, shifted);
    body_of_register(b, part);
    body_of_number(b, by > 0 ? by : -by);
    part = shifted;
  }
  return sum == UINT32_MAX ? part : of_registers(b, CODE_OR, 64, sum, part);
}

void wide_cast(struct body *b, LLVMValueRef i) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  struct leaves sources = {0}, targets = {0};
  b->failed |= !list_leaves(b->t, LLVMTypeOf(from), 0, &sources) ||
               !list_leaves(b->t, LLVMTypeOf(i), 0, &targets) || sources.count == 0 ||
               targets.count == 0;
  const unsigned in = b->failed ? 0 : sources.items[0].width;
  const unsigned out = b->failed ? 0 : targets.items[0].width;
  b->failed |= in * sources.count != out * targets.count;
  for (uint32_t n = 0; !b->failed && n < targets.count; n++) {
    const unsigned begin = n * out, end = begin + out;
    uint32_t sum = UINT32_MAX;
    for (unsigned s = begin / in; s * in < end; s++)
      sum = add_bits(b, from, s, in, (int)(s * in) - (int)begin, sum);
    body_begin(b, out == 64 ? CODE_MOVE : CODE_TRUNCATE, out,
               out == 64 ? 0 : body_register(b, i) + n);
    body_of_register(b, sum);
    body_number(b, out == 64 ? body_register(b, i) + n : 64);
  }
  free(sources.items);
  free(targets.items);
}

/* ---- parts of vectors ---- */

/* Whether an index is a part's number. */
static uint32_t is_index(struct body *b, LLVMValueRef index, uint32_t number) {
  const uint32_t is = body_fresh(b);
  body_begin(b, CODE_COMPARE, 64, is);
  body_value(b, index, 0);
  body_of_number(b, number);
  body_number(b, COMPARE_EQUAL);
  return is;
}

static unsigned part_width(struct body *b, LLVMTypeRef vector) {
  struct leaves leaves = {0};
  b->failed |= !list_leaves(b->t, vector, 0, &leaves) || leaves.count == 0;
  const unsigned width = b->failed ? 1 : leaves.items[0].width;
  free(leaves.items);
  return width;
}

void wide_extract(struct body *b, LLVMValueRef i) {
  LLVMValueRef vector = LLVMGetOperand(i, 0), index = LLVMGetOperand(i, 1);
  const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
  const unsigned width = part_width(b, LLVMTypeOf(vector));
  const uint32_t to = body_register(b, i);
  const bool known = LLVMIsAConstantInt(index);
  const uint64_t number = known ? LLVMConstIntGetZExtValue(index) : 0;
  body_begin(b, CODE_MOVE, 64, 0);
  body_value(b, vector, number < count ? (uint32_t)number : 0);
  body_number(b, to);
  for (uint32_t n = 1; !known && !b->failed && n < count; n++) {
    const uint32_t is = is_index(b, index, n);
    body_begin(b, CODE_SELECT, width, to);
    body_of_register(b, is);
    body_value(b, vector, n);
    body_of_register(b, to);
  }
}

void wide_insert(struct body *b, LLVMValueRef i) {
  LLVMValueRef vector = LLVMGetOperand(i, 0), part = LLVMGetOperand(i, 1);
  LLVMValueRef index = LLVMGetOperand(i, 2);
  const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
  const unsigned width = part_width(b, LLVMTypeOf(vector));
  const uint32_t to = body_register(b, i);
  const bool known = LLVMIsAConstantInt(index);
  for (uint32_t n = 0; !b->failed && n < count; n++) {
    const bool here = known && LLVMConstIntGetZExtValue(index) == n;
    if (known) {
      body_begin(b, CODE_MOVE, 64, 0);
      body_value(b, here ? part : vector, here ? 0 : n);
      body_number(b, to + n);
      continue;
    }
    const uint32_t is = is_index(b, index, n);
    body_begin(b, CODE_SELECT, width, to + n);
    body_of_register(b, is);
    body_value(b, part, 0);
    body_value(b, vector, n);
  }
}

void wide_shuffle(struct body *b, LLVMValueRef i) {
  LLVMValueRef one = LLVMGetOperand(i, 0), other = LLVMGetOperand(i, 1);
  const int size = (int)LLVMGetVectorSize(LLVMTypeOf(one));
  const unsigned count = LLVMGetNumMaskElements(i);
  for (unsigned n = 0; !b->failed && n < count; n++) {
    const int from = LLVMGetMaskValue(i, n);
    body_begin(b, CODE_MOVE, 64, 0);
    if (from < 0)
      body_of_number(b, 0);
    else
      body_value(b, from < size ? one : other, (uint32_t)(from < size ? from : from - size));
    body_number(b, body_register(b, i) + n);
  }
}
