/* Atomic objects. */
#ifndef NATIVE_PRELOAD_LOCATIONS_H
#define NATIVE_PRELOAD_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

struct object;
struct reading;
struct thread;

/* An atomic operation of the program, to be performed when location_operate() comes back. */
struct access {
  const char *name;
  unsigned bits;
  unf_operation_kind kind; /* UNF_OPERATION_COUNT: none that we have */
  const volatile void *address;
  uint64_t low, high; /* as in an unf_operation */
  int order;
  unf_relation relation; /* of an await */
};
/* Bytes of memory. */
struct byte_span {
  uint64_t address, size;
};

int64_t location_value(const struct object *o); /* a signed number of so many bits */
/* Whether it changes the value. */
bool location_operate(const struct access *access, uint64_t place);
/* Waits until the object that `access` is about has another value; if `perhaps`, nothing is found
 * where that never is. */
void location_await(const struct access *access, uint64_t value, bool perhaps, uint64_t place);
void location_fence(int order);
/* The atomic object of so many bits that is known there, or NULL. */
struct object *location_known(uint64_t address, unsigned bits);
/* The atomic object there, for an operation that reads it. */
struct object *location_at(const void *address, unsigned bits, uint64_t place);
/* That its value is known; else it is refused. */
void location_check(const struct object *o, uint64_t place);
/* A plain access is about to write there; the thread that did so arrives at an operation. */
extern bool locations_used;
void location_written(const void *address, size_t size, uint64_t place);
void locations_covered(uint64_t address, uint64_t size, uint64_t place); /* any number of them */
/* Those that are about to be written are known from then on. */
void locations_meet(const struct byte_span *m, uint64_t place);
/* An access is about to read several atomic objects: a load of each, one after the other. It finds
 * what these read, until locations_settle() at the thread's next operation. */
void locations_read(const struct byte_span *m, uint64_t place);
/* Reads parts of memory, some of them texts, whose sizes it finds out: which objects of a
 * text are read depends on what was read in those before. */
void locations_read_all(struct reading *readings, unsigned count, uint64_t place);
/* As long as there is one thread, what it does is the same in all executions, and comes before all
 * that others do: an object that is no operation's yet begins with what is left there. Whether an
 * access is one of those. */
bool locations_early(const struct byte_span *m);
/* A thread comes to an operation: what it did before, and is none yet, becomes one. */
void locations_settle(struct thread *t);
/* Accesses of a thread that come later than it went on: see locations.c. */
void locations_rewritten(struct thread *t);

#endif
