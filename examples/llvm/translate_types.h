/* The parts of types. */
#ifndef LLVM_TRANSLATE_TYPES_H
#define LLVM_TRANSLATE_TYPES_H

#include "translate.h"

/* A part of a value that has a register of its own. */
struct leaf {
  uint8_t width;
  uint64_t offset; /* of its bytes in memory */
};
struct leaves {
  struct leaf *items;
  size_t count, room;
};

/* Whether it is an extended floating point number or an integer of more than 64 bits. */
bool has_two_parts(LLVMTypeRef type);
/* The parts of a type are listed behind those that are there. False: some cannot be registers. */
bool list_leaves(const struct translation *t, LLVMTypeRef type, uint64_t offset,
                 struct leaves *leaves);
/* How many registers a type needs: at least one, unless it is void. */
uint32_t leaf_count(const struct translation *t, LLVMTypeRef type);
/* The number of the first part of element `index` of a structure or array. */
uint32_t leaf_index(const struct translation *t, LLVMTypeRef type, uint32_t index);
LLVMTypeRef element_type(LLVMTypeRef type, uint32_t index);
uint64_t element_offset(const struct translation *t, LLVMTypeRef type, uint32_t index);

#endif
