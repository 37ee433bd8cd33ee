/*
 * Calls. Arguments behind the parameters of a variadic function are the words of 8 bytes that
 * va_arg of x86-64 finds where those are that do not fit into registers: what is aligned to 16
 * bytes is so there, behind a word that nobody reads if need be; a structure that is passed in
 * memory is its words.
 */
#include "translate_call.h"

#include <string.h>

#include "body.h"
#include "translate_extended.h"
#include "translate_intrinsic.h"
#include "translate_types.h"
#include "translate_wide.h"

enum { ARGUMENTS_MAX = 256, WORD = 8 };

static bool starts_with(const char *text, size_t size, const char *prefix) {
  return size >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* Calls that are remarks to a compiler. */
static bool is_remark(LLVMValueRef function) {
  static const char *const remarks[] = {"llvm.dbg.",
                                        "llvm.lifetime.",
                                        "llvm.prefetch.",
                                        "llvm.assume",
                                        "llvm.donothing",
                                        "llvm.var.annotation",
                                        "llvm.invariant.start",
                                        "llvm.invariant.end",
                                        "llvm.experimental.noalias.scope.decl"};
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

/* The words that a structure has, the last one whole. */
static uint64_t words_of(const struct body *b, LLVMTypeRef type) {
  return (LLVMABISizeOfType(b->t->layout, type) + WORD - 1) / WORD;
}

/* A copy of what an argument points to, in the caller; its address. */
static uint32_t copy(struct body *b, LLVMValueRef argument, LLVMTypeRef type) {
  const uint32_t to = body_fresh(b);
  const uint64_t size = LLVMABISizeOfType(b->t->layout, type);
  const uint32_t memcpy_of = b->t->function_count; /* the function that translate.c adds */
  body_begin(b, CODE_ALLOCATE, 64, to);
  body_of_number(b, 1);
  body_number(b, words_of(b, type) * WORD);
  body_number(b, 16);
  body_number(b, b->no_name);
  body_begin(b, CODE_CALL, 64, 0);
  body_constant(b, (struct constant){CONSTANT_FUNCTION, 0, memcpy_of});
  body_of_register(b, to);
  body_value(b, argument, 0);
  body_of_number(b, (int64_t)size);
  body_number(b, 0);
  return to;
}

/* ---- arguments ---- */

/* A vector among variable arguments, which a small structure of floating point numbers becomes. */
static unsigned vector_word_count(LLVMTypeRef type) {
  LLVMTypeRef element = LLVMGetElementType(type);
  const LLVMTypeKind kind = LLVMGetTypeKind(element);
  const unsigned width = kind == LLVMFloatTypeKind     ? 32
                         : kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(element)
                                                       : 64;
  return LLVMGetVectorSize(type) * width / (8 * WORD);
}

static uint32_t vector_words(struct body *b, LLVMValueRef vector) {
  const unsigned count = vector_word_count(LLVMTypeOf(vector));
  uint32_t words[ARGUMENTS_MAX];
  b->failed |= count == 0 || count > ARGUMENTS_MAX;
  for (unsigned n = 0; !b->failed && n < count; n++)
    words[n] = wide_word(b, vector, n);
  const uint32_t first = b->register_count;
  for (unsigned n = 0; !b->failed && n < count; n++) {
    const uint32_t to = body_fresh(b);
    body_begin(b, CODE_MOVE, 64, 0);
    body_of_register(b, words[n]);
    body_number(b, to);
  }
  return first;
}

struct argument {
  LLVMValueRef value;
  LLVMTypeRef copied; /* NULL: it is not passed as a copy */
  uint32_t copy;      /* the register with its address */
  bool variable;      /* it stands behind the parameters */
};

static uint64_t alignment_of(LLVMValueRef call, unsigned argument) {
  const unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
  return attribute != NULL ? LLVMGetEnumAttributeValue(attribute) : 1;
}

/* The words of a copy, each in a register; the first of these. Bytes that were never written are 0
 * behind this. */
static uint32_t load_words(struct body *b, const struct argument *a) {
  const uint64_t count = words_of(b, a->copied);
  const uint32_t first = b->register_count;
  b->failed |= count > ARGUMENTS_MAX;
  for (uint64_t n = 0; !b->failed && n < count; n++)
    body_fresh(b);
  for (uint64_t n = 0; !b->failed && n < count; n++) {
    const uint32_t at = body_fresh(b);
    body_begin(b, CODE_ADDRESS, 64, at);
    body_of_register(b, a->copy);
    body_of_number(b, (int64_t)n * WORD);
    body_number(b, 1);
    body_begin(b, CODE_LOAD_PART, 64, first + (uint32_t)n);
    body_of_register(b, at);
    body_number(b, 1);
  }
  return first;
}

/* What an argument needs that is computed before the call. */
static void prepare(struct body *b, LLVMValueRef call, unsigned number, struct argument *a) {
  a->value = LLVMGetOperand(call, number);
  a->copied = copied_type(call, number);
  a->variable = number >= LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
  if (a->copied != NULL) a->copy = copy(b, a->value, a->copied);
  if (a->copied != NULL && a->variable)
    a->copy = load_words(b, a);
  else if (a->variable && is_vector(LLVMTypeOf(a->value)))
    a->copy = vector_words(b, a->value);
}

/* Whether an argument behind the parameters begins at a multiple of two words. */
static bool is_even(LLVMValueRef call, unsigned number, const struct argument *a) {
  enum { ALIGNED = 2 * WORD };
  if (a->copied != NULL) return alignment_of(call, number) >= ALIGNED;
  LLVMTypeRef type = LLVMTypeOf(a->value);
  return has_two_parts(type) || (is_vector(type) && vector_word_count(type) > 1);
}

static void pass(struct body *b, const struct argument *a) {
  LLVMTypeRef type = LLVMTypeOf(a->value);
  const bool in_words = a->variable && (a->copied != NULL || is_vector(type));
  if (a->copied != NULL && !a->variable) {
    body_of_register(b, a->copy);
  } else if (in_words) {
    const uint64_t count = a->copied != NULL ? words_of(b, a->copied) : vector_word_count(type);
    for (uint64_t n = 0; n < count; n++)
      body_of_register(b, a->copy + (uint32_t)n);
  } else {
    const uint32_t leaves = leaf_count(b->t, type);
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
      body_value(b, a->value, leaf);
  }
}

void translate_call(struct body *b, LLVMValueRef i) {
  struct argument arguments[ARGUMENTS_MAX];
  LLVMValueRef callee = LLVMGetCalledValue(i);
  const unsigned count = LLVMGetNumArgOperands(i);
  if (is_remark(callee) || body_intrinsic(b, i, callee)) return;
  b->failed |= LLVMIsAInlineAsm(callee) != NULL || count > ARGUMENTS_MAX;
  for (unsigned n = 0; !b->failed && n < count; n++)
    prepare(b, i, n, &arguments[n]);
  const bool used = LLVMGetFirstUse(i) != NULL; /* functions may look at that */
  const uint32_t results = used ? leaf_count(b->t, LLVMTypeOf(i)) : 0;
  body_begin(b, CODE_CALL, 64, results > 0 ? body_register(b, i) : 0);
  if (b->failed) return;
  body_value(b, callee, 0);
  uint32_t variable = UINT32_MAX; /* where those behind the parameters begin */
  for (unsigned n = 0; !b->failed && n < count; n++) {
    const struct argument *a = &arguments[n];
    if (LLVMGetTypeKind(LLVMTypeOf(a->value)) == LLVMMetadataTypeKind) continue;
    const uint32_t at = b->items[b->count - 1].values;
    if (a->variable && variable == UINT32_MAX) variable = at;
    if (a->variable && (at - variable) % 2 != 0 && is_even(i, n, a)) body_of_number(b, 0);
    pass(b, a);
  }
  body_number(b, results);
}
