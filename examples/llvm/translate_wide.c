/*
 * Values of several registers: vectors, which are done part by part, and numbers of 128 bits, whose
 * halves stand behind each other, the lower one first. What is more than a few instructions on them
 * is a call of the library (library/bits.c). A number of 65 to 127 bits, which clang makes of small
 * structures and of long double, is one of 128 bits whose upper part is one of fewer bits.
 */
#include "translate_wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "translate_types.h"

bool is_wide(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return false;
  return LLVMGetIntTypeWidth(type) > 64 && LLVMGetIntTypeWidth(type) <= 128;
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

/* ---- 65 to 128 bits ---- */

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

/* The upper part of a value as a number of 64 bits. */
static uint32_t upper_of(struct body *b, LLVMValueRef value, unsigned width, bool has_sign) {
  const uint32_t to = body_fresh(b);
  const bool moves = has_sign || width == 64; /* numbers are kept with their signs */
  body_begin(b, moves ? CODE_MOVE : CODE_ZERO_EXTEND, 64, moves ? 0 : to);
  body_value(b, value, 1);
  body_number(b, moves ? to : width);
  return to;
}

/* A part becomes one of fewer bits. */
static void cut(struct body *b, uint32_t part, unsigned width) {
  if (width == 64) return;
  body_begin(b, CODE_TRUNCATE, width, part);
  body_of_register(b, part);
  body_number(b, 64);
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
  const unsigned upper = LLVMGetIntTypeWidth(LLVMTypeOf(i)) - 64;
  const bool no_signs =
      kind == CODE_SHIFT_RIGHT || kind == CODE_UNSIGNED_DIVIDE || kind == CODE_UNSIGNED_REMAINDER;
  uint32_t uppers[2];
  for (unsigned operand = 0; operand < 2; operand++)
    uppers[operand] = upper_of(b, LLVMGetOperand(i, operand), upper, !no_signs);
  body_helper(b, name, to, 2);
  for (unsigned operand = 0; operand < 2; operand++) {
    body_value(b, LLVMGetOperand(i, operand), 0);
    body_of_register(b, uppers[operand]);
  }
  cut(b, to + 1, upper);
}

/* From or to more than 64 bits. */
void wide_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  LLVMTypeRef source = LLVMTypeOf(from), target = LLVMTypeOf(i);
  const uint32_t to = body_register(b, i);
  const bool extends = kind == CODE_ZERO_EXTEND || kind == CODE_SIGN_EXTEND;
  b->failed |= (!extends && kind != CODE_TRUNCATE) ||
               LLVMGetTypeKind(source) != LLVMIntegerTypeKind ||
               LLVMGetTypeKind(target) != LLVMIntegerTypeKind;
  if (b->failed) return;
  const unsigned in = LLVMGetIntTypeWidth(source), out = LLVMGetIntTypeWidth(target);
  const unsigned low_in = in < 64 ? in : 64, low_out = out < 64 ? out : 64;
  const bool moves = low_in == low_out;
  body_begin(b, moves ? CODE_MOVE : kind, moves ? 64 : low_out, moves ? 0 : to);
  body_value(b, from, 0);
  body_number(b, moves ? to : low_in);
  if (!is_wide(target)) return;
  if (is_wide(source)) {
    const uint32_t upper = upper_of(b, from, in - 64, kind != CODE_ZERO_EXTEND);
    body_begin(b, CODE_MOVE, 64, 0);
    body_of_register(b, upper);
    body_number(b, to + 1);
    cut(b, to + 1, out - 64);
  } else if (kind == CODE_ZERO_EXTEND) {
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

/* So many bits from one on of a value with these parts, of which there are some. */
static uint32_t bits_of(struct body *b, LLVMValueRef from, const struct leaves *parts,
                        unsigned begin, unsigned width) {
  uint32_t sum = UINT32_MAX;
  unsigned at = 0;
  for (uint32_t n = 0; n < parts->count && at < begin + width; n++) {
    if (at + parts->items[n].width > begin)
      sum = add_bits(b, from, n, parts->items[n].width, (int)at - (int)begin, sum);
    at += parts->items[n].width;
  }
  return sum;
}

static unsigned bit_count(const struct leaves *parts) {
  unsigned count = 0;
  for (size_t n = 0; n < parts->count; n++)
    count += parts->items[n].width;
  return count;
}

void wide_cast(struct body *b, LLVMValueRef i) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  struct leaves sources = {0}, targets = {0};
  unsigned begin = 0;
  b->failed |= !list_leaves(b->t, LLVMTypeOf(from), 0, &sources) ||
               !list_leaves(b->t, LLVMTypeOf(i), 0, &targets) || sources.count == 0 ||
               targets.count == 0 || bit_count(&sources) != bit_count(&targets);
  for (uint32_t n = 0; !b->failed && n < targets.count; n++) {
    const unsigned width = targets.items[n].width;
    const uint32_t bits = bits_of(b, from, &sources, begin, width), to = body_register(b, i) + n;
    body_begin(b, width == 64 ? CODE_MOVE : CODE_TRUNCATE, width, width == 64 ? 0 : to);
    body_of_register(b, bits);
    body_number(b, width == 64 ? to : 64);
    begin += width;
  }
  free(sources.items);
  free(targets.items);
}

uint32_t wide_word(struct body *b, LLVMValueRef vector, unsigned number) {
  struct leaves parts = {0};
  b->failed |=
      !list_leaves(b->t, LLVMTypeOf(vector), 0, &parts) || bit_count(&parts) < 64 * (number + 1);
  const uint32_t bits = b->failed ? 0 : bits_of(b, vector, &parts, 64 * number, 64);
  free(parts.items);
  return bits;
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
