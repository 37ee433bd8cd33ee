/* What the system is for a program: its clock, sleeping and waiting, descriptors. */
#ifndef LLVM_ENVIRONMENT_H
#define LLVM_ENVIRONMENT_H

#include "builtin.h"
#include "machine.h"

extern const struct builtin_entry builtins_environment[];

/* Whether one more limit of the thread may be over; else that was noted. */
bool machine_times_out(struct machine *m, struct thread *t);

#endif
