/* Calls of intrinsics. */
#ifndef LLVM_TRANSLATE_INTRINSIC_H
#define LLVM_TRANSLATE_INTRINSIC_H

#include "body.h"

/* False if it is a call like others. */
bool body_intrinsic(struct body *b, LLVMValueRef i, LLVMValueRef function);

#endif
