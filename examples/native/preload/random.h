/* Random numbers. */
#ifndef NATIVE_PRELOAD_RANDOM_H
#define NATIVE_PRELOAD_RANDOM_H

#include <stdint.h>

struct thread;

/* Of the index-th thread of its parent. */
uint32_t random_seed(const struct thread *parent, uint32_t index);

#endif
