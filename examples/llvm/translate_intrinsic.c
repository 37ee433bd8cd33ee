/* Intrinsics of LLVM that become instructions, or calls of the library (library/bits.c). Others are
 * calls like those of functions, which the interpreter knows or refuses. */
#include "translate_intrinsic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "body.h"
#include "translate_extended.h"
#include "translate_types.h"
#include "translate_wide.h"

/* An intrinsic while it is translated: a part of it. */
struct intrinsic_part {
  struct body *b;
  LLVMValueRef i;
  unsigned width;
  uint32_t leaf, to;
};

static void operand(const struct intrinsic_part *p, unsigned number) {
  body_value(p->b, LLVMGetOperand(p->i, number), p->leaf);
}

/* A choice between the two operands. */
static void choose(const struct intrinsic_part *p, enum comparison comparison, bool first) {
  const uint32_t is = body_fresh(p->b);
  body_begin(p->b, CODE_COMPARE, p->width, is);
  operand(p, 0);
  operand(p, 1);
  body_number(p->b, comparison);
  body_begin(p->b, CODE_SELECT, p->width, p->to);
  body_of_register(p->b, is);
  operand(p, first ? 0 : 1);
  operand(p, first ? 1 : 0);
}

static void translate_umin(const struct intrinsic_part *p) {
  choose(p, COMPARE_BELOW, true);
}
static void translate_umax(const struct intrinsic_part *p) {
  choose(p, COMPARE_BELOW, false);
}
static void translate_smin(const struct intrinsic_part *p) {
  choose(p, COMPARE_LESS, true);
}
static void translate_smax(const struct intrinsic_part *p) {
  choose(p, COMPARE_LESS, false);
}

static void translate_abs(const struct intrinsic_part *p) {
  const uint32_t opposite = body_fresh(p->b), is = body_fresh(p->b);
  body_begin(p->b, CODE_SUBTRACT, p->width, opposite);
  body_of_number(p->b, 0);
  operand(p, 0);
  body_begin(p->b, CODE_COMPARE, p->width, is);
  operand(p, 0);
  body_of_number(p->b, 0);
  body_number(p->b, COMPARE_LESS);
  body_begin(p->b, CODE_SELECT, p->width, p->to);
  body_of_register(p->b, is);
  body_of_register(p->b, opposite);
  operand(p, 0);
}

/* The operand as one of 64 bits. */
static uint32_t extended(const struct intrinsic_part *p, unsigned number, bool has_sign) {
  const uint32_t to = body_fresh(p->b);
  body_begin(p->b, has_sign ? CODE_SIGN_EXTEND : CODE_ZERO_EXTEND, 64, to);
  operand(p, number);
  body_number(p->b, p->width);
  return to;
}

/* A function of the library with so many operands of 64 bits, and the width. */
static void help(const struct intrinsic_part *p, const char *name, unsigned count, bool has_sign) {
  char whole[64];
  uint32_t operands[3];
  const uint32_t result = body_fresh(p->b);
  for (unsigned n = 0; n < count; n++)
    operands[n] = extended(p, n, has_sign);
  snprintf(whole, sizeof whole, "__unfold_%s", name);
  body_helper(p->b, whole, result, 1);
  for (unsigned n = 0; n < count; n++)
    body_of_register(p->b, operands[n]);
  if (strcmp(name, "ctpop") != 0) body_of_number(p->b, p->width);
  const bool whole_width = p->width == 64;
  body_begin(p->b, whole_width ? CODE_MOVE : CODE_TRUNCATE, p->width, whole_width ? 0 : p->to);
  body_of_register(p->b, result);
  body_number(p->b, whole_width ? p->to : 64);
}

static void translate_ctpop(const struct intrinsic_part *p) {
  help(p, "ctpop", 1, false);
}
static void translate_ctlz(const struct intrinsic_part *p) {
  help(p, "ctlz", 1, false);
}
static void translate_cttz(const struct intrinsic_part *p) {
  help(p, "cttz", 1, false);
}
static void translate_bswap(const struct intrinsic_part *p) {
  help(p, "bswap", 1, false);
}
static void translate_bitreverse(const struct intrinsic_part *p) {
  help(p, "bitreverse", 1, false);
}
static void translate_fshl(const struct intrinsic_part *p) {
  help(p, "fshl", 3, false);
}
static void translate_fshr(const struct intrinsic_part *p) {
  help(p, "fshr", 3, false);
}
static void translate_uadd_sat(const struct intrinsic_part *p) {
  help(p, "uadd_sat", 2, false);
}
static void translate_usub_sat(const struct intrinsic_part *p) {
  help(p, "usub_sat", 2, false);
}
static void translate_sadd_sat(const struct intrinsic_part *p) {
  help(p, "sadd_sat", 2, true);
}
static void translate_ssub_sat(const struct intrinsic_part *p) {
  help(p, "ssub_sat", 2, true);
}

