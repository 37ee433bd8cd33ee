#include "translate_constants.h"

#include <stdlib.h>
#include <string.h>

#include "translate.h"
#include "translate_types.h"

static bool number_of(struct constant *out, int64_t value) {
  *out = (struct constant){CONSTANT_NUMBER, value, 0};
  return true;
}

static int64_t integer_of(LLVMValueRef value) {
  return LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1 ? (int64_t)LLVMConstIntGetZExtValue(value)
                                                     : (int64_t)LLVMConstIntGetSExtValue(value);
}

static bool float_of(LLVMValueRef value, struct constant *out) {
  LLVMBool inexact;
  const double number = LLVMConstRealGetDouble(value, &inexact);
  int64_t bits = 0;
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind) {
    const float single = (float)number;
    int32_t low;
    memcpy(&low, &single, sizeof low);
    bits = low;
  } else {
    memcpy(&bits, &number, sizeof bits);
  }
  return number_of(out, bits);
}

int64_t label_number(LLVMBasicBlockRef block) {
  int64_t number = 1;
  LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(LLVMGetBasicBlockParent(block));
  for (; at != block; at = LLVMGetNextBasicBlock(at))
    number++;
  return number;
}

__extension__ typedef unsigned __int128 wide;

/* A part of an extended floating point number: its text is 0xK, 4 hexadecimal digits of the upper
 * part, and 16 of the lower one. */
static bool extended_of(LLVMValueRef value, uint32_t part, struct constant *out) {
  enum { DIGITS = 4 };
  char *text = LLVMPrintValueToString(value);
  char *at = strstr(text, "0xK"), upper[DIGITS + 1] = "";
  const bool good = at != NULL && strlen(at += strlen("0xK")) > DIGITS;
  if (good) memcpy(upper, at, DIGITS);
  const int64_t number = part == 0 ? (int64_t)strtoull(good ? at + DIGITS : "", NULL, 16)
                                   : (int16_t)strtoul(upper, NULL, 16);
  LLVMDisposeMessage(text);
  return good && number_of(out, number);
}

/* A part of a number of 65 to 128 bits. LLVM's C interface has no other way to it than its text,
 * which is decimal. */
static int64_t half_of(LLVMValueRef value, uint32_t half) {
  char *text = LLVMPrintValueToString(value);
  const char *at = strchr(text, ' ');
  wide number = 0;
  const bool negative = at != NULL && at[1] == '-';
  for (at = at != NULL ? at + 1 + negative : ""; *at >= '0' && *at <= '9'; at++)
    number = 10 * number + (unsigned)(*at - '0');
  LLVMDisposeMessage(text);
  if (negative) number = -number;
  return (int64_t)(uint64_t)(half == 0 ? number : number >> 64);
}

/* A constant address, with constant indices behind it. */
static bool element_of(struct translation *t, LLVMValueRef value, struct constant *out) {
  if (!find_constant(t, LLVMGetOperand(value, 0), 0, out)) return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
  for (int i = 1; i < LLVMGetNumOperands(value); i++) {
    LLVMValueRef index = LLVMGetOperand(value, (unsigned)i);
    if (!LLVMIsAConstantInt(index)) return false;
    const int64_t number = LLVMConstIntGetSExtValue(index);
    if (i == 1) {
      out->value += number * (int64_t)LLVMABISizeOfType(t->layout, type);
      continue;
    }
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) return false;
    LLVMTypeRef element = element_type(type, (uint32_t)number);
    out->value += kind == LLVMStructTypeKind
                      ? (int64_t)element_offset(t, type, (uint32_t)number)
                      : number * (int64_t)LLVMABISizeOfType(t->layout, element);
    type = element;
  }
  return true;
}

static bool expression_of(struct translation *t, LLVMValueRef value, struct constant *out) {
  struct constant right;
  switch (LLVMGetConstOpcode(value)) {
  case LLVMGetElementPtr:
    return element_of(t, value, out);
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
    return leaf_count(t, LLVMTypeOf(value)) == 1 &&
           LLVMABISizeOfType(t->layout, LLVMTypeOf(value)) == sizeof(int64_t) &&
           find_constant(t, LLVMGetOperand(value, 0), 0, out);
  case LLVMAdd:
  case LLVMSub:
    if (!find_constant(t, LLVMGetOperand(value, 0), 0, out) ||
        !find_constant(t, LLVMGetOperand(value, 1), 0, &right))
      return false;
    if (LLVMGetConstOpcode(value) == LLVMAdd) {
      if (right.kind != CONSTANT_NUMBER) return false;
      out->value += right.value;
      return true;
    }
    if (right.kind == out->kind && right.index == out->index)
      return number_of(out, out->value - right.value);
    out->value -= right.value;
    return right.kind == CONSTANT_NUMBER;
  default:
    return false;
  }
}

static bool part_of(struct translation *t, LLVMValueRef value, uint32_t leaf,
                    struct constant *out) {
  LLVMTypeRef type = LLVMTypeOf(value);
  for (uint32_t i = 0;; i++) {
    const uint32_t first = leaf_index(t, type, i), next = leaf_index(t, type, i + 1);
    if (leaf >= next) continue;
    LLVMValueRef element = LLVMGetAggregateElement(value, i);
    return element != NULL && find_constant(t, element, leaf - first, out);
  }
}

