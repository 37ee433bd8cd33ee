/* Which function the machine has for a name. */
#ifndef LLVM_CALLS_H
#define LLVM_CALLS_H

#include "builtin.h"
#include "code.h"

/* What to call for each function of a program; NULL: no memory. */
builtin *builtins_find(const struct code *code);

#endif
