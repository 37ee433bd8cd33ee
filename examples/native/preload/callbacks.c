/* Programs compiled with callbacks for plain accesses. Those of atomic operations
 * are in ../callbacks/atomics.c. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../callbacks/callbacks.h"
#include "accesses.h"
#include "bounds.h"
#include "entry.h"
#include "interpose.h"
#include "locations.h"
#include "real.h"
#include "refuse.h"

#define CALLBACK(name, size, write)                                                                \
  INTERPOSE void name(const void *address);                                                        \
  void name(const void *address) {                                                                 \
    if (accesses_watched) accesses_told(address, size, write, CALLER);                             \
    if (write && locations_used) location_written(address, size, CALLER);                          \
  }
CALLBACKS_TABLE(CALLBACK)
CALLBACK(__tsan_vptr_read, sizeof(void *), false)

INTERPOSE void __tsan_init(void);
void __tsan_init(void) {
  accesses_module(CALLER);
}

INTERPOSE void __tsan_func_entry(const void *caller);
void __tsan_func_entry(const void *caller) {
  bound_call((uint64_t)(uintptr_t)caller);
}

INTERPOSE void __tsan_func_exit(void);
void __tsan_func_exit(void) {
  bound_return();
}

INTERPOSE void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size) {
  if (accesses_watched) accesses_told(address, size, false, CALLER);
}

INTERPOSE void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size) {
  if (unfold_watching) unfold_touched(address, size, true, CALLER);
}

#define MEMORY(name, function, type, reads)                                                        \
  INTERPOSE void *name(void *to, type from, size_t size);                                          \
  void *name(void *to, type from, size_t size) {                                                   \
    if (unfold_watching) {                                                                         \
      if (reads) unfold_touched((const void *)(uintptr_t)from, size, false, CALLER);               \
      unfold_touched(to, size, true, CALLER);                                                      \
    }                                                                                              \
    return function(to, from, size);                                                               \
  }
CALLBACKS_MEMORY_TABLE(MEMORY)

/* A constructor of a derived class may set the pointer that that of the base has set already. */
INTERPOSE void __tsan_vptr_update(void **table, const void *value);
void __tsan_vptr_update(void **table, const void *value) {
  if (accesses_watched && *table != value) accesses_told(table, sizeof *table, true, CALLER);
}

/* Atomic objects that are larger than a word of the machine. They are no events yet. */
#define REFUSED(name)                                                                              \
  INTERPOSE void refused_##name(long, long, long, long, long, long) __asm__(#name);                \
  void refused_##name(long a, long b, long c, long d, long e, long f) {                            \
    if (running) refuse(#name, CALLER);                                                            \
    ((void (*)(long, long, long, long, long, long))real_function(#name))(a, b, c, d, e, f);        \
  }
REFUSED(__atomic_load)
REFUSED(__atomic_store)
REFUSED(__atomic_exchange)

INTERPOSE bool refused_compare_exchange(long, long, long, long, long,
                                        long) __asm__("__atomic_compare_exchange");
bool refused_compare_exchange(long a, long b, long c, long d, long e, long f) {
  if (running) refuse("__atomic_compare_exchange", CALLER);
  return ((bool (*)(long, long, long, long, long, long))real_function("__atomic_compare_exchange"))(
      a, b, c, d, e, f);
}
