/* Floating point numbers as texts. */
#ifndef LLVM_TEXTS_H
#define LLVM_TEXTS_H

#include "builtin.h"

extern const struct builtin_entry builtins_texts[];

#endif
