/* How threads begin and end. */
#ifndef LLVM_ENDS_H
#define LLVM_ENDS_H

#include "builtin.h"
#include "machine.h"

extern const struct builtin_entry builtins_ends[];

/* The thread is at its end, or calls a function first that is left to call: with exit() or
 * the end of main those of atexit(), else destructors. */
enum flow sync_leave(struct machine *m, struct thread *t, bool exits);

/* Whether an object is the semaphore that whoever joins a thread takes, where several do so. */
bool ends_is_joins(const unf_unfolding *unfolding, unf_object object);

#endif
