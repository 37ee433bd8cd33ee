/* Calls. */
#ifndef LLVM_TRANSLATE_CALL_H
#define LLVM_TRANSLATE_CALL_H

#include "body.h"

void translate_call(struct body *b, LLVMValueRef i);

#endif
