/* Numbers of 65 to 128 bits, and vectors. */
#ifndef LLVM_TRANSLATE_WIDE_H
#define LLVM_TRANSLATE_WIDE_H

#include "body.h"

/* Whether it is a number of 65 to 128 bits. */
bool is_wide(LLVMTypeRef type);
bool is_vector(LLVMTypeRef type);
/* Begins a call of a function of the library; its arguments are the values that come next. */
void body_helper(struct body *b, const char *name, uint32_t result, uint32_t results);
void wide_compare(struct body *b, LLVMValueRef i, enum comparison comparison, LLVMValueRef one,
                  LLVMValueRef other);
void wide_two(struct body *b, LLVMValueRef i, enum instruction_kind kind);
void wide_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind);
void wide_cast(struct body *b, LLVMValueRef i);
/* 64 bits of a vector, the lowest first, in a register. */
uint32_t wide_word(struct body *b, LLVMValueRef vector, unsigned number);
void wide_extract(struct body *b, LLVMValueRef i);
void wide_insert(struct body *b, LLVMValueRef i);
void wide_shuffle(struct body *b, LLVMValueRef i);

#endif
