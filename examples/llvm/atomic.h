/* Atomic operations. */
#ifndef LLVM_ATOMIC_H
#define LLVM_ATOMIC_H

#include "builtin.h"
#include "machine.h"

/* An atomic. Its values are marked as unknown to the library if they depend on inputs, or if plain
 * accesses change them. */
struct atomic {
  uint64_t address;
  unsigned width;
  bool marked, named;
  int64_t initial;
  uint32_t next; /* another one in the word; UINT32_MAX: none */
};

extern const struct builtin_entry builtins_atomic[];

/* Marks those at all addresses of a part of a heap, see memory_spot(). False: one was not marked
 * yet, and the exploration begins again. */
bool atomic_mark_all(struct machine *m, uint64_t spot, uint64_t size);
enum flow machine_atomic(struct machine *m, struct thread *t, const struct instruction *i,
                         const struct value *values, struct value *results);

#endif
