/* memcpy() and its like, as this library and all that is linked into it call them: the C library's
 * own. A program's may be others, and come first: those of a sanitizer report bytes that the
 * program may not touch, which this library saves and puts back, and lie in the code that cannot be
 * executed while places in it are changed. Until the C library's are found, loops do. */
#include "bytes.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void *copies(void *to, const void *from, size_t size);
typedef void *fills(void *to, int byte, size_t size);
typedef int compares(const void *a, const void *b, size_t size);

/* Instructions rather than loops, of which the compiler would make calls of what they stand for. */
static void *copy_bytes(void *to, const void *from, size_t size) {
  void *t = to;
  __asm__ volatile("rep movsb" : "+D"(t), "+S"(from), "+c"(size) : : "memory");
  return to;
}

static void *move_bytes(void *to, const void *from, size_t size) {
  if (size == 0 || (uintptr_t)to - (uintptr_t)from >= size) return copy_bytes(to, from, size);
  unsigned char *t = (unsigned char *)to + size - 1;
  const unsigned char *f = (const unsigned char *)from + size - 1;
  __asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(t), "+S"(f), "+c"(size) : : "memory", "cc");
  return to;
}

static void *fill_bytes(void *to, int byte, size_t size) {
  void *t = to;
  __asm__ volatile("rep stosb" : "+D"(t), "+c"(size) : "a"(byte) : "memory");
  return to;
}

static int compare_bytes(const void *a, const void *b, size_t size) {
  const unsigned char *x = a, *y = b;
  for (size_t i = 0; i < size; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

static copies *copy = copy_bytes, *move = move_bytes;
static fills *fill = fill_bytes;
static compares *compare = compare_bytes;

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  return copy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size) {
  return move(to, from, size);
}

void *memset(void *to, int byte, size_t size) {
  return fill(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size) {
  return compare(a, b, size);
}

/* A function's address from an object's, as dlsym() gives it. */
static void find(void *library, const char *name, void *function, size_t size) {
  void *found = dlsym(library, name);
  if (found != NULL) copy_bytes(function, &found, size);
}

void bytes_begin(void) {
  void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return;
  find(library, "memcpy", &copy, sizeof copy);
  find(library, "memmove", &move, sizeof move);
  find(library, "memset", &fill, sizeof fill);
  find(library, "memcmp", &compare, sizeof compare);
}
