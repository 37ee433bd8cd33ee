/**
 * @file
 * Waiting for a value of an atomic object, in a program that is explored by `unfold`. If the
 * program was compiled with callbacks and runs under `unfold`, such a wait is one operation that
 * blocks until the value is there, so that no bound on a loop is needed; otherwise it is an
 * ordinary loop. There are also assumptions, which bound other loops, and additions without a
 * result, which can commute. The header is for the program: it does not need the library, only C11
 * with the extensions of gcc and clang.
 *
 * The first argument points to an atomic object, of an integer type of at most 64 bits or of a
 * pointer type. Arguments are evaluated once. What a wait returns is the value that ended it.
 */
#ifndef UNFOLD_AWAIT_H
#define UNFOLD_AWAIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Defined by `unfold`, and as a loop by libunfold-callbacks: waits until *object is in a relation
 * to a value (the numbers are those of unf_relation), then writes to it if `exchanges`. */
extern uint64_t unfold_await_operation(volatile void *object, size_t size, int relation,
                                       uint64_t value, bool exchanges, uint64_t desired)
    __attribute__((weak));
/** Defined by `unfold`: waits as unfold_await_operation() does, but nothing is reported if the wait
 * is for ever. Defined by libunfold-callbacks: one try. */
extern uint64_t unfold_try_operation(volatile void *object, size_t size, int relation,
                                     uint64_t value, bool exchanges, uint64_t desired)
    __attribute__((weak));
/** Defined by `unfold` and by libunfold-callbacks: adds to *object. */
extern void unfold_add_operation(volatile void *object, size_t size, uint64_t value)
    __attribute__((weak));
/** Defined by `unfold`: stops the thread for ever. Defined by libunfold-callbacks: does nothing. */
extern void unfold_assumption_failed(void) __attribute__((weak));

/** @cond */
#define UNFOLD_AWAIT_TYPE(object) __typeof__(atomic_load(object))

/* `again`: whether the loop that is used without `unfold` continues until it succeeds. */
#define UNFOLD_WAIT(operation, again, object, sign, relation, value)                               \
  __extension__({                                                                                  \
    __typeof__(object) unfold_object = (object);                                                   \
    const UNFOLD_AWAIT_TYPE(unfold_object) unfold_value = (value);                                 \
    UNFOLD_AWAIT_TYPE(unfold_object) unfold_seen;                                                  \
    if (operation != NULL)                                                                         \
      unfold_seen = (UNFOLD_AWAIT_TYPE(unfold_object))operation(                                   \
          unfold_object, sizeof unfold_value, relation, (uint64_t)unfold_value, false, 0);         \
    else                                                                                           \
      do                                                                                           \
        unfold_seen = atomic_load(unfold_object);                                                  \
      while (again && !(unfold_seen sign unfold_value));                                           \
    unfold_seen;                                                                                   \
  })

#define UNFOLD_EXCHANGE_WAIT(operation, again, object, sign, relation, value, desired)             \
  __extension__({                                                                                  \
    __typeof__(object) unfold_object = (object);                                                   \
    const UNFOLD_AWAIT_TYPE(unfold_object) unfold_value = (value), unfold_desired = (desired);     \
    UNFOLD_AWAIT_TYPE(unfold_object) unfold_seen;                                                  \
    if (operation != NULL)                                                                         \
      unfold_seen = (UNFOLD_AWAIT_TYPE(unfold_object))operation(                                   \
          unfold_object, sizeof unfold_value, relation, (uint64_t)unfold_value, true,              \
          (uint64_t)unfold_desired);                                                               \
    else                                                                                           \
      do                                                                                           \
        unfold_seen = atomic_load(unfold_object);                                                  \
      while (unfold_seen sign unfold_value                                                         \
                 ? !atomic_compare_exchange_strong(unfold_object, &unfold_seen, unfold_desired)    \
                 : again);                                                                         \
    unfold_seen;                                                                                   \
  })

/* Values are ordered as signed numbers, so values of unsigned types cannot be
 * compared for order. */
#define UNFOLD_SIGNED(object, wait)                                                                \
  __extension__({                                                                                  \
    _Static_assert((UNFOLD_AWAIT_TYPE(object)) - 1 < 0, "only signed types can be compared so");   \
    wait;                                                                                          \
  })

#define UNFOLD_AWAIT(...)          UNFOLD_WAIT(unfold_await_operation, true, __VA_ARGS__)
#define UNFOLD_EXCHANGE_AWAIT(...) UNFOLD_EXCHANGE_WAIT(unfold_await_operation, true, __VA_ARGS__)
#define UNFOLD_TRY(...)            UNFOLD_WAIT(unfold_try_operation, false, __VA_ARGS__)
#define UNFOLD_EXCHANGE_TRY(...)   UNFOLD_EXCHANGE_WAIT(unfold_try_operation, false, __VA_ARGS__)
/** @endcond */

