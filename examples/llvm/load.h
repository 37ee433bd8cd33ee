/* From C files and bitcode to a program in the compact form, by clang and by unfold-bitcode, which
 * are processes of their own. */
#ifndef LLVM_LOAD_H
#define LLVM_LOAD_H

#include "code.h"

/* Returns CLI_CLEAN, or another status when what is wrong was said. */
int load_program(struct code *code, char **files, int count, const char *clang_flags);
/* The path of a program that stands beside this one, to be freed; NULL: no memory. */
char *load_beside(const char *name);

#endif
