/* Rwlocks that are held for reading. */
#ifndef NATIVE_PRELOAD_RWLOCK_H
#define NATIVE_PRELOAD_RWLOCK_H

#include <stdint.h>

struct object;
struct thread;

/* A rwlock that a thread holds for reading. */
struct read_hold {
  struct object *object;
  uint64_t place;
  uint32_t depth; /* how often, beyond the first time */
  struct read_hold *next;
};

struct read_hold *read_hold_of(const struct thread *t, const struct object *o);

#endif
