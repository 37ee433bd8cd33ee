/*
 * What the C library does with memory on behalf of a program that is compiled with callbacks. This
 * library is preloaded when races are watched, in front of the one that runs the program. A call
 * from a module with callbacks is an access by that module; calls from elsewhere are left out, as
 * the other accesses there are. Freeing memory counts as writing it; memory that is allocated is
 * other memory than what was there before.
 *
 * Until the functions behind these are found, blocks come from the C library's malloc under its
 * other name: looking for functions may allocate.
 */
#include "../preload/accesses.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

#define NEXT_TABLE(X)                                                                              \
  X(malloc)                                                                                        \
  X(calloc)                                                                                        \
  X(realloc)                                                                                       \
  X(free)                                                                                          \
  X(posix_memalign)                                                                                \
  X(aligned_alloc)                                                                                 \
  X(memalign)                                                                                      \
  X(mmap)                                                                                          \
  X(memcpy)                                                                                        \
  X(mempcpy)                                                                                       \
  X(memmove)                                                                                       \
  X(memset)                                                                                        \
  X(memcmp)                                                                                        \
  X(memchr)                                                                                        \
  X(strlen)                                                                                        \
  X(strnlen)                                                                                       \
  X(strcpy)                                                                                        \
  X(stpcpy)                                                                                        \
  X(strncpy)                                                                                       \
  X(strcat)                                                                                        \
  X(strncat)                                                                                       \
  X(strcmp)                                                                                        \
  X(strncmp)                                                                                       \
  X(strchr)                                                                                        \
  X(strrchr)                                                                                       \
  X(strstr)                                                                                        \
  X(strdup)                                                                                        \
  X(strndup)                                                                                       \
  X(read)                                                                                          \
  X(pread)                                                                                         \
  X(recv)                                                                                          \
  X(fread)                                                                                         \
  X(fgets)

static struct {
#define NEXT_FIELD(name) __typeof__(&(name)) name##_;
  NEXT_TABLE(NEXT_FIELD)
#undef NEXT_FIELD
} next;
static bool found;

__attribute__((constructor)) static void find(void) {
  void *function;
#define NEXT_FIND(name)                                                                            \
  function = dlsym(RTLD_NEXT, #name);                                                              \
  __builtin_memcpy(&next.name##_, &function, sizeof function);
  NEXT_TABLE(NEXT_FIND)
#undef NEXT_FIND
  found = true;
}

/* The function behind the one of that name. */
#define NEXT(name)                   (found ? (void)0 : find(), next.name##_)
#define WATCHED                      (unfold_watching && unfold_counts(CALLER))
#define READS(p, n)                  unfold_touched((p), (n), false, CALLER)
#define WRITES(p, n)                 unfold_touched((p), (n), true, CALLER)
#define COMPARES(a, n, b, m)         unfold_read((a), (n), (b), (m), CALLER)
#define READS_TEXT(text, most, last) unfold_text((text), (most), (last), CALLER)
#define SMALLER(a, b)                ((a) < (b) ? (a) : (b))

static void *renewed(void *block) {
  if (unfold_watching && block != NULL) unfold_renewed(block, malloc_usable_size(block));
  return block;
}

INTERPOSE void *malloc(size_t size) {
  return found ? renewed(next.malloc_(size)) : __libc_malloc(size);
}

INTERPOSE void *calloc(size_t count, size_t size) {
  return found ? renewed(next.calloc_(count, size)) : __libc_calloc(count, size);
}

INTERPOSE void *realloc(void *block, size_t size) {
  if (!found) return __libc_realloc(block, size);
  if (WATCHED && block != NULL) WRITES(block, malloc_usable_size(block));
  return renewed(next.realloc_(block, size));
}

INTERPOSE void free(void *block) {
  if (WATCHED && block != NULL) WRITES(block, malloc_usable_size(block));
  if (found)
    next.free_(block);
  else
    __libc_free(block);
}

/* The operators delete of C++, under the names that compilers give them. They end in free, but in a
 * library that is not compiled with callbacks. */
#define DELETE_TABLE(X)                                                                            \
  X(_ZdlPv)                                                                                        \
  X(_ZdlPvm)                                                                                       \
  X(_ZdaPv)                                                                                        \
  X(_ZdaPvm)                                                                                       \
  X(_ZdlPvSt11align_val_t)                                                                         \
  X(_ZdlPvmSt11align_val_t)                                                                        \
  X(_ZdaPvSt11align_val_t)                                                                         \
  X(_ZdaPvmSt11align_val_t)

#define DELETE(name)                                                                               \
  INTERPOSE void name(void *block, size_t size, size_t alignment);                                 \
  void name(void *block, size_t size, size_t alignment) {                                          \
    static void (*behind)(void *, size_t, size_t);                                                 \
    if (behind == NULL) {                                                                          \
      void *function = dlsym(RTLD_NEXT, #name);                                                    \
      __builtin_memcpy(&behind, &function, sizeof behind);                                         \
    }                                                                                              \
    if (WATCHED && block != NULL) WRITES(block, malloc_usable_size(block));                        \
    behind(block, size, alignment);                                                                \
  }
DELETE_TABLE(DELETE)

INTERPOSE int posix_memalign(void **block, size_t alignment, size_t size) {
  int error = NEXT(posix_memalign)(block, alignment, size);
  if (error == 0) renewed(*block);
  return error;
}

INTERPOSE void *aligned_alloc(size_t alignment, size_t size) {
  return renewed(NEXT(aligned_alloc)(alignment, size));
}

INTERPOSE void *memalign(size_t alignment, size_t size) {
  return renewed(NEXT(memalign)(alignment, size));
}

INTERPOSE void *mmap(void *wanted, size_t size, int protection, int flags, int file, off_t offset) {
  void *block = NEXT(mmap)(wanted, size, protection, flags, file, offset);
  if (unfold_watching && block != MAP_FAILED) unfold_renewed(block, size);
  return block;
}

INTERPOSE void *memcpy(void *restrict to, const void *restrict from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(memcpy)(to, from, size);
}

INTERPOSE void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(mempcpy)(to, from, size);
}

INTERPOSE void *memmove(void *to, const void *from, size_t size) {
  if (WATCHED) READS(from, size), WRITES(to, size);
  return NEXT(memmove)(to, from, size);
}

INTERPOSE void *memset(void *to, int byte, size_t size) {
  if (WATCHED) WRITES(to, size);
  return NEXT(memset)(to, byte, size);
}

INTERPOSE int memcmp(const void *a, const void *b, size_t size) {
  if (WATCHED) COMPARES(a, size, b, size);
  return NEXT(memcmp)(a, b, size);
}

INTERPOSE void *memchr(const void *in, int byte, size_t size) {
  const char *at = NEXT(memchr)(in, byte, size);
  if (WATCHED) READS(in, at == NULL ? size : (size_t)(at - (const char *)in) + 1);
  return NEXT(memchr)(in, byte, size);
}

INTERPOSE size_t strlen(const char *text) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strlen)(text);
}

