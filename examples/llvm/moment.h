/* A moment of an execution: what it changed in the machine. Kept moments are gone back to. */
#ifndef LLVM_MOMENT_H
#define LLVM_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "array.h"

struct machine;
struct thread;

/* A key of pthread_key_create(), and C11's. */
struct key {
  uint32_t number;
  uint64_t destructor;
  bool deleted;
};

/*
 * What an execution changes in the machine, beside its memory, its threads and the inputs it asked
 * for: all of it is kept in states (moment.c), so what is new in an execution belongs here.
 */
struct moment {
  uint32_t started; /* threads */
  unf_thread first; /* the thread of main */
  uint32_t at_exit; /* the function to call at the end of main; UINT32_MAX: none */
  bool exited;      /* main has returned, or exit() was called */
  struct array syncs;
  struct array initialised;
  struct key *keys;
  size_t key_count, key_room;
};

/* A moment of an execution, with all that belongs to it; NULL: none. */
struct kept_moment;

/* Keeps the moment at hand; NULL: no memory for it, and nothing has changed. */
struct kept_moment *machine_keep(struct machine *m);
/* Goes back to a moment. False: no memory, which is in status. */
bool machine_restore(struct machine *m, const struct kept_moment *kept);
void machine_drop(struct machine *m, struct kept_moment *kept);
void machine_drop_image(struct machine *m, struct thread *t);

#endif
