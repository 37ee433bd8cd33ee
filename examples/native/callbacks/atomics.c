/* The functions that gcc and clang call for atomic operations and fences with -fsanitize=thread.
 * Whatever order the program asks for, they are sequentially consistent. Compiled twice: into the
 * library of programs that run alone, and into the preloaded one, where ATOMIC_ENTER says what is
 * done before the operation. */
#include "callbacks.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef CALLBACKS_PRELOADED
#include "../preload/preload.h"
/* They are no events yet, and so not explored. */
#define ATOMIC_ENTER(name)                                                                         \
  if (running) refuse(name, CALLER)
#else
#define ATOMIC_ENTER(name) (void)0
#endif

__extension__ typedef unsigned __int128 uint128_t;

/* All operations are made of the one that x86-64 has for 16 bytes too. */
#define ATOMIC static inline __attribute__((always_inline, target("cx16")))

#define BASE(bits)                                                                                 \
  ATOMIC uint##bits##_t swapped##bits(volatile uint##bits##_t *a, uint##bits##_t old,              \
                                      uint##bits##_t value) {                                      \
    return __sync_val_compare_and_swap(a, old, value);                                             \
  }
BASE(8)
BASE(16)
BASE(32)
BASE(64)
BASE(128)

/* Aligned words are read at once; a compare and swap would write to memory that may be constant. */
#define LOADED(bits)                                                                               \
  ATOMIC uint##bits##_t loaded##bits(const volatile uint##bits##_t *a) {                           \
    uint##bits##_t value = *a;                                                                     \
    __sync_synchronize();                                                                          \
    return value;                                                                                  \
  }
LOADED(8)
LOADED(16)
LOADED(32)
LOADED(64)

ATOMIC uint128_t loaded128(const volatile uint128_t *a) {
  volatile uint128_t *place;
  memcpy(&place, &a, sizeof place);
  return swapped128(place, 0, 0);
}

#define FUNCTION(type, name, ...)                                                                  \
  CALLBACK_EXPORT type name(__VA_ARGS__);                                                          \
  __attribute__((target("cx16"))) type name(__VA_ARGS__)

#define LOAD(bits)                                                                                 \
  FUNCTION(uint##bits##_t, __tsan_atomic##bits##_load, const volatile uint##bits##_t *a, int o) {  \
    (void)o;                                                                                       \
    ATOMIC_ENTER("__tsan_atomic" #bits "_load");                                                   \
    return loaded##bits(a);                                                                        \
  }

/* `next` is the new value, in terms of `old` and v. */
#define UPDATE(bits, what, next)                                                                   \
  FUNCTION(uint##bits##_t, __tsan_atomic##bits##_##what, volatile uint##bits##_t *a,               \
           uint##bits##_t v, int o) {                                                              \
    (void)o;                                                                                       \
    ATOMIC_ENTER("__tsan_atomic" #bits "_" #what);                                                 \
    for (uint##bits##_t old = *a, seen;; old = seen) {                                             \
      seen = swapped##bits(a, old, (uint##bits##_t)(next));                                        \
      if (seen == old) return old;                                                                 \
    }                                                                                              \
  }

#define STORE(bits)                                                                                \
  FUNCTION(void, __tsan_atomic##bits##_store, volatile uint##bits##_t *a, uint##bits##_t v,        \
           int o) {                                                                                \
    (void)o;                                                                                       \
    ATOMIC_ENTER("__tsan_atomic" #bits "_store");                                                  \
    for (uint##bits##_t old = *a, seen; (seen = swapped##bits(a, old, v)) != old; old = seen)      \
      continue;                                                                                    \
  }

#define COMPARE(bits, strength)                                                                    \
  FUNCTION(bool, __tsan_atomic##bits##_compare_exchange_##strength, volatile uint##bits##_t *a,    \
           uint##bits##_t *c, uint##bits##_t v, int o, int failed) {                               \
    (void)o;                                                                                       \
    (void)failed;                                                                                  \
    ATOMIC_ENTER("__tsan_atomic" #bits "_compare_exchange_" #strength);                            \
    uint##bits##_t expected = *c, seen = swapped##bits(a, expected, v);                            \
    if (seen != expected) *c = seen;                                                               \
    return seen == expected;                                                                       \
  }

#define COMPARE_VALUE(bits)                                                                        \
  FUNCTION(uint##bits##_t, __tsan_atomic##bits##_compare_exchange_val, volatile uint##bits##_t *a, \
           uint##bits##_t c, uint##bits##_t v, int o, int failed) {                                \
    (void)o;                                                                                       \
    (void)failed;                                                                                  \
    ATOMIC_ENTER("__tsan_atomic" #bits "_compare_exchange_val");                                   \
    return swapped##bits(a, c, v);                                                                 \
  }

#define ATOMICS(bits)                                                                              \
  LOAD(bits)                                                                                       \
  STORE(bits)                                                                                      \
  UPDATE(bits, exchange, v)                                                                        \
  UPDATE(bits, fetch_add, old + v)                                                                 \
  UPDATE(bits, fetch_sub, old - v)                                                                 \
  UPDATE(bits, fetch_and, old &v)                                                                  \
  UPDATE(bits, fetch_or, old | v)                                                                  \
  UPDATE(bits, fetch_xor, old ^ v)                                                                 \
  UPDATE(bits, fetch_nand, ~(old & v))                                                             \
  COMPARE(bits, strong)                                                                            \
  COMPARE(bits, weak)                                                                              \
  COMPARE_VALUE(bits)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)

FUNCTION(void, __tsan_atomic_thread_fence, int o) {
  (void)o;
  ATOMIC_ENTER("__tsan_atomic_thread_fence");
  __sync_synchronize();
}

/* It orders a thread with its own signal handlers only, and concerns nobody else. */
FUNCTION(void, __tsan_atomic_signal_fence, int o) {
  (void)o;
  __asm__ volatile("" ::: "memory");
}
