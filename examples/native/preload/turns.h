/* Turns of a loop that waits. */
#ifndef NATIVE_PRELOAD_TURNS_H
#define NATIVE_PRELOAD_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct patched;
struct patch_frame;

/* The thread that calls is about to access an atomic object: whether it has done the same in some
 * turns of such a loop, and begins another one. */
bool turns_again(const struct patched *p, const struct patch_frame *frame, uint64_t address);
/* It has done so: the object has that value now; changed: it had another one before. */
void turns_did(const struct patched *p, uint64_t address, uint64_t value, bool changed);
/* A function of the C library wrote there, which is no atomic object. */
void turns_wrote(uint64_t address, uint64_t size);
/* It called sched_yield(); it slept. */
void turns_yielded(void);
void turns_slept(void);
/* Whether it yielded since its last access. */
bool turns_behind_yield(void);

#endif
