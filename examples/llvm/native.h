/*
 * The names that threads and objects have for `unfold` in a native program, which was compiled from
 * the same sources: an object in the data of the program by its symbol and the place in it, one
 * that was initialised at run time by the thread that did so and its count.
 */
#ifndef LLVM_NATIVE_H
#define LLVM_NATIVE_H

#include "machine.h"

struct native;

/* Reads the symbols of a program. NULL: they cannot be read, which was said. *status is the exit
 * status of that. */
struct native *native_open(const char *path, int *status);
void native_close(struct native *native);
/* The name of the program. */
const char *native_name(const struct native *native);
/* Where the names are. */
unf_unfolding *native_unfolding(const struct native *native);
/* The action with these names, as the thread performs it now. False: something has no name there;
 * *why says what, or is NULL if there is no memory. */
bool native_action(struct native *native, struct machine *m, const unf_action *action,
                   unf_action *out, const char **why);

#endif
