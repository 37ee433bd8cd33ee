/* What is done once. */
#ifndef NATIVE_PRELOAD_ONCE_H
#define NATIVE_PRELOAD_ONCE_H

#include <stdint.h>

struct thread;

/* A thread has left what it did once, where that is in frames below that address. */
void once_left(struct thread *t, uint64_t frame);

#endif