/* Rounded twice, as x86-64 does where it need not have one instruction for both. */
static void translate_fmuladd(const struct intrinsic_part *p) {
  const uint32_t product = body_fresh(p->b);
  body_begin(p->b, CODE_FLOAT_MULTIPLY, p->width, product);
  operand(p, 0);
  operand(p, 1);
  body_begin(p->b, CODE_FLOAT_ADD, p->width, p->to);
  body_of_register(p->b, product);
  operand(p, 2);
}

static void translate_fabs(const struct intrinsic_part *p) {
  body_begin(p->b, CODE_AND, p->width, p->to);
  operand(p, 0);
  body_of_number(p->b, p->width == 32 ? INT32_MAX : INT64_MAX);
}

static void translate_mask(const struct intrinsic_part *p) {
  body_begin(p->b, CODE_AND, p->width, p->to);
  operand(p, 0);
  operand(p, 1);
}

static void translate_same(const struct intrinsic_part *p) {
  body_begin(p->b, CODE_MOVE, 64, 0);
  operand(p, 0);
  body_number(p->b, p->to);
}

static const struct {
  const char *name;
  void (*translate)(const struct intrinsic_part *p);
} parts[] = {{"llvm.umin.", translate_umin},
             {"llvm.umax.", translate_umax},
             {"llvm.smin.", translate_smin},
             {"llvm.smax.", translate_smax},
             {"llvm.abs.", translate_abs},
             {"llvm.ctpop.", translate_ctpop},
             {"llvm.ctlz.", translate_ctlz},
             {"llvm.cttz.", translate_cttz},
             {"llvm.bswap.", translate_bswap},
             {"llvm.bitreverse.", translate_bitreverse},
             {"llvm.fshl.", translate_fshl},
             {"llvm.fshr.", translate_fshr},
             {"llvm.uadd.sat.", translate_uadd_sat},
             {"llvm.usub.sat.", translate_usub_sat},
             {"llvm.sadd.sat.", translate_sadd_sat},
             {"llvm.ssub.sat.", translate_ssub_sat},
             {"llvm.fmuladd.", translate_fmuladd},
             {"llvm.fabs.", translate_fabs},
             {"llvm.ptrmask.", translate_mask},
             {"llvm.expect.", translate_same},
             {"llvm.threadlocal.address.", translate_same},
             {"llvm.ssa.copy.", translate_same},
             {"llvm.launder.invariant.group.", translate_same},
             {"llvm.strip.invariant.group.", translate_same}};

static bool begins(const char *name, size_t size, const char *with) {
  return size >= strlen(with) && memcmp(name, with, strlen(with)) == 0;
}

static void each_part(struct body *b, LLVMValueRef i,
                      void (*translate)(const struct intrinsic_part *p)) {
  struct leaves leaves = {0};
  const bool wide = has_two_parts(LLVMTypeOf(i)) && translate != translate_same;
  b->failed |= wide || !list_leaves(b->t, LLVMTypeOf(i), 0, &leaves);
  for (uint32_t n = 0; !b->failed && n < leaves.count; n++) {
    const struct intrinsic_part part = {b, i, leaves.items[n].width, n, body_register(b, i) + n};
    translate(&part);
  }
  free(leaves.items);
}

/* ---- all parts of a vector to one number ---- */

static const struct {
  const char *name;
  enum instruction_kind kind; /* CODE_COMPARE: a choice */
  enum comparison comparison;
  bool first;
} reductions[] = {{"llvm.vector.reduce.add.", CODE_ADD, 0, false},
                  {"llvm.vector.reduce.mul.", CODE_MULTIPLY, 0, false},
                  {"llvm.vector.reduce.and.", CODE_AND, 0, false},
                  {"llvm.vector.reduce.or.", CODE_OR, 0, false},
                  {"llvm.vector.reduce.xor.", CODE_XOR, 0, false},
                  {"llvm.vector.reduce.smin.", CODE_COMPARE, COMPARE_LESS, true},
                  {"llvm.vector.reduce.smax.", CODE_COMPARE, COMPARE_LESS, false},
                  {"llvm.vector.reduce.umin.", CODE_COMPARE, COMPARE_BELOW, true},
                  {"llvm.vector.reduce.umax.", CODE_COMPARE, COMPARE_BELOW, false}};

