/* Read-modify-writes as instructions, without callbacks: sites NAME. Each kind is performed with
 * values that carry, borrow and wrap, and compared with what C says, flags and neighbours
 * included. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  CARRY = 1,
  ZERO = 1 << 6,
  SIGN = 1 << 7,
  OVERFLOW = 1 << 11,
  ARITHMETIC = CARRY | ZERO | SIGN | OVERFLOW
};

#define CHECK(what)                                                                                \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static const uint64_t values[] = {0,
                                  1,
                                  2,
                                  0x7f,
                                  0x80,
                                  0xff,
                                  0x7fff,
                                  0x8000,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  INT64_MAX,
                                  (uint64_t)INT64_MIN,
                                  UINT64_MAX};
enum { VALUES = sizeof values / sizeof *values };

/* The same instruction on memory that is atomic and, without the prefix, on a register. */
#define BINARY(name, type)                                                                         \
  static void name##_##type(void) {                                                                \
    static struct { type before, word, after; } cell;                                              \
    for (int i = 0; i < VALUES; i++)                                                               \
      for (int j = 0; j < VALUES; j++) {                                                           \
        type expected = (type)values[i], operand = (type)values[j];                                \
        uint64_t flags, wanted;                                                                    \
        __atomic_exchange_n(&cell.word, expected, __ATOMIC_SEQ_CST);                               \
        __asm__ volatile("add $0, %%al\n\tlock " #name " %2, %0\n\tpushfq\n\tpop %1"               \
                         : "+m"(cell.word), "=&r"(flags)                                           \
                         : "r"(operand)                                                            \
                         : "cc");                                                                  \
        __asm__ volatile("add $0, %%al\n\t" #name " %2, %0\n\tpushfq\n\tpop %1"                    \
                         : "+r"(expected), "=&r"(wanted)                                           \
                         : "r"(operand)                                                            \
                         : "cc");                                                                  \
        CHECK(cell.word == expected && cell.before == 0 && cell.after == 0);                       \
        CHECK((flags & ARITHMETIC) == (wanted & ARITHMETIC));                                      \
      }                                                                                            \
  }
#define ALL_SIZES(X, name) X(name, uint8_t) X(name, uint16_t) X(name, uint32_t) X(name, uint64_t)
ALL_SIZES(BINARY, add)
ALL_SIZES(BINARY, sub)
ALL_SIZES(BINARY, adc)
ALL_SIZES(BINARY, sbb)
ALL_SIZES(BINARY, and)
ALL_SIZES(BINARY, or)
ALL_SIZES(BINARY, xor)

#define UNARY(name, type)                                                                          \
  static void name##_##type(void) {                                                                \
    static type word;                                                                              \
    for (int i = 0; i < VALUES; i++) {                                                             \
      type expected = (type)values[i];                                                             \
      uint64_t flags, wanted;                                                                      \
      __atomic_exchange_n(&word, expected, __ATOMIC_SEQ_CST);                                      \
      __asm__ volatile("stc\n\tlock " #name " %0\n\tpushfq\n\tpop %1"                              \
                       : "+m"(word), "=&r"(flags)                                                  \
                       :                                                                           \
                       : "cc");                                                                    \
      __asm__ volatile("stc\n\t" #name " %0\n\tpushfq\n\tpop %1"                                   \
                       : "+r"(expected), "=&r"(wanted)                                             \
                       :                                                                           \
                       : "cc");                                                                    \
      CHECK(word == expected && (flags & ARITHMETIC) == (wanted & ARITHMETIC));                    \
    }                                                                                              \
  }
#define SIZED(X, name, suffix, type) X(name##suffix, type)
SIZED(UNARY, inc, b, uint8_t)
SIZED(UNARY, inc, w, uint16_t) SIZED(UNARY, inc, l, uint32_t) SIZED(UNARY, inc, q, uint64_t)
    SIZED(UNARY, dec, b, uint8_t) SIZED(UNARY, dec, w, uint16_t) SIZED(UNARY, dec, l, uint32_t)
        SIZED(UNARY, dec, q, uint64_t) SIZED(UNARY, not, b, uint8_t) SIZED(UNARY, not, q, uint64_t)

