/* Functions. */
#ifndef LLVM_TRANSLATE_FUNCTION_H
#define LLVM_TRANSLATE_FUNCTION_H

#include "translate.h"

void translate_function(struct translation *t, LLVMValueRef function);

#endif