static void reduce(struct body *b, LLVMValueRef i, size_t which) {
  LLVMValueRef vector = LLVMGetOperand(i, 0);
  const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
  const unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(i));
  const uint32_t to = body_register(b, i);
  body_begin(b, CODE_MOVE, 64, 0);
  body_value(b, vector, 0);
  body_number(b, to);
  for (uint32_t n = 1; n < count; n++) {
    const bool chooses = reductions[which].kind == CODE_COMPARE;
    const uint32_t is = chooses ? body_fresh(b) : to;
    body_begin(b, reductions[which].kind, width, is);
    body_of_register(b, to);
    body_value(b, vector, n);
    if (!chooses) continue;
    body_number(b, reductions[which].comparison);
    body_begin(b, CODE_SELECT, width, to);
    body_of_register(b, is);
    if (reductions[which].first) body_of_register(b, to);
    body_value(b, vector, n);
    if (!reductions[which].first) body_of_register(b, to);
  }
}

/* ---- others ---- */

static void constant_result(struct body *b, LLVMValueRef i, int64_t value) {
  body_begin(b, CODE_MOVE, 64, 0);
  body_of_number(b, value);
  body_number(b, body_register(b, i));
}

/* The product is whole only where both parts are asked for together. */
static void multiply_overflows(struct body *b, LLVMValueRef i) {
  struct leaves leaves = {0};
  b->failed |= !list_leaves(b->t, LLVMTypeOf(i), 0, &leaves) || leaves.count != 2;
  const unsigned width = b->failed ? 64 : leaves.items[0].width;
  const struct intrinsic_part part = {b, i, width, 0, body_register(b, i)};
  free(leaves.items);
  if (b->failed) return;
  const uint32_t one = extended(&part, 0, false), other = extended(&part, 1, false);
  const uint32_t result = body_fresh(b);
  body_fresh(b);
  body_helper(b, "__unfold_umul_overflow", result, 2);
  body_of_register(b, one);
  body_of_register(b, other);
  body_of_number(b, width);
  body_begin(b, width == 64 ? CODE_MOVE : CODE_TRUNCATE, width, width == 64 ? 0 : part.to);
  body_of_register(b, result);
  body_number(b, width == 64 ? part.to : 64);
  body_begin(b, CODE_TRUNCATE, 1, part.to + 1);
  body_of_register(b, result + 1);
  body_number(b, 64);
}

/* Whether a floating point number is of one of some classes. */
static void test_class(struct body *b, LLVMValueRef i) {
  LLVMValueRef of = LLVMGetOperand(i, 0), classes = LLVMGetOperand(i, 1);
  const bool extended = is_extended(LLVMTypeOf(of));
  const unsigned width = extended ? 64 : body_width(b, of);
  const uint32_t result = body_fresh(b), bits = body_fresh(b);
  b->failed |= width == 0;
  body_begin(b, width == 32 ? CODE_ZERO_EXTEND : CODE_MOVE, 64, width == 32 ? bits : 0);
  body_value(b, of, 0);
  body_number(b, width == 32 ? width : bits);
  body_helper(b, extended ? "__unfold_class_of_extended" : "__unfold_class", result, 1);
  body_of_register(b, bits);
  if (extended)
    body_value(b, of, 1);
  else
    body_of_number(b, width);
  body_value(b, classes, 0);
  body_begin(b, CODE_TRUNCATE, 1, body_register(b, i));
  body_of_register(b, result);
  body_number(b, 64);
}

static bool extended_intrinsic(struct body *b, LLVMValueRef i, const char *name, size_t size) {
  if (begins(name, size, "llvm.fabs."))
    extended_absolute(b, i);
  else if (begins(name, size, "llvm.fmuladd."))
    extended_multiply_add(b, i);
  else
    return false;
  return true;
}

bool body_intrinsic(struct body *b, LLVMValueRef i, LLVMValueRef function) {
  size_t size;
  const char *name = LLVMIsAFunction(function) ? LLVMGetValueName2(function, &size) : NULL;
  if (name == NULL || !begins(name, size, "llvm.")) return false;
  if (is_extended(LLVMTypeOf(i)) && extended_intrinsic(b, i, name, size)) return true;
  for (size_t n = 0; n < sizeof parts / sizeof *parts; n++)
    if (begins(name, size, parts[n].name)) {
      each_part(b, i, parts[n].translate);
      return true;
    }
  for (size_t n = 0; n < sizeof reductions / sizeof *reductions; n++)
    if (begins(name, size, reductions[n].name)) {
      reduce(b, i, n);
      return true;
    }
  if (begins(name, size, "llvm.umul.with.overflow.")) {
    multiply_overflows(b, i);
  } else if (begins(name, size, "llvm.is.fpclass.")) {
    test_class(b, i);
  } else if (begins(name, size, "llvm.is.constant.")) {
    constant_result(b, i, 0);
  } else if (begins(name, size, "llvm.objectsize.")) {
    constant_result(b, i, LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1)) != 0 ? 0 : -1);
  } else {
    return false;
  }
  return true;
}