bool find_constant(struct translation *t, LLVMValueRef value, uint32_t leaf, struct constant *out) {
  const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
    return number_of(out, integer_of(value));
  if (LLVMIsAConstantInt(value) && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 128)
    return number_of(out, half_of(value, leaf));
  if (LLVMIsABlockAddress(value))
    return number_of(out, label_number(LLVMValueAsBasicBlock(LLVMGetOperand(value, 1))));
  if (LLVMIsAConstantFP(value) && (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind))
    return float_of(value, out);
  if (LLVMIsAConstantFP(value) && kind == LLVMX86_FP80TypeKind)
    return extended_of(value, leaf, out);
  if (LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsPoison(value)) return number_of(out, 0);
  if (LLVMIsAGlobalAlias(value)) return find_constant(t, LLVMAliasGetAliasee(value), leaf, out);
  if (LLVMIsAGlobalVariable(value) && LLVMIsDeclaration(value)) /* no file defines it */
    return LLVMGetLinkage(value) == LLVMExternalWeakLinkage && number_of(out, 0);
  const uint32_t symbol = map_get(&t->symbols, (uint64_t)(uintptr_t)value, 0, 0);
  if (symbol != UINT32_MAX) {
    *out =
        (struct constant){LLVMIsAFunction(value) ? CONSTANT_FUNCTION : CONSTANT_GLOBAL, 0, symbol};
    return true;
  }
  if (LLVMIsAConstantExpr(value)) return expression_of(t, value, out);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind)
    return part_of(t, value, leaf, out);
  return false;
}

static void put_raw(struct bytes *out, uint64_t offset, const void *data, uint64_t size,
                    uint32_t *count) {
  put_number(out, offset);
  put_number(out, size);
  put_bytes(out, data, (size_t)size);
  (*count)++;
}

/* A floating point number of a type that no instruction is for: what reads it is refused. Its text
 * is 0x, a letter, and hexadecimal digits, of 128 bits those of the lower half first. */
static bool write_other_float(struct translation *t, LLVMValueRef value, uint64_t offset,
                              struct bytes *out, uint32_t *count) {
  enum { HALF = 16 };
  const uint64_t size = LLVMABISizeOfType(t->layout, LLVMTypeOf(value));
  char *text = LLVMPrintValueToString(value), *at = strstr(text, "0x"), lower[HALF + 1] = "";
  uint64_t parts[2] = {0, 0};
  const bool good = at != NULL && size <= sizeof parts && strlen(at) > 3;
  if (good) memcpy(lower, at + 3, strnlen(at + 3, HALF));
  parts[0] = strtoull(lower, NULL, 16);
  if (good && strlen(at + 3) > HALF) parts[1] = strtoull(at + 3 + HALF, NULL, 16);
  LLVMDisposeMessage(text);
  if (good) put_raw(out, offset, parts, size, count);
  return good;
}

static bool write_scalar(struct translation *t, LLVMValueRef value, uint64_t offset,
                         struct bytes *out, uint32_t *count) {
  struct constant constant;
  const uint64_t size = LLVMABISizeOfType(t->layout, LLVMTypeOf(value));
  if (!find_constant(t, value, 0, &constant))
    return LLVMIsAConstantFP(value) && write_other_float(t, value, offset, out, count);
  if (has_two_parts(LLVMTypeOf(value))) {
    const uint64_t bits = LLVMSizeOfTypeInBits(t->layout, LLVMTypeOf(value));
    put_raw(out, offset, &constant.value, sizeof constant.value, count);
    if (!find_constant(t, value, 1, &constant)) return false;
    put_raw(out, offset + sizeof constant.value, &constant.value, (bits - 64 + 7) / 8, count);
    return true;
  }
  if (constant.kind == CONSTANT_NUMBER) {
    if (size > sizeof constant.value) return false;
    put_raw(out, offset, &constant.value, size, count);
    return true;
  }
  if (size != sizeof constant.value) return false;
  put_number(out, offset);
  put_number(out, 0);
  put_number(out, constant_number(t, constant.kind, constant.value, constant.index));
  (*count)++;
  return true;
}

bool write_pieces(struct translation *t, LLVMValueRef value, uint64_t offset, struct bytes *out,
                  uint32_t *count) {
  LLVMTypeRef type = LLVMTypeOf(value);
  const LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (LLVMIsNull(value) || LLVMIsUndef(value)) return true;
  if (LLVMIsConstantString(value)) {
    size_t size;
    const char *text = LLVMGetAsString(value, &size);
    put_raw(out, offset, text, size, count);
    return true;
  }
  if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind)
    return write_scalar(t, value, offset, out, count);
  const uint64_t elements = kind == LLVMStructTypeKind   ? LLVMCountStructElementTypes(type)
                            : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
                                                         : LLVMGetArrayLength2(type);
  for (uint32_t i = 0; i < elements; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(value, i);
    if (element == NULL ||
        !write_pieces(t, element, offset + element_offset(t, type, i), out, count))
      return false;
  }
  return true;
}
