/* Functions of numbers. */
#ifndef LLVM_NUMERIC_H
#define LLVM_NUMERIC_H

#include "builtin.h"

/* NULL: none has this name. */
builtin numeric_find(const char *name);

#endif
