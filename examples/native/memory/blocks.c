/*
 * Blocks and mappings, on behalf of code whose accesses are seen. This library is preloaded when
 * races are watched, in front of the one that runs the program. A call from elsewhere is left out,
 * as the other accesses there are. Freeing memory counts as writing it; memory that is allocated is
 * other memory than what was there before.
 *
 * Until the functions behind these are found, blocks come from the C library's malloc under its
 * other name: looking for functions may allocate.
 */
#include "memory.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

#define NEXT_TABLE(X)                                                                              \
  X(malloc)                                                                                        \
  X(calloc)                                                                                        \
  X(realloc)                                                                                       \
  X(reallocarray)                                                                                  \
  X(free)                                                                                          \
  X(posix_memalign)                                                                                \
  X(aligned_alloc)                                                                                 \
  X(memalign)                                                                                      \
  X(valloc)                                                                                        \
  X(pvalloc)                                                                                       \
  X(mmap)                                                                                          \
  X(munmap)
#include "next.h"

void *memory_behind(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

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
  if (WATCHED && block != NULL) unfold_freed(block, malloc_usable_size(block), CALLER);
  return renewed(next.realloc_(block, size));
}

INTERPOSE void free(void *block) {
  if (WATCHED && block != NULL) unfold_freed(block, malloc_usable_size(block), CALLER);
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
      void *function = memory_behind(#name);                                                       \
      __builtin_memcpy(&behind, &function, sizeof behind);                                         \
    }                                                                                              \
    if (WATCHED && block != NULL) unfold_freed(block, malloc_usable_size(block), CALLER);          \
    behind(block, size, alignment);                                                                \
  }
DELETE_TABLE(DELETE)

INTERPOSE int posix_memalign(void **block, size_t alignment, size_t size) {
  if (WATCHED) COMING(block, sizeof *block);
  int error = NEXT(posix_memalign)(block, alignment, size);
  if (error == 0) renewed(*block);
  if (error == 0 && WATCHED) WRITES(block, sizeof *block);
  return error;
}

INTERPOSE void *aligned_alloc(size_t alignment, size_t size) {
  return renewed(NEXT(aligned_alloc)(alignment, size));
}

INTERPOSE void *memalign(size_t alignment, size_t size) {
  return renewed(NEXT(memalign)(alignment, size));
}

INTERPOSE void *valloc(size_t size) {
  return renewed(NEXT(valloc)(size));
}

INTERPOSE void *pvalloc(size_t size) {
  return renewed(NEXT(pvalloc)(size));
}

INTERPOSE void *reallocarray(void *block, size_t count, size_t size) {
  if (WATCHED && block != NULL) unfold_freed(block, malloc_usable_size(block), CALLER);
  return renewed(NEXT(reallocarray)(block, count, size));
}

INTERPOSE void *mmap(void *wanted, size_t size, int protection, int flags, int file, off_t offset) {
  void *block = NEXT(mmap)(wanted, size, protection, flags, file, offset);
  if (unfold_watching && block != MAP_FAILED) unfold_renewed(block, size);
  return block;
}
OLDER_NAME(mmap64, mmap);

INTERPOSE int munmap(void *block, size_t size) {
  if (WATCHED) unfold_unmapped(block, size, CALLER);
  return NEXT(munmap)(block, size);
}
