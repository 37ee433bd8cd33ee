/* Instructions for memory. */
#ifndef LLVM_TRANSLATE_MEMORY_H
#define LLVM_TRANSLATE_MEMORY_H

#include "body.h"

/* A load or store. */
void memory_access(struct body *b, LLVMValueRef i);
void memory_update(struct body *b, LLVMValueRef i);
void memory_exchange(struct body *b, LLVMValueRef i);
void memory_allocate(struct body *b, LLVMValueRef i);
void memory_element(struct body *b, LLVMValueRef i);

#endif
