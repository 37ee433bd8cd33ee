/* The library that is linked to programs. */
#ifndef LLVM_TRANSLATE_LIBRARY_H
#define LLVM_TRANSLATE_LIBRARY_H

#include "translate.h"

/* A file of the library, as bitcode. */
struct library_part {
  const unsigned char *bytes;
  size_t size;
};
extern const struct library_part library_parts[];
extern const size_t library_part_count;

/* Links the library behind a program, and finds what is reached. */
bool library_link(struct translation *t);
/* Whether a function comes from it. */
bool library_has(LLVMValueRef function);
bool library_reached(const struct translation *t, LLVMValueRef symbol);

#endif
