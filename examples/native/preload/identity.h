/* Numbers of processes and threads, and processors. */
#ifndef NATIVE_PRELOAD_IDENTITY_H
#define NATIVE_PRELOAD_IDENTITY_H

#include <stdint.h>

struct thread;

void identity_prepare(void);
/* The number of a thread, which follows from its name: the index-th of its parent. */
int identity_number(const struct thread *parent, uint32_t index);

#endif
