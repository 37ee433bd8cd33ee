/* Numbers from texts, sorting, random numbers. */
#define _GNU_SOURCE
#include "library.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int abs(int x) {
  return x < 0 ? -x : x;
}

long labs(long x) {
  return x < 0 ? -x : x;
}

long long llabs(long long x) {
  return x < 0 ? -x : x;
}

intmax_t imaxabs(intmax_t x) {
  return x < 0 ? -x : x;
}

div_t div(int a, int b) {
  return (div_t){a / b, a % b};
}

ldiv_t ldiv(long a, long b) {
  return (ldiv_t){a / b, a % b};
}

lldiv_t lldiv(long long a, long long b) {
  return (lldiv_t){a / b, a % b};
}

imaxdiv_t imaxdiv(intmax_t a, intmax_t b) {
  return (imaxdiv_t){a / b, a % b};
}

/* ---- texts ---- */

/* What a digit stands for; 36: it is none. */
static int digit_of(char c) {
  if (isdigit((unsigned char)c)) return c - '0';
  return isalpha((unsigned char)c) ? (c | 32) - 'a' + 10 : 36;
}

struct parsed {
  unsigned long long value;
  bool negative, overflows;
};

/* Whether a number in that base may begin so: 0 and the letter before digits of a base. */
static bool begins_with(const char *at, char letter, int base) {
  return at[0] == '0' && (at[1] | 32) == letter && digit_of(at[2]) < base;
}

/* With `binary` by the rules of C23, to which "0b101" is a number. */
static struct parsed parse(const char *text, char **end, int base, bool binary) {
  struct parsed p = {0, false, false};
  const char *at = text;
  if (end != NULL) *end = (char *)text;
  if (base < 0 || base == 1 || base > 36) {
    errno = EINVAL;
    return p;
  }
  while (isspace((unsigned char)*at))
    at++;
  if (*at == '-' || *at == '+') p.negative = *at++ == '-';
  if ((base == 0 || base == 16) && begins_with(at, 'x', 16)) {
    at += 2;
    base = 16;
  } else if (binary && (base == 0 || base == 2) && begins_with(at, 'b', 2)) {
    at += 2;
    base = 2;
  } else if (base == 0) {
    base = *at == '0' ? 8 : 10;
  }
  for (; digit_of(*at) < base; at++) {
    const unsigned long long digit = (unsigned long long)digit_of(*at);
    if (p.value > (ULLONG_MAX - digit) / (unsigned)base) p.overflows = true;
    p.value = p.value * (unsigned)base + digit;
    if (end != NULL) *end = (char *)at + 1;
  }
  return p;
}

static long long parse_signed(const char *text, char **end, int base, bool binary) {
  const struct parsed p = parse(text, end, base, binary);
  const unsigned long long most = (unsigned long long)LLONG_MAX + p.negative;
  if (p.overflows || p.value > most) {
    errno = ERANGE;
    return p.negative ? LLONG_MIN : LLONG_MAX;
  }
  return (long long)(p.negative ? -p.value : p.value);
}

static unsigned long long parse_unsigned(const char *text, char **end, int base, bool binary) {
  const struct parsed p = parse(text, end, base, binary);
  if (p.overflows) {
    errno = ERANGE;
    return ULLONG_MAX;
  }
  return p.negative ? -p.value : p.value;
}

/* A function under both names that glibc has for it: its own, and since 2.38 one for the rules of
 * C23. The headers make either of them of the name, so that it is not defined by that. */
#define NUMBER(type, name, parsed)                                                                 \
  type name##_of_c99(const char *text, char **end, int base) __asm__(#name);                       \
  type name##_of_c99(const char *text, char **end, int base) {                                     \
    return parsed(text, end, base, false);                                                         \
  }                                                                                                \
  type name##_of_c23(const char *text, char **end, int base) __asm__("__isoc23_" #name);           \
  type name##_of_c23(const char *text, char **end, int base) {                                     \
    return parsed(text, end, base, true);                                                          \
  }
NUMBER(long, strtol, parse_signed)
NUMBER(long long, strtoll, parse_signed)
NUMBER(intmax_t, strtoimax, parse_signed)
NUMBER(unsigned long, strtoul, parse_unsigned)
NUMBER(unsigned long long, strtoull, parse_unsigned)
NUMBER(uintmax_t, strtoumax, parse_unsigned)

int atoi(const char *text) {
  return (int)parse_signed(text, NULL, 10, false);
}

long atol(const char *text) {
  return parse_signed(text, NULL, 10, false);
}

