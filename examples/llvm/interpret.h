/* The instructions of a program. */
#ifndef LLVM_INTERPRET_H
#define LLVM_INTERPRET_H

#include "machine.h"

/* Begins a function of the program. False: the thread stands, for it cannot be called so. */
bool machine_enter(struct machine *m, struct thread *t, const struct arguments *a);
/* Executes the instruction at which a thread is. */
enum flow machine_execute(struct machine *m, struct thread *t);

#endif
