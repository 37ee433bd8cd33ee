/* Instructions on extended floating point numbers, and on floating point numbers and integers of
 * more than 64 bits. */
#ifndef LLVM_TRANSLATE_EXTENDED_H
#define LLVM_TRANSLATE_EXTENDED_H

#include "body.h"

bool is_extended(LLVMTypeRef type);
/* What an instruction of this kind becomes whose type, or that of its operands, is extended. */
void extended_two(struct body *b, LLVMValueRef i, enum instruction_kind kind);
void extended_negate(struct body *b, LLVMValueRef i);
void extended_compare(struct body *b, LLVMValueRef i, uint32_t set);
/* Between floating point numbers and integers, of which one is extended or has more than 64 bits.
 */
void extended_convert(struct body *b, LLVMValueRef i, enum instruction_kind kind);
/* Intrinsics: without its sign; a product and a sum. */
void extended_absolute(struct body *b, LLVMValueRef i);
void extended_multiply_add(struct body *b, LLVMValueRef i);

#endif