/** Waits until *object == value. */
#define unfold_await_eq(object, value) UNFOLD_AWAIT(object, ==, 0, value)
/** Waits until *object != value. */
#define unfold_await_ne(object, value) UNFOLD_AWAIT(object, !=, 1, value)
/** Waits until *object < value, of a signed type. */
#define unfold_await_lt(object, value) UNFOLD_SIGNED(object, UNFOLD_AWAIT(object, <, 2, value))
/** Waits until *object <= value, of a signed type. */
#define unfold_await_le(object, value) UNFOLD_SIGNED(object, UNFOLD_AWAIT(object, <=, 3, value))
/** Waits until *object > value, of a signed type. */
#define unfold_await_gt(object, value) UNFOLD_SIGNED(object, UNFOLD_AWAIT(object, >, 4, value))
/** Waits until *object >= value, of a signed type. */
#define unfold_await_ge(object, value) UNFOLD_SIGNED(object, UNFOLD_AWAIT(object, >=, 5, value))

/** Waits until *object == value and writes desired in the same step: a compare-and-exchange that is
 * repeated until it succeeds. */
#define unfold_exchange_await_eq(object, value, desired)                                           \
  UNFOLD_EXCHANGE_AWAIT(object, ==, 0, value, desired)
/** Waits until *object != value and writes desired in the same step. */
#define unfold_exchange_await_ne(object, value, desired)                                           \
  UNFOLD_EXCHANGE_AWAIT(object, !=, 1, value, desired)
/** Waits until *object < value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_await_lt(object, value, desired)                                           \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_AWAIT(object, <, 2, value, desired))
/** Waits until *object <= value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_await_le(object, value, desired)                                           \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_AWAIT(object, <=, 3, value, desired))
/** Waits until *object > value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_await_gt(object, value, desired)                                           \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_AWAIT(object, >, 4, value, desired))
/** Waits until *object >= value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_await_ge(object, value, desired)                                           \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_AWAIT(object, >=, 5, value, desired))

/** One try of a loop that repeats until *object == value and that changes nothing when it fails.
 * Under `unfold` no try fails, since the thread could as well have come later: it waits. An
 * execution in which the value never comes counts as blocked, and nothing is reported of it,
 * because the thread came too early there. Otherwise it looks once, and the loop of the program
 * repeats it. Returns the value seen, which says whether the try succeeded. */
#define unfold_try_eq(object, value) UNFOLD_TRY(object, ==, 0, value)
/** Tries whether *object != value. */
#define unfold_try_ne(object, value) UNFOLD_TRY(object, !=, 1, value)
/** Tries whether *object < value, of a signed type. */
#define unfold_try_lt(object, value) UNFOLD_SIGNED(object, UNFOLD_TRY(object, <, 2, value))
/** Tries whether *object <= value, of a signed type. */
#define unfold_try_le(object, value) UNFOLD_SIGNED(object, UNFOLD_TRY(object, <=, 3, value))
/** Tries whether *object > value, of a signed type. */
#define unfold_try_gt(object, value) UNFOLD_SIGNED(object, UNFOLD_TRY(object, >, 4, value))
/** Tries whether *object >= value, of a signed type. */
#define unfold_try_ge(object, value) UNFOLD_SIGNED(object, UNFOLD_TRY(object, >=, 5, value))

/** Tries whether *object == value and, if so, writes desired in the same
 * step: a compare-and-exchange. */
#define unfold_exchange_try_eq(object, value, desired)                                             \
  UNFOLD_EXCHANGE_TRY(object, ==, 0, value, desired)
/** Tries whether *object != value and writes desired in the same step. */
#define unfold_exchange_try_ne(object, value, desired)                                             \
  UNFOLD_EXCHANGE_TRY(object, !=, 1, value, desired)
/** Tries whether *object < value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_try_lt(object, value, desired)                                             \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_TRY(object, <, 2, value, desired))
/** Tries whether *object <= value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_try_le(object, value, desired)                                             \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_TRY(object, <=, 3, value, desired))
/** Tries whether *object > value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_try_gt(object, value, desired)                                             \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_TRY(object, >, 4, value, desired))
/** Tries whether *object >= value, of a signed type, and writes desired in the same step. */
#define unfold_exchange_try_ge(object, value, desired)                                             \
  UNFOLD_SIGNED(object, UNFOLD_EXCHANGE_TRY(object, >=, 5, value, desired))

/** Adds value to *object, of an integer type of at most 64 bits, without a result. With the option
 * `--ifaa` of `unfold` such additions commute: their different orders are the same trace. Without
 * `unfold` it is atomic_fetch_add(). */
#define unfold_add(object, value)                                                                  \
  __extension__({                                                                                  \
    __typeof__(object) unfold_object = (object);                                                   \
    const UNFOLD_AWAIT_TYPE(unfold_object) unfold_value = (value);                                 \
    if (unfold_add_operation != NULL)                                                              \
      unfold_add_operation(unfold_object, sizeof unfold_value, (uint64_t)unfold_value);            \
    else                                                                                           \
      atomic_fetch_add(unfold_object, unfold_value);                                               \
    (void)0;                                                                                       \
  })

/** Restricts the exploration to executions in which the condition holds: under `unfold` a thread
 * for which it does not hold stops here for ever, which is not a deadlock. It can bound a loop that
 * is not a wait, as in `for (int round = 0; !done(); round++) unfold_assume(round < 3);`. Without
 * `unfold` it does nothing. */
#define unfold_assume(condition)                                                                   \
  ((condition) || unfold_assumption_failed == NULL ? (void)0 : unfold_assumption_failed())

#endif
