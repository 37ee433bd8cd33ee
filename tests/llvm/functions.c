/* Functions of the C library, without inputs: the same text comes out in unfold-sym and on the
 * machine (same.py). */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern void unfold_show(const char *name, long long number);
#define SHOW(x) unfold_show(#x, (long long)(x))

static int sign(int x) {
  return (x > 0) - (x < 0);
}

/* A number that stands for a text. */
static long long hash(const char *text) {
  unsigned long long all = 1469598103934665603u;
  for (; *text != '\0'; text++)
    all = (all ^ (unsigned char)*text) * 1099511628211u;
  return (long long)all;
}
#define SHOW_TEXT(x) unfold_show(#x, hash(x))

static void strings(void) {
  char buffer[64], *rest, *copy;
  const char *text = "hello, world, again";
  SHOW(strlen(text) + 100 * strnlen(text, 5));
  SHOW(sign(strcmp("abc", "abd")) + 10 * sign(strcmp("abc", "ab")) + 100 * strcmp("x", "x"));
  SHOW(sign(strncmp("abc", "abd", 2)) + 10 * sign(strcasecmp("HeLLo", "hello")));
  SHOW(sign(memcmp("a\0b", "a\0c", 3)));
  SHOW_TEXT(strcpy(buffer, text));
  SHOW_TEXT(strcat(buffer, "!"));
  SHOW_TEXT(strncat(buffer, "abcdef", 3));
  memset(buffer, 'x', sizeof buffer);
  strncpy(buffer, "short", 10);
  SHOW(buffer[4] + buffer[5] * 256 + buffer[10] * 65536);
  SHOW(strchr(text, 'w') - text + 100 * (strrchr(text, 'a') - text));
  SHOW(strstr(text, "world") - text + (strstr(text, "worlds") == NULL));
  SHOW(strspn(text, "leh") + 10 * strcspn(text, ",") + 1000 * (strpbrk(text, "rw") - text));
  SHOW((char *)memchr(text, ',', 10) - text);
  strcpy(buffer, text);
  for (char *word = strtok_r(buffer, ", ", &rest); word != NULL; word = strtok_r(NULL, ", ", &rest))
    SHOW_TEXT(word);
  SHOW(rest != NULL && *rest == '\0' && strtok_r(NULL, ", ", &rest) == NULL && rest != NULL);
  strcpy(buffer, "alone");
  SHOW(strtok_r(buffer, ",", &rest) - buffer + 10 * (rest - buffer));
  SHOW(strtok_r((char *)text, "#", &rest) - text); /* nothing is written */
  rest = (char *)text;
  SHOW(strsep(&rest, "#") - text + 10 * (rest == NULL));
  SHOW(strcasestr(text, "WORLD") - text + 100 * ffs(0x50) +
       1000 * (memccpy(buffer, text, 'w', 9) - (void *)buffer));
  copy = strdup(text);
  SHOW_TEXT(copy);
  free(copy);
  SHOW_TEXT(strndup(text, 4));
  SHOW(stpcpy(buffer, "abc") - buffer);
  for (int number = -1; number < 136; number++)
    SHOW_TEXT(strerror(number));
  SHOW_TEXT(strerror_r(ENOTDIR, buffer, sizeof buffer));
}

static void classes(void) {
  int counts[12] = {0};
  for (int c = 0; c < 128; c++) {
    counts[0] += isalpha(c) != 0 ? c : 0;
    counts[1] += isdigit(c) != 0 ? c : 0;
    counts[2] += isspace(c) != 0 ? c : 0;
    counts[3] += isupper(c) != 0 ? c : 0;
    counts[4] += islower(c) != 0 ? c : 0;
    counts[5] += ispunct(c) != 0 ? c : 0;
    counts[6] += isxdigit(c) != 0 ? c : 0;
    counts[7] += isprint(c) != 0 ? c : 0;
    counts[8] += isgraph(c) != 0 ? c : 0;
    counts[9] += iscntrl(c) != 0 ? c : 0;
    counts[10] += tolower(c) * c;
    counts[11] += toupper(c) * c;
  }
  for (int i = 0; i < 12; i++)
    SHOW(counts[i]);
}

static int ascending(const void *one, const void *other) {
  const int a = *(const int *)one, b = *(const int *)other;
  return (a > b) - (a < b);
}

/* Only by tens, so that equal ones show the order they were in. */
static int by_tens(const void *one, const void *other) {
  return *(const int *)one / 10 - *(const int *)other / 10;
}

/* The header's names may be those of C23. */
long strtol_of_c99(const char *text, char **end, int base) __asm__("strtol");
unsigned long strtoul_of_c99(const char *text, char **end, int base) __asm__("strtoul");

