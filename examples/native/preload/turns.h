/* Turns of a loop that says that it waits. */
#ifndef NATIVE_PRELOAD_TURNS_H
#define NATIVE_PRELOAD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct patched;

/* The thread that calls is about to access an atomic object: whether it has done the same in two
 * turns of such a loop, and begins a third one. */
bool turns_again(const struct patched *p, uint64_t address);
/* It has done so: the object has that value now; changed: it had another one before. */
void turns_did(const struct patched *p, uint64_t address, uint64_t value, bool changed);
/* It called sched_yield(). */
void turns_yielded(void);
/* Whether it did so since its last access. */
bool turns_behind_yield(void);

#endif
