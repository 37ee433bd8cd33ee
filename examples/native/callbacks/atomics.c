/* The functions that gcc and clang call for atomic operations and fences with -fsanitize=thread.
 * Whatever order the program asks for, they are sequentially consistent. Compiled twice: into the
 * library of programs that run alone, and into the preloaded one, where the operation is an event
 * and ATOMIC_ENTER waits for the thread's turn. */
#include "callbacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef CALLBACKS_PRELOADED
#include "../preload/entry.h"
#include "../preload/interpose.h"
#include "../preload/locations.h"
/* The thread comes back when it is its turn, and then does what it said. */
#define ATOMIC_ENTER(name, bits, kind, a, low, high, order)                                        \
  if (running)                                                                                     \
  location_operate(                                                                                \
      &(struct access){name, bits, UNF_##kind, a, (uint64_t)(low), (uint64_t)(high), order, 0},    \
      CALLER)
#define FENCE_ENTER(order) location_fence(order)
#else
#define ATOMIC_ENTER(name, bits, kind, a, low, high, order)                                        \
  (void)(order);                                                                                   \
  (void)0
#define FENCE_ENTER(order) (void)(order)
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
    ATOMIC_ENTER("__tsan_atomic" #bits "_load", bits, LOAD, a, 0, 0, o);                           \
    return loaded##bits(a);                                                                        \
  }

/* `next` is the new value, in terms of `old` and v; `kind` the operation with `operand`. */
#define UPDATE(bits, what, next, kind, operand)                                                    \
  FUNCTION(uint##bits##_t, __tsan_atomic##bits##_##what, volatile uint##bits##_t *a,               \
           uint##bits##_t v, int o) {                                                              \
    ATOMIC_ENTER("__tsan_atomic" #bits "_" #what, bits, kind, a, operand, 0, o);                   \
    for (uint##bits##_t old = *a, seen;; old = seen) {                                             \
      seen = swapped##bits(a, old, (uint##bits##_t)(next));                                        \
      if (seen == old) return old;                                                                 \
    }                                                                                              \
  }

#define STORE(bits)                                                                                \
  FUNCTION(void, __tsan_atomic##bits##_store, volatile uint##bits##_t *a, uint##bits##_t v,        \
           int o) {                                                                                \
    ATOMIC_ENTER("__tsan_atomic" #bits "_store", bits, STORE, a, v, 0, o);                         \
    for (uint##bits##_t old = *a, seen; (seen = swapped##bits(a, old, v)) != old; old = seen)      \
      continue;                                                                                    \
  }

#define COMPARE(bits, strength)                                                                    \
  FUNCTION(bool, __tsan_atomic##bits##_compare_exchange_##strength, volatile uint##bits##_t *a,    \
           uint##bits##_t *c, uint##bits##_t v, int o, int failed) {                               \
    (void)failed;                                                                                  \
    uint##bits##_t expected = *c;                                                                  \
    ATOMIC_ENTER("__tsan_atomic" #bits "_compare_exchange_" #strength, bits, CAS, a, expected, v,  \
                 o);                                                                               \
    uint##bits##_t seen = swapped##bits(a, expected, v);                                           \
    if (seen != expected) *c = seen;                                                               \
    return seen == expected;                                                                       \
  }

#define COMPARE_VALUE(bits)                                                                        \
  FUNCTION(uint##bits##_t, __tsan_atomic##bits##_compare_exchange_val, volatile uint##bits##_t *a, \
           uint##bits##_t c, uint##bits##_t v, int o, int failed) {                                \
    (void)failed;                                                                                  \
    ATOMIC_ENTER("__tsan_atomic" #bits "_compare_exchange_val", bits, CAS, a, c, v, o);            \
    return swapped##bits(a, c, v);                                                                 \
  }

#define ATOMICS(bits)                                                                              \
  LOAD(bits)                                                                                       \
  STORE(bits)                                                                                      \
  UPDATE(bits, exchange, v, EXCHANGE, v)                                                           \
  UPDATE(bits, fetch_add, old + v, FETCH_ADD, v)                                                   \
  UPDATE(bits, fetch_sub, old - v, FETCH_ADD, 0 - v)                                               \
  UPDATE(bits, fetch_and, old &v, FETCH_AND, v)                                                    \
  UPDATE(bits, fetch_or, old | v, FETCH_OR, v)                                                     \
  UPDATE(bits, fetch_xor, old ^ v, FETCH_XOR, v)                                                   \
  UPDATE(bits, fetch_nand, ~(old & v), FETCH_NAND, v)                                              \
  COMPARE(bits, strong)                                                                            \
  COMPARE(bits, weak)                                                                              \
  COMPARE_VALUE(bits)
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)

FUNCTION(void, __tsan_atomic_thread_fence, int o) {
  FENCE_ENTER(o);
  __sync_synchronize();
}

/* It orders a thread with its own signal handlers only, and concerns nobody else. */
FUNCTION(void, __tsan_atomic_signal_fence, int o) {
  (void)o;
  __asm__ volatile("" ::: "memory");
}

#ifndef CALLBACKS_PRELOADED
/* For <unfold/await.h>: defined here too, since a program at fixed addresses is linked without
 * what no library defines. Values are compared as signed numbers of their width. */
ATOMIC uint64_t exchanged(volatile void *a, size_t size, uint64_t old, uint64_t value) {
  switch (size) {
  case 1:
    return swapped8(a, (uint8_t)old, (uint8_t)value);
  case 2:
    return swapped16(a, (uint16_t)old, (uint16_t)value);
  case 4:
    return swapped32(a, (uint32_t)old, (uint32_t)value);
  default:
    return swapped64(a, old, value);
  }
}

static bool holds(int64_t seen, int relation, int64_t value) {
  const bool results[] = {seen == value, seen != value, seen<value, seen <= value, seen> value,
                          seen >= value};
  return results[relation];
}

ATOMIC uint64_t wait(volatile void *a, size_t size, int relation, uint64_t value, bool exchanges,
                     uint64_t desired, bool again) {
  const unsigned shift = 64 - 8 * (unsigned)size;
  for (;;) {
    uint64_t seen = exchanged(a, size, 0, 0);
    if (holds((int64_t)(seen << shift), relation, (int64_t)(value << shift))
            ? !exchanges || exchanged(a, size, seen, desired) == seen
            : !again)
      return seen;
  }
}

FUNCTION(uint64_t, unfold_await_operation, volatile void *a, size_t size, int relation,
         uint64_t value, bool exchanges, uint64_t desired) {
  return wait(a, size, relation, value, exchanges, desired, true);
}

FUNCTION(uint64_t, unfold_try_operation, volatile void *a, size_t size, int relation,
         uint64_t value, bool exchanges, uint64_t desired) {
  return wait(a, size, relation, value, exchanges, desired, false);
}

FUNCTION(void, unfold_add_operation, volatile void *a, size_t size, uint64_t value) {
  for (uint64_t old = exchanged(a, size, 0, 0), seen;; old = seen) {
    seen = exchanged(a, size, old, old + value);
    if (seen == old) return;
  }
}

/* Nobody is asked to stop where nothing is explored. */
FUNCTION(void, unfold_assumption_failed, void) {
}
#endif
