/* Constants, and the values of globals. */
#ifndef LLVM_TRANSLATE_CONSTANTS_H
#define LLVM_TRANSLATE_CONSTANTS_H

#include "translate.h"

/* Part number `leaf` of a constant. False: it cannot be a number, or a place in the program. */
bool find_constant(struct translation *t, LLVMValueRef value, uint32_t leaf, struct constant *out);
/* The number that stands for the address of a label. */
int64_t label_number(LLVMBasicBlockRef block);
/* Writes the values of a global that are not 0, and returns how many pieces these are. False: one
 * cannot be written. */
bool write_pieces(struct translation *t, LLVMValueRef value, uint64_t offset, struct bytes *out,
                  uint32_t *count);

#endif
