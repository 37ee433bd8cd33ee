/* The instructions of a program. */
#ifndef LLVM_INTERPRET_H
#define LLVM_INTERPRET_H

#include "machine.h"

/* Executes the instruction at which a thread is. */
enum flow machine_execute(struct machine *m, struct thread *t);

#endif
