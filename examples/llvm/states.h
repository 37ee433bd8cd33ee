/*
 * States of the program that are kept, so that an execution goes on from the last one on its way
 * instead of the beginning. There is a tree of them: each has what led to it from the one before.
 * The library knows them by name and says which are not needed any more (unf_explorer_save());
 * others go when all together take too much memory, and cost only time then.
 */
#ifndef LLVM_STATES_H
#define LLVM_STATES_H

#include "machine.h"
#include "slots.h"

/* What the race detector was told behind a step: an access, or that bytes are others now. */
struct told {
  uint64_t step;
  unf_access access; /* thread: UNF_THREAD_NONE if the bytes are others now */
};

struct state {
  bool named;      /* by the library, from which it can still come back */
  bool touched;    /* used since states were last looked through */
  uint64_t from;   /* the name of the state before it on its way; 0: the beginning */
  uint64_t states; /* how many have it before them */
  uint64_t steps;
  uint64_t decisions;         /* that were made up to there */
  struct kept_moment *moment; /* NULL: it took too much */
  struct told *told;          /* since the state before it */
  size_t told_count;
};

struct states {
  struct machine *machine;
  uint64_t every;         /* steps from one to the next; 0: none are kept */
  uint64_t most;          /* bytes that they can take, with the state at hand */
  struct cli_slots slots; /* struct state, by name */
  uint64_t next;          /* to be looked at when some have to go */
  uint64_t at;            /* the last one on the way of the execution; 0: the beginning */
  uint64_t steps;         /* of the execution at hand */
  uint64_t instructions;  /* of the machine when the execution was at `at` */
  struct told *told;      /* since `at` */
  size_t told_count, told_room;
  uint64_t told_bytes; /* of those that states have */
  /* For statistics. */
  uint64_t kept, restored, gone;
  uint64_t bytes; /* the most that all took, with the state at hand */
};

void states_begin(struct states *states, struct machine *machine, uint64_t every, uint64_t most);
void states_free(struct states *states);
/* An execution starts at the beginning. */
void states_restart(struct states *states);
/* The race detector is told something. False: no memory. */
bool states_tell(struct states *states, const unf_access *access);
/* Keeps the state at hand if it is time to, and returns its name, or 0. */
uint64_t states_step(struct states *states);
/* The last state on the way to the one of a name that is still there; 0: none. */
uint64_t states_last(const struct states *states, uint64_t name);
/* Goes back to that state. False: no memory, which is in the machine's status. */
bool states_restore(struct states *states, uint64_t name);
/* Calls a function with all that the race detector was told on the way to the state at hand, in
 * order, until it returns false. False: it did, or there is no memory. */
bool states_retell(const struct states *states, bool (*tell)(void *user, const struct told *told),
                   void *user);
/* unf_explorer_options.forget: the library does not come back to a state. */
void states_forget(void *states, uint64_t name);

#endif
