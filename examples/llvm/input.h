/* Inputs, as threads ask for them. */
#ifndef LLVM_INPUT_H
#define LLVM_INPUT_H

#include "machine.h"

/* The next input of a thread, of so many bits, by the function __VERIFIER_nondet_… of this
 * type, in static storage, or as bytes in memory (NULL). False: the thread stands. */
bool machine_input(struct machine *m, struct thread *t, unsigned width, const char *name,
                   const char *type, struct value *value);

#endif
