/* The library that programs with callbacks are linked with. Run alone, such a program does what it
 * does without them; under `unfold` the functions of the preloaded library come first. */
#include "callbacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NOTHING(name, size, write)                                                                 \
  CALLBACK_EXPORT void name(const void *address);                                                  \
  void name(const void *address) {                                                                 \
    (void)address;                                                                                 \
  }
CALLBACKS_TABLE(NOTHING)
NOTHING(__tsan_func_entry, 0, false)
NOTHING(__tsan_vptr_read, 0, false)

#define MEMORY(name, function, type, reads)                                                        \
  CALLBACK_EXPORT void *name(void *to, type from, size_t size);                                    \
  void *name(void *to, type from, size_t size) {                                                   \
    return function(to, from, size);                                                               \
  }
CALLBACKS_MEMORY_TABLE(MEMORY)

CALLBACK_EXPORT void __tsan_init(void);
void __tsan_init(void) {
}

CALLBACK_EXPORT void __tsan_func_exit(void);
void __tsan_func_exit(void) {
}

CALLBACK_EXPORT void __tsan_read_range(const void *address, size_t size);
void __tsan_read_range(const void *address, size_t size) {
  (void)address;
  (void)size;
}

CALLBACK_EXPORT void __tsan_write_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size) {
  (void)address;
  (void)size;
}

CALLBACK_EXPORT void __tsan_vptr_update(void **table, const void *value);
void __tsan_vptr_update(void **table, const void *value) {
  (void)table;
  (void)value;
}
