/*
 * The memory of a program under exploration: objects with bytes, some of which are parts of terms.
 * An address depends on the thread that made the object and on what that thread made before, so
 * that it is the same in all executions with the same history of the thread. Objects on a thread's
 * stack go when their function ends. What was freed has no bytes; its spot on the heap is given
 * again (freed.h), in another part of the thread's addresses, so that an address is of one object
 * for ever. Where much will not be given again, neighbours are one object, so that a program which
 * goes on allocating takes as much as it has at once.
 */
#ifndef LLVM_MEMORY_H
#define LLVM_MEMORY_H

#include "arith.h"
#include "array.h"

/* OBJECT_OWN: a thread's copy of a variable that each has one of. */
enum object_kind { OBJECT_GLOBAL, OBJECT_STACK, OBJECT_HEAP, OBJECT_OWN };

/* A byte of a term. */
struct part {
  term term;
  uint8_t byte;
};

struct object {
  uint64_t address, size;
  struct array bytes;
  struct array written; /* by byte, whether it was */
  struct array parts;   /* by byte; without a root none is of a term */
  bool all_written;     /* and `written` does not say so */
  bool freed, constant;
  bool gone;       /* freed, and not given again */
  bool came_round; /* each address of its spot was that of an object before */
  bool kept;       /* by the C library, so it is never lost */
  enum object_kind kind;
  uint64_t place; /* where it was made; of a variable on a stack its name, a text, as its file */
  /* Of memory that was freed and waits to be given again, see freed.h: */
  bool given_back; /* to its thread, which has it next if no other one is before it */
  uint64_t next;
  uint32_t seen;
};

struct objects {
  struct array items; /* by address */
  uint64_t next;      /* the address behind */
  uint64_t most;      /* items; beyond that freed ones are put together */
};

/* Of struct objects, and of struct object. */
extern const struct array_kind objects_kind, bytes_kind, parts_kind;

/* Of one thread; those of number 0 are of no thread. */
struct region {
  struct objects stack, heap;
  struct array given_back; /* by class of sizes: the spot that is given next, or 0 */
  struct array waiting;    /* struct queue, by thread: what that one freed */
  uint64_t waits;          /* objects in them */
};

/* An object that was looked for, as long as the generation is that of the memory. */
struct found {
  uint64_t generation;
  const struct object *object;
  struct objects *objects; /* that it is among */
  uint64_t index;
  bool owned; /* it can be written, it is in no copy of the memory */
};
enum { FOUND_LAST, FOUND_COUNT = 65 };
enum { MEMORY_ADDRESSES = 7 };

struct memory {
  struct region *regions;
  uint32_t count, room;
  bool zero;          /* what was never written counts as written with 0 */
  bool gave_again;    /* a spot of memory that was freed, in this execution or another */
  uint64_t addresses; /* that a spot on a heap has in turn, at most MEMORY_ADDRESSES */
  struct array_pool *pool;
  uint64_t generation;
  struct found found[FOUND_COUNT]; /* the last one, then by address */
};

/* A memory as it was; it shares what was not changed since. */
struct memory_copy {
  struct region *regions;
  uint32_t count;
};

/* What can be wrong with an access. */
enum access {
  ACCESS_GOOD,
  ACCESS_NULL,
  ACCESS_OUTSIDE,
  ACCESS_FREED,
  ACCESS_CONSTANT, /* a write to what must not be written */
  ACCESS_UNWRITTEN,
  ACCESS_REFUSED /* no memory */
};

/* An empty memory. */
void memory_begin(struct memory *memory, struct array_pool *pool);
void memory_free(struct memory *memory);
/* Takes everything away. */
void memory_clear(struct memory *memory);
/* Keeps a copy, goes back to it, drops it. O(threads). False: no memory. */
bool memory_keep(struct memory *memory, struct memory_copy *copy);
bool memory_restore(struct memory *memory, const struct memory_copy *copy);
void memory_copy_drop(struct array_pool *pool, struct memory_copy *copy);
/* A new object of a thread; region: 0, or the thread's handle and 1 more. Its bytes are 0, and
 * count as written if `written` says so. Valid until the next; NULL: no memory. */
const struct object *memory_make(struct memory *memory, uint32_t region, enum object_kind kind,
                                 uint64_t size, uint64_t alignment, bool written, uint64_t place);
/* Memory is freed, whose bytes are gone. False: no memory. */
bool memory_release(struct memory *memory, uint64_t address);
/* The object at an address, to be changed; NULL: no memory. */
struct object *memory_change(struct memory *memory, uint64_t address);
/* How many objects are on the stack of a thread, and back to so many. */
uint64_t memory_depth(const struct memory *memory, uint32_t region);
void memory_cut(struct memory *memory, uint32_t region, uint64_t depth);
/* The object that an address lies in or directly behind; NULL: none. */
const struct object *memory_find(struct memory *memory, uint64_t address);
/* The last object that begins there or before, or the first one behind that, among those of the
 * same kind and thread; NULL: none, or the address is close to a null pointer. */
const struct object *memory_beside(const struct memory *memory, uint64_t address, bool behind);
/* The region of the thread that made what is there. */
uint32_t memory_region(uint64_t address);
/* The spot of an address: the same for all objects that have been there. */
uint64_t memory_spot(uint64_t address);
/* The object that begins at a spot and was made last; to be changed, and NULL is no memory. */
const struct object *memory_find_last(struct memory *memory, uint64_t spot);
struct object *memory_last_at(struct memory *memory, uint64_t spot);
/* Whether an address is on a heap; whether it is the last one of its spot. */
bool memory_on_heap(uint64_t address);
bool memory_is_last(const struct memory *memory, uint64_t address);
/* One that was freed becomes another one, of a size for which it has room (freed.h): at the next
 * address of its spot, and at the first one behind the last. */
void memory_give_again(struct memory *memory, struct object *o, uint64_t size, bool written,
                       uint64_t place);
/* The first address of the spot, if an object is or was there. */
uint64_t memory_plain(struct memory *memory, uint64_t address);
/* Whether an address is in or directly behind an object that was freed. */
bool memory_was_freed(struct memory *memory, uint64_t address);

/* Whether so many bytes can be accessed there. */
enum access memory_check(struct memory *memory, uint64_t address, uint64_t size, bool writes);
/* Reads and writes numbers of a width; the bytes are those of the width, rounded up. */
enum access memory_load(struct memory *memory, struct terms *terms, uint64_t address,
                        unsigned width, struct value *value);
enum access memory_store(struct memory *memory, uint64_t address, unsigned width,
                         struct value value);
/* Sets bytes of an object, constant or not. False: no memory. */
bool memory_set(struct memory *memory, uint64_t address, const void *bytes, uint64_t size);
/* Bytes there that were never written count as written with 0 from now on, if all do or others of
 * them were. False: no memory. */
bool memory_settle(struct memory *memory, uint64_t address, uint64_t size, bool all);
/* Writes a byte so many times. */
enum access memory_fill(struct memory *memory, uint64_t to, uint64_t size, struct value byte);
/* Copies bytes with all that is known of them, also where the ranges overlap. */
enum access memory_copy(struct memory *memory, uint64_t to, uint64_t from, uint64_t size);

static inline unsigned bytes_of(unsigned width) {
  return (width + 7) / 8;
}

#endif
