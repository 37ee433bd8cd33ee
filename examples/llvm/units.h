/* Locks for readers and writers, semaphores, barriers. */
#ifndef LLVM_UNITS_H
#define LLVM_UNITS_H

#include "builtin.h"

extern const struct builtin_entry builtins_units[];

#endif