long long atoll(const char *text) {
  return parse_signed(text, NULL, 10, false);
}

double strtod(const char *text, char **end) {
  double value = 0;
  const size_t size = __unfold_parse_double(text, &value);
  if (end != NULL) *end = (char *)text + size;
  return value;
}

float strtof(const char *text, char **end) {
  float value = 0;
  const size_t size = __unfold_parse_float(text, &value);
  if (end != NULL) *end = (char *)text + size;
  return value;
}

long double strtold(const char *text, char **end) {
  long double value = 0;
  const size_t size = __unfold_parse_extended(text, &value);
  if (end != NULL) *end = (char *)text + size;
  return value;
}

double atof(const char *text) {
  return strtod(text, NULL);
}

/* ---- sorting: the comparisons are those that glibc makes ---- */

typedef int compare_with(const void *, const void *, void *);

static void merge_sort(char *items, size_t count, size_t size, compare_with *compare, void *with,
                       char *scratch) {
  if (count < 2) return;
  const size_t left = count / 2, right = count - left;
  char *one = items, *other = items + left * size, *to = scratch;
  merge_sort(one, left, size, compare, with, scratch);
  merge_sort(other, right, size, compare, with, scratch);
  size_t ones = left, others = right;
  while (ones > 0 && others > 0) {
    if (compare(one, other, with) <= 0) {
      memcpy(to, one, size);
      one += size;
      ones--;
    } else {
      memcpy(to, other, size);
      other += size;
      others--;
    }
    to += size;
  }
  memcpy(to, one, ones * size);
  memcpy(items, scratch, (count - others) * size);
}

void qsort_r(void *items, size_t count, size_t size, compare_with *compare, void *with) {
  if (count < 2 || size == 0) return;
  char *scratch = malloc(count * size);
  merge_sort(items, count, size, compare, with, scratch);
  free(scratch);
}

static int without(const void *one, const void *other, void *with) {
  int (*const *compare)(const void *, const void *) = with;
  return (*compare)(one, other);
}

void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  qsort_r(items, count, size, without, &compare);
}

void *bsearch(const void *key, const void *items, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const void *item = (const char *)items + middle * size;
    const int order = compare(key, item);
    if (order == 0) return (void *)item;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* ---- random numbers: those of glibc ---- */

enum { DEGREE = 31, SEPARATION = 3 };
static int state[DEGREE], front = -1, rear;

static int step(void) {
  state[front] = (int)((unsigned)state[front] + (unsigned)state[rear]);
  const int result = (int)((unsigned)state[front] >> 1);
  front = front + 1 < DEGREE ? front + 1 : 0;
  rear = rear + 1 < DEGREE ? rear + 1 : 0;
  return result;
}

static void seed_with(unsigned seed) {
  state[0] = (int)(seed == 0 ? 1 : seed);
  for (int i = 1; i < DEGREE; i++) {
    const long next = 16807L * state[i - 1] % 2147483647;
    state[i] = (int)(next < 0 ? next + 2147483647 : next);
  }
  front = SEPARATION;
  rear = 0;
  for (int i = 0; i < 10 * DEGREE; i++)
    step();
}

void srand(unsigned seed) {
  __unfold_lock(&front);
  seed_with(seed);
  __unfold_unlock(&front);
}

void srandom(unsigned seed) {
  srand(seed);
}

int rand(void) {
  __unfold_lock(&front);
  if (front < 0) seed_with(1);
  const int result = step();
  __unfold_unlock(&front);
  return result;
}

long random(void) {
  return rand();
}

int rand_r(unsigned *seed) {
  unsigned next = *seed, result = 0;
  for (int i = 0; i < 3; i++) {
    next = next * 1103515245 + 12345;
    result = i == 0 ? next / 65536 % 2048 : result << 10 ^ next / 65536 % 1024;
  }
  *seed = next;
  return (int)result;
}

/* ---- others ---- */

char *setlocale(int category, const char *locale) {
  (void)category;
  return locale == NULL || locale[0] == '\0' || strcmp(locale, "C") == 0 ? "C" : NULL;
}

int posix_memalign(void **to, size_t alignment, size_t size) {
  void *memory = aligned_alloc(alignment, size);
  if (memory == NULL) return ENOMEM;
  *to = memory;
  return 0;
}

void *memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}

void *valloc(size_t size) {
  enum { PAGE = 4096 };
  return aligned_alloc(PAGE, size);
}

void *reallocarray(void *memory, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(memory, count * size);
}