static void numbers(void) {
  char *end;
  const char *texts[] = {"42",    "-17abc", "0x1f", "077", "  +9",  "99999999999999999999",
                         "",      "z",      "0x",   "0b",  "-0B11", "0b101x",
                         "+0b2b", "0x0b1",  "b1"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    errno = 0;
    SHOW(strtol(texts[i], &end, 0));
    SHOW(end - texts[i] + 100 * errno);
    SHOW(strtoull(texts[i], NULL, 16));
    SHOW(strtoumax(texts[i], &end, 2));
    SHOW(end - texts[i] + 100 * errno);
    SHOW(strtol_of_c99(texts[i], &end, 0));
    SHOW(end - texts[i]);
    SHOW(strtoul_of_c99(texts[i], &end, 2));
    SHOW(end - texts[i]);
  }
  SHOW(atoi("123x") + atol("-5"));
  SHOW(strtol("zz", NULL, 36));
  SHOW(strtod("  -12.5e2xyz", &end) * 2);
  SHOW_TEXT(end);
  int items[20], key = 77;
  srand(7);
  for (int i = 0; i < 20; i++)
    items[i] = rand() % 100;
  items[9] = 77;
  qsort(items, 20, sizeof *items, by_tens);
  for (int i = 0; i < 20; i++)
    SHOW(items[i]);
  qsort(items, 20, sizeof *items, ascending);
  SHOW(items[0] + items[10] * 100 + items[19] * 10000);
  int *found = bsearch(&key, items, 20, sizeof *items, ascending);
  SHOW(found != NULL && *found == 77);
  unsigned seed = 5;
  SHOW(rand_r(&seed));
  SHOW(rand());
  SHOW(div(-17, 5).quot * 10 + div(-17, 5).rem + labs(-3) + abs(-4));
}

static int formatted(char *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int count = vsnprintf(to, 40, format, list);
  va_end(list);
  return count;
}

static void formats(void) {
  char b[100];
  const double half = 0.5, large = 1e20, third = 1.0 / 3;
#define SHOW_FORMAT(...)                                                                           \
  do {                                                                                             \
    unfold_show(#__VA_ARGS__, snprintf(b, sizeof b, __VA_ARGS__));                                 \
    unfold_show(#__VA_ARGS__, hash(b));                                                            \
  } while (0)
  SHOW_FORMAT("%d %i %u", -5, 6, 7u);
  SHOW_FORMAT("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
  SHOW_FORMAT("%x %X %#x %o %#o", 255, 255, 255, 8, 8);
  SHOW_FORMAT("%ld %lld %lu %zu %hhd %hd", -1L, 1LL << 40, 3UL, sizeof b, 300, 70000);
  SHOW_FORMAT("%s|%10s|%-10s|%.2s", "abc", "abc", "abc", "abc");
  SHOW_FORMAT("%c%c%%", 'x', 'y');
  SHOW_FORMAT("%*d %.*d %-*d|", 6, 42, 4, 7, 5, 1);
  SHOW_FORMAT("%.0d|%.3d|%8.3d", 0, 5, -5);
  SHOW_FORMAT("%f %.2f %e %g %10.3f|%-10.1f|%+g", half, third, large, third, half, half, large);
  SHOW_FORMAT("%p", (void *)0);
  SHOW(formatted(b, "%s %d", "a very long text that does not fit into the buffer", 5));
  SHOW_TEXT(b);
  SHOW(snprintf(NULL, 0, "%d", 12345));
  SHOW(printf("%d\n", 123) + printf("%s", "abc"));
}

static void mathematics(void) {
  volatile double x = 2.5, y = -1.25;
  volatile float f = 3.7f;
  SHOW(sqrt(x) * 1e9);
  SHOW(floor(y) * 10 + ceil(y) + trunc(y) * 100 + round(x) * 1000);
  SHOW(pow(x, 3) * 1000);
  SHOW(fabs(y) * 100 + fmod(7.5, x) * 10);
  SHOW(sin(x) * 1e9);
  SHOW(exp(y) * 1e9);
  SHOW((int)f + (unsigned char)f + (long)(f * 100));
  SHOW((x > y) + 2 * (x == x) + 4 * (f < x));
  SHOW((float)x * f * 1000);
  SHOW(fmax(x, y) * 4 + fmin(x, y) * 400);
}

static void memory(void) {
  int *items = calloc(4, sizeof *items);
  SHOW(items[0] + items[3]);
  items = realloc(items, 8 * sizeof *items);
  items[7] = 5;
  SHOW(items[3] + items[7]);
  free(items);
  void *aligned = aligned_alloc(256, 512);
  SHOW((uintptr_t)aligned % 256);
  free(aligned);
}

int main(void) {
  strings();
  classes();
  numbers();
  formats();
  mathematics();
  memory();
  return 0;
}
