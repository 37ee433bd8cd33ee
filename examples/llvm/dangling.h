/*
 * Pointers that are left of an object that was freed, to an address that another object has now: a
 * late use through one would not be seen as such. Looked for when an address is given for the
 * second time. There is none later if there is none now, since a pointer comes from another one.
 * Numbers from which an address can be computed otherwise than by adding are not found, but for one
 * with a mark in its upper 16 bits.
 */
#ifndef LLVM_DANGLING_H
#define LLVM_DANGLING_H

#include "machine.h"

/* Whether memory, a thread or a term may have a pointer to a new object, which has just got an
 * address of others: if so, or if more was looked through by now than was worked.
 * O(memory + terms made since the last call), in all calls together O(instructions). */
bool dangling_found(struct machine *m, const struct object *o);
/* Terms are looked at from the first one on again. */
void dangling_forget(struct machine *m);

#endif
