/* Regions of a program that are not interrupted: between __VERIFIER_atomic_begin() and _end(), and
 * functions whose names begin so. All have one lock, which a thread can take again. */
#ifndef LLVM_REGIONS_H
#define LLVM_REGIONS_H

#include "builtin.h"
#include "machine.h"

extern const struct builtin_entry builtins_regions[];

/* A function of the program that runs without another's, under the lock of what must not be
 * interrupted. */
enum flow regions_function(struct machine *m, struct thread *t, const struct arguments *a);
/* Such regions as the program begins them, for one instruction: whether the thread is in one; it is
 * about to enter one, and is in it in the next phase; it has entered (false: it stands); it is
 * about to leave, and is outside in the next phase. */
bool regions_inside(struct machine *m, struct thread *t);
enum flow regions_enter(struct machine *m, struct thread *t, uint32_t phase);
bool regions_entered(struct machine *m, struct thread *t);
enum flow regions_leave(struct machine *m, struct thread *t, uint32_t phase);

#endif
