/* Threads that perform the atomic operations named in the arguments: alike_atomics.py. Each of the
 * first three objects has a width of its own; the others are bytes of one word. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unfold/await.h>

static _Atomic signed char narrow;
static _Atomic int middle = 1;
static _Atomic long wide = 2;
static union {
  _Atomic int whole;
  _Atomic short half;
  _Atomic signed char byte[2];
} shared = {257};

#define ON_AWAITS(X)                                                                               \
  X('=', eq)                                                                                       \
  X('!', ne)                                                                                       \
  X('<', lt)                                                                                       \
  X('l', le)                                                                                       \
  X('>', gt)                                                                                       \
  X('g', ge)

#define AWAIT_CASE(sign, name)                                                                     \
  case sign:                                                                                       \
    unfold_await_##name(object, a);                                                                \
    break;
#define EXCHANGE_AWAIT_CASE(sign, name)                                                            \
  case sign:                                                                                       \
    unfold_exchange_await_##name(object, a, b);                                                    \
    break;

/* Kind, two numbers, and a relation. */
#define OPERATIONS(type, name)                                                                     \
  static void name##_operation(_Atomic type *object, char kind, type a, type b, char relation) {   \
    switch (kind) {                                                                                \
    case 'L':                                                                                      \
      atomic_load(object);                                                                         \
      break;                                                                                       \
    case 'S':                                                                                      \
      atomic_store(object, a);                                                                     \
      break;                                                                                       \
    case 'R':                                                                                      \
      atomic_store_explicit(object, a, memory_order_release);                                      \
      break;                                                                                       \
    case 'E':                                                                                      \
      atomic_exchange(object, a);                                                                  \
      break;                                                                                       \
    case 'A':                                                                                      \
      atomic_fetch_add(object, a);                                                                 \
      break;                                                                                       \
    case 'D':                                                                                      \
      atomic_fetch_sub(object, a);                                                                 \
      break;                                                                                       \
    case 'N':                                                                                      \
      atomic_fetch_and(object, a);                                                                 \
      break;                                                                                       \
    case 'O':                                                                                      \
      atomic_fetch_or(object, a);                                                                  \
      break;                                                                                       \
    case 'Y':                                                                                      \
      atomic_fetch_xor(object, a);                                                                 \
      break;                                                                                       \
    case 'Q':                                                                                      \
      __atomic_fetch_nand((type *)object, a, __ATOMIC_SEQ_CST);                                    \
      break;                                                                                       \
    case 'P':                                                                                      \
      unfold_add(object, a);                                                                       \
      break;                                                                                       \
    case 'H':                                                                                      \
      unfold_assume(atomic_load(object) == a);                                                     \
      break;                                                                                       \
    case 'C':                                                                                      \
      atomic_compare_exchange_weak(object, &a, b);                                                 \
      break;                                                                                       \
    case 'I':                                                                                      \
      if (atomic_load(object) == a) atomic_store(object, b);                                       \
      break;                                                                                       \
    case 'W':                                                                                      \
      switch (relation) { ON_AWAITS(AWAIT_CASE) }                                                  \
      break;                                                                                       \
    case 'X':                                                                                      \
      switch (relation) { ON_AWAITS(EXCHANGE_AWAIT_CASE) }                                         \
      break;                                                                                       \
    default:                                                                                       \
      abort();                                                                                     \
    }                                                                                              \
  }
OPERATIONS(signed char, narrow)
OPERATIONS(int, middle)
OPERATIONS(long, wide)
OPERATIONS(short, half)

/* Operations of five characters: kind, object, two digits, relation. */
static void *perform(void *operations) {
  for (const char *at = operations; *at != '\0'; at += 5) {
    static const int numbers[] = {0, 1, 2, 3, -1, 255, 256};
    int a = numbers[at[2] - '0'], b = numbers[at[3] - '0'];
    if (at[1] == '0')
      narrow_operation(&narrow, at[0], (signed char)a, (signed char)b, at[4]);
    else if (at[1] == '1')
      middle_operation(&middle, at[0], a, b, at[4]);
    else if (at[1] == '3')
      middle_operation(&shared.whole, at[0], a, b, at[4]);
    else if (at[1] == '4')
      half_operation(&shared.half, at[0], (short)a, (short)b, at[4]);
    else if (at[1] == '5')
      narrow_operation(&shared.byte[1], at[0], (signed char)a, (signed char)b, at[4]);
    else
      wide_operation(&wide, at[0], a, b, at[4]);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[8];
  for (int i = 1; i < argc; i++)
    pthread_create(&threads[i], NULL, perform, argv[i]);
  for (int i = 1; i < argc; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
