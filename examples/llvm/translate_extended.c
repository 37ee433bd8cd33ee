/* Extended floating point numbers (the x86_fp80 of LLVM), which are two registers each. */
#include "translate_extended.h"

#include <stdio.h>

#include "translate_types.h"
#include "translate_wide.h"

bool is_extended(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMX86_FP80TypeKind;
}

static void both_parts(struct body *b, LLVMValueRef value) {
  body_value(b, value, 0);
  body_value(b, value, 1);
}

void extended_two(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  b->failed |= kind < CODE_FLOAT_ADD || kind > CODE_FLOAT_REMAINDER;
  body_begin(b, kind - CODE_FLOAT_ADD + CODE_EXTENDED_ADD, 64, body_register(b, i));
  both_parts(b, LLVMGetOperand(i, 0));
  both_parts(b, LLVMGetOperand(i, 1));
}

void extended_negate(struct body *b, LLVMValueRef i) {
  body_begin(b, CODE_EXTENDED_NEGATE, 64, body_register(b, i));
  both_parts(b, LLVMGetOperand(i, 0));
}

void extended_compare(struct body *b, LLVMValueRef i, uint32_t set) {
  body_begin(b, CODE_EXTENDED_COMPARE, 64, body_register(b, i));
  both_parts(b, LLVMGetOperand(i, 0));
  both_parts(b, LLVMGetOperand(i, 1));
  body_number(b, set);
}

/* ---- conversions ---- */

/* A floating point number as an extended one: the first of its two registers. */
static uint32_t extend(struct body *b, LLVMValueRef from) {
  const uint32_t to = body_fresh(b);
  body_fresh(b);
  if (is_extended(LLVMTypeOf(from))) {
    body_begin(b, CODE_MOVE, 64, 0);
    both_parts(b, from);
    body_number(b, to);
    body_number(b, to + 1);
  } else {
    body_begin(b, CODE_FLOAT_TO_EXTENDED, body_width(b, from), to);
    body_value(b, from, 0);
  }
  return to;
}

/* From or to an integer of more than 64 bits, by the library (library/bits.c). */
static void convert_wide(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  const bool is_signed = kind == CODE_FLOAT_TO_SIGNED || kind == CODE_SIGNED_TO_FLOAT;
  const bool to_integer = kind == CODE_FLOAT_TO_SIGNED || kind == CODE_FLOAT_TO_UNSIGNED;
  LLVMTypeRef integer = LLVMTypeOf(to_integer ? i : from),
              other = LLVMTypeOf(to_integer ? from : i);
  const LLVMTypeKind target = LLVMGetTypeKind(other);
  const char *of = target == LLVMFloatTypeKind    ? "float"
                   : target == LLVMDoubleTypeKind ? "double"
                                                  : "extended";
  char name[64];
  b->failed |= LLVMGetIntTypeWidth(integer) != 128 ||
               (target != LLVMFloatTypeKind && target != LLVMDoubleTypeKind && !is_extended(other));
  if (b->failed) return;
  if (to_integer) {
    const uint32_t extended = extend(b, from);
    body_helper(b,
                is_signed ? "__unfold_extended_to_signed128" : "__unfold_extended_to_unsigned128",
                body_register(b, i), 2);
    body_of_register(b, extended);
    body_of_register(b, extended + 1);
    return;
  }
  snprintf(name, sizeof name, "__unfold_%ssigned128_to_%s", is_signed ? "" : "un", of);
  body_helper(b, name, body_register(b, i), is_extended(other) ? 2 : 1);
  both_parts(b, from);
}

void extended_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind) {
  LLVMValueRef from = LLVMGetOperand(i, 0);
  const uint32_t to = body_register(b, i);
  if (is_wide(LLVMTypeOf(from)) || is_wide(LLVMTypeOf(i))) {
    convert_wide(b, i, kind);
    return;
  }
  switch (kind) {
  case CODE_FLOAT_TO_SIGNED:
  case CODE_FLOAT_TO_UNSIGNED:
    body_begin(b,
               kind == CODE_FLOAT_TO_SIGNED ? CODE_EXTENDED_TO_SIGNED : CODE_EXTENDED_TO_UNSIGNED,
               body_width(b, i), to);
    both_parts(b, from);
    break;
  case CODE_SIGNED_TO_FLOAT:
  case CODE_UNSIGNED_TO_FLOAT:
    body_begin(b,
               kind == CODE_SIGNED_TO_FLOAT ? CODE_SIGNED_TO_EXTENDED : CODE_UNSIGNED_TO_EXTENDED,
               body_width(b, from), to);
    body_value(b, from, 0);
    break;
  default:
    if (is_extended(LLVMTypeOf(i))) {
      body_begin(b, CODE_FLOAT_TO_EXTENDED, body_width(b, from), to);
      body_value(b, from, 0);
    } else {
      body_begin(b, CODE_EXTENDED_TO_FLOAT, body_width(b, i), to);
      both_parts(b, from);
    }
    break;
  }
}

/* ---- intrinsics ---- */

void extended_absolute(struct body *b, LLVMValueRef i) {
  const uint32_t to = body_register(b, i);
  body_begin(b, CODE_MOVE, 64, 0);
  body_value(b, LLVMGetOperand(i, 0), 0);
  body_number(b, to);
  body_begin(b, CODE_AND, 16, to + 1);
  body_value(b, LLVMGetOperand(i, 0), 1);
  body_of_number(b, INT16_MAX);
}

/* Rounded twice, as x86-64 has no instruction for both. */
void extended_multiply_add(struct body *b, LLVMValueRef i) {
  const uint32_t product = body_fresh(b);
  body_fresh(b);
  body_begin(b, CODE_EXTENDED_MULTIPLY, 64, product);
  both_parts(b, LLVMGetOperand(i, 0));
  both_parts(b, LLVMGetOperand(i, 1));
  body_begin(b, CODE_EXTENDED_ADD, 64, body_register(b, i));
  body_of_register(b, product);
  body_of_register(b, product + 1);
  both_parts(b, LLVMGetOperand(i, 2));
}