#define EXCHANGES(type, a)                                                                         \
  static void exchanges_##type(void) {                                                             \
    static type word;                                                                              \
    for (int i = 0; i < VALUES; i++)                                                               \
      for (int j = 0; j < VALUES; j++) {                                                           \
        const type first = (type)values[i], second = (type)values[j];                              \
        type r = first;                                                                            \
        __atomic_exchange_n(&word, second, __ATOMIC_SEQ_CST);                                      \
        __asm__ volatile("xchg %1, %0" : "+m"(word), "+q"(r));                                     \
        CHECK(word == first && r == second);                                                       \
        __asm__ volatile("lock xadd %1, %0" : "+m"(word), "+q"(r) : : "cc");                       \
        CHECK(word == (type)(first + second) && r == first);                                       \
        type seen = second;                                                                        \
        uint8_t equal;                                                                             \
        __asm__ volatile("lock cmpxchg %3, %0\n\tsete %1"                                          \
                         : "+m"(word), "=q"(equal), "+a"(seen)                                     \
                         : "q"(first)                                                              \
                         : "cc");                                                                  \
        const type sum = (type)(first + second);                                                   \
        CHECK(equal == (sum == second) && seen == (equal ? second : sum));                         \
        CHECK(word == (equal ? first : sum));                                                      \
      }                                                                                            \
  }
            EXCHANGES(uint8_t, b) EXCHANGES(uint16_t, w) EXCHANGES(uint32_t, l)
                EXCHANGES(uint64_t, q)

#define BITS(name, operation)                                                                      \
  static void name(void) {                                                                         \
    static uint64_t words[4];                                                                      \
    for (int64_t bit = -64; bit < 128; bit += 7) {                                                 \
      uint64_t *word = &words[1 + (bit >> 6)], old = *word, one = (uint64_t)1 << (bit & 63);       \
      uint8_t set;                                                                                 \
      __asm__ volatile("lock " #name "q %2, %0\n\tsetc %1"                                         \
                       : "+m"(words[1]), "=q"(set)                                                 \
                       : "r"(bit)                                                                  \
                       : "cc", "memory");                                                          \
      CHECK(set == ((old & one) != 0) && *word == (operation));                                    \
      old = words[2];                                                                              \
      one = (uint64_t)1 << 33;                                                                     \
      word = &words[2];                                                                            \
      __asm__ volatile("lock " #name "q $33, %0\n\tsetc %1"                                        \
                       : "+m"(words[2]), "=q"(set)                                                 \
                       :                                                                           \
                       : "cc", "memory");                                                          \
      CHECK(set == ((old & one) != 0) && words[2] == (operation));                                 \
    }                                                                                              \
  }
                    BITS(bts, old | one) BITS(btr, old & ~one) BITS(btc, old ^ one)

                        __attribute__((used)) static _Thread_local uint32_t own = 5;

/* Addresses of all kinds: base and index, the stack, thread-local storage, the second byte of a
 * register as the operand; registers of vectors survive. */
static void forms(void) {
  uint32_t array[8] = {0}, on_stack = 7;
  uint64_t index = 3;
  double sum = 1.5;
  __asm__ volatile("lock addl $9, 4(%1, %2, 4)" : "+m"(array) : "r"(array), "r"(index) : "cc");
  CHECK(array[4] == 9);
  __asm__ volatile("lock incl %0" : "+m"(on_stack) : : "cc");
  CHECK(on_stack == 8);
  __asm__ volatile("lock addl $2, %%fs:own@tpoff" : : : "cc", "memory");
  __asm__ volatile("" : "+m"(own));
  CHECK(own == 7);
  static uint8_t byte = 1;
  uint32_t high = 0x4200;
  __asm__ volatile("xchg %%ch, %0" : "+m"(byte), "+c"(high));
  CHECK(byte == 0x42 && high == 0x0100);
  __asm__ volatile("movsd %0, %%xmm7\n\tlock incl %1\n\tmovsd %%xmm7, %0"
                   : "+m"(sum), "+m"(on_stack)
                   :
                   : "xmm7", "cc");
  CHECK(sum == 1.5 && on_stack == 9);
}

