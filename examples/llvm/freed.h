/*
 * Memory of malloc() that was freed, and is given again. A thread gets again what it allocated
 * itself, once the free is in its past: at once what it has freed; what another one has freed, when
 * an event of that one behind the free, or its join, is before the last event of the thread. Which
 * memory it gets follows from its history alone, so it is the same in all executions that have that
 * history, and in whatever order their events were performed.
 *
 * What is given again has the same spot, and another address, in the next part of the thread's
 * region. So a pointer says of which of the objects it is, and a late use is seen as one. A program
 * that compares two addresses compares their spots (heap.h). Behind the last address of a spot
 * comes the first one again; dangling.h looks whether a pointer to the object that had it is left.
 */
#ifndef LLVM_FREED_H
#define LLVM_FREED_H

#include "memory.h"

/* What a thread freed, from the first to the last of it, by object.next; 0: nothing. */
struct queue {
  uint64_t first, last;
};

/* Of spots, of struct queue. */
extern const struct array_kind spots_kind, queues_kind;

/* The bytes that are reserved for an object of a size: as for others of its class. */
uint64_t freed_room(uint64_t size);
/* The thread that made it can have it again. False: no memory. */
bool freed_give_back(struct memory *memory, uint64_t address);
/* It can when it has seen an event, which is a number here. False: no memory. */
bool freed_wait(struct memory *memory, uint64_t address, uint32_t thread, uint32_t event);
/* The thread of a region can have what waits for events that it has seen. False: no memory. */
struct freed_looking {
  void *user;
  bool (*seen)(void *user, uint32_t event);
  void (*comes_back)(void *user, uint64_t spot);
};
bool freed_look(struct memory *memory, uint32_t region, const struct freed_looking *looking);
/* Memory that a region can have again, as one of memory_make(). NULL: there is none of the size, or
 * no memory, and then `refused` is set. */
const struct object *freed_take(struct memory *memory, uint32_t region, uint64_t size,
                                uint64_t alignment, bool written, uint64_t place, bool *refused);

#endif
