/*
 * Leaks: memory of malloc() that was not freed, and that no pointer reaches at the end of an
 * execution. As LeakSanitizer has it, pointers are looked for in words at multiples of eight, and
 * one into the middle of an object reaches it. They are reached from global variables, from what
 * the threads have that were not at their end when the process was (stacks, registers, variables of
 * threads, values of keys), from results that a join could still get, and from what is reached.
 */
#ifndef LLVM_LEAKS_H
#define LLVM_LEAKS_H

#include <stdbool.h>

#include "machine.h"

/* What is told of a lost object. False: no memory. */
typedef bool leaks_lost(void *user, const struct object *object);

/* Calls a function for each object that is lost. *unsure: some other one is reached only by a
 * pointer that depends on inputs, which reaches each object whose address is in its term. False: no
 * memory. O(n log n) for n bytes of memory. */
bool leaks_find(struct machine *m, leaks_lost *lost, void *user, bool *unsure);

#endif