/* Two bytes, in front of three that make every distance of a jump lead into this code. */
static void trapped(void) {
  static uint8_t held;
  uint8_t value = 1;
  uint64_t scratch = 0;
  __asm__ volatile("xchg %%cl, (%%rdx)\n\t.byte 0, 0, 0, 0xc0"
                   : "+c"(value)
                   : "d"(&held), "a"(&scratch)
                   : "memory", "cc");
  CHECK(held == 1 && value == 0);
}

static void kinds(void) {
#define CALL(name, type) name##_##type();
  ALL_SIZES(CALL, add)
  ALL_SIZES(CALL, sub) ALL_SIZES(CALL, adc) ALL_SIZES(CALL, sbb) ALL_SIZES(CALL, and)
      ALL_SIZES(CALL, or) ALL_SIZES(CALL, xor) ALL_SIZES(CALL, exchanges)
          SIZED(CALL, inc, b, uint8_t) SIZED(CALL, inc, w, uint16_t) SIZED(CALL, inc, l, uint32_t)
              SIZED(CALL, inc, q, uint64_t) SIZED(CALL, dec, b, uint8_t)
                  SIZED(CALL, dec, w, uint16_t) SIZED(CALL, dec, l, uint32_t)
                      SIZED(CALL, dec, q, uint64_t) SIZED(CALL, not, b, uint8_t)
                          SIZED(CALL, not, q, uint64_t) bts();
  btr();
  btc();
  forms();
  trapped();
}

static int word, more;

static void two(void *(*work)(void *)) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

/* Orders of fences do not matter: they are on the thread's own stack. */
static void *fence(void *unused) {
  __asm__ volatile("lock orl $0, (%%rsp)\n\tlock addl $0, (%%rsp)\n\tmfence" : : : "cc", "memory");
  return unused;
}

static void *add(void *unused) {
  __sync_fetch_and_add(&word, 1);
  return unused;
}

static void *mixed(void *unused) {
  __sync_fetch_and_add(&word, 1);
  __atomic_store_n(&word, 7, __ATOMIC_RELEASE);
  __sync_fetch_and_add(&word, 1);
  return unused;
}

static void *wide(void *unused) {
  static _Alignas(16) uint64_t pair[2];
  uint64_t low = 0, high = 0;
  __asm__ volatile("lock cmpxchg16b %0"
                   : "+m"(pair), "+a"(low), "+d"(high)
                   : "b"(1L), "c"(2L)
                   : "cc");
  return unused;
}

static int compare(const void *a, const void *b) {
  __sync_fetch_and_add(&more, 1);
  return *(const int *)a - *(const int *)b;
}

static void *sorted(void *unused) {
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof *numbers, compare);
  return unused;
}

static void *bad(void *unused) {
  int *volatile nowhere = (int *)(uintptr_t)64;
  __sync_fetch_and_add(nowhere, 1);
  return unused;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "kinds") == 0) kinds();
  if (strcmp(name, "fences") == 0) two(fence);
  if (strcmp(name, "adds") == 0) two(add);
  if (strcmp(name, "mixed") == 0) two(mixed);
  if (strcmp(name, "wide") == 0) two(wide);
  if (strcmp(name, "sorted") == 0) two(sorted);
  if (strcmp(name, "bad") == 0) two(bad);
  if (strcmp(name, "code") == 0) {
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    two(add);
  }
  return 0;
}