INTERPOSE size_t strnlen(const char *text, size_t most) {
  if (WATCHED) READS_TEXT(text, most, '\0');
  return NEXT(strnlen)(text, most);
}

INTERPOSE char *strcpy(char *restrict to, const char *restrict from) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(strcpy)(to, from);
}

INTERPOSE char *stpcpy(char *restrict to, const char *restrict from) {
  if (WATCHED) WRITES(to, READS_TEXT(from, SIZE_MAX, '\0'));
  return NEXT(stpcpy)(to, from);
}

INTERPOSE char *strncpy(char *restrict to, const char *restrict from, size_t size) {
  if (WATCHED) READS_TEXT(from, size, '\0'), WRITES(to, size);
  return NEXT(strncpy)(to, from, size);
}

INTERPOSE char *strcat(char *restrict to, const char *restrict from) {
  size_t before = NEXT(strlen)(to), size = NEXT(strlen)(from) + 1;
  if (WATCHED) COMPARES(to, before + 1, from, size), WRITES(to + before, size);
  return NEXT(strcat)(to, from);
}

INTERPOSE char *strncat(char *restrict to, const char *restrict from, size_t most) {
  size_t before = NEXT(strlen)(to), length = NEXT(strnlen)(from, most);
  if (WATCHED)
    COMPARES(to, before + 1, from, SMALLER(length + 1, most)), WRITES(to + before, length + 1);
  return NEXT(strncat)(to, from, most);
}

/* How many bytes of both a comparison looks at. */
static size_t compared(const char *a, const char *b, size_t most) {
  size_t size = 0;
  while (size < most && a[size] == b[size] && a[size] != '\0')
    size++;
  return SMALLER(size + 1, most);
}

INTERPOSE int strcmp(const char *a, const char *b) {
  if (WATCHED) {
    size_t size = compared(a, b, SIZE_MAX);
    COMPARES(a, size, b, size);
  }
  return NEXT(strcmp)(a, b);
}

INTERPOSE int strncmp(const char *a, const char *b, size_t most) {
  if (WATCHED) {
    size_t size = compared(a, b, most);
    COMPARES(a, size, b, size);
  }
  return NEXT(strncmp)(a, b, most);
}

INTERPOSE char *strchr(const char *text, int byte) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, (char)byte);
  return NEXT(strchr)(text, byte);
}

INTERPOSE char *strrchr(const char *text, int byte) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strrchr)(text, byte);
}

INTERPOSE char *strstr(const char *text, const char *wanted) {
  const char *at = NEXT(strstr)(text, wanted);
  size_t size = NEXT(strlen)(wanted);
  if (WATCHED)
    COMPARES(wanted, size + 1, text,
             at == NULL ? NEXT(strlen)(text) + 1 : (size_t)(at - text) + size);
  return NEXT(strstr)(text, wanted);
}

INTERPOSE char *strdup(const char *text) {
  if (WATCHED) READS_TEXT(text, SIZE_MAX, '\0');
  return NEXT(strdup)(text);
}

INTERPOSE char *strndup(const char *text, size_t most) {
  if (WATCHED) READS_TEXT(text, most, '\0');
  return NEXT(strndup)(text, most);
}

/* What comes from outside is written when it has come. */
static ssize_t received(void *to, ssize_t size, uint64_t place) {
  if (size > 0 && unfold_watching && unfold_counts(place))
    unfold_touched(to, (size_t)size, true, place);
  return size;
}

INTERPOSE ssize_t read(int file, void *to, size_t size) {
  return received(to, NEXT(read)(file, to, size), CALLER);
}

INTERPOSE ssize_t pread(int file, void *to, size_t size, off_t at) {
  return received(to, NEXT(pread)(file, to, size, at), CALLER);
}

INTERPOSE ssize_t recv(int socket, void *to, size_t size, int flags) {
  return received(to, NEXT(recv)(socket, to, size, flags), CALLER);
}

INTERPOSE size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file) {
  size_t got = NEXT(fread)(to, size, count, file);
  received(to, (ssize_t)(got * size), CALLER);
  return got;
}

INTERPOSE char *fgets(char *restrict to, int size, FILE *restrict file) {
  char *line = NEXT(fgets)(to, size, file);
  if (line != NULL) received(to, (ssize_t)NEXT(strlen)(line) + 1, CALLER);
  return line;
}
