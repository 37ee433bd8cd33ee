/* Memory. The explorer lives in an arena that the worker and every execution forked from it share,
 * at one address: an execution drives the explorer directly, and what it learnt is there when it
 * has ended, or crashed. Blocks come from the end of the arena and go back to a list for their size
 * class; there are no locks, because only one process at a time touches it. Private memory serves
 * the records of one execution; the program's malloc is left alone, so that its addresses do not
 * depend on us and a crash inside it stays its own. */
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "heap.h"
#include "refuse.h"
#include "system_call.h"

enum { SMALL = 1024, GRAIN = 16, SMALL_CLASSES = SMALL / GRAIN, CLASSES = SMALL_CLASSES + 64 };

struct arena {
  uint64_t size, used;
  void *free[CLASSES];
};

static struct arena *arena;

static unsigned class_of(size_t size) {
  if (size <= SMALL) return (unsigned)((size + GRAIN - 1) / GRAIN) - 1;
  return SMALL_CLASSES + (unsigned)(63 - __builtin_clzll((unsigned long long)size - 1)) + 1;
}

static size_t class_size(unsigned class) {
  return class < SMALL_CLASSES ? (size_t)(class + 1) * GRAIN : (size_t)1 << (class - SMALL_CLASSES);
}

bool arena_new(uint64_t size) {
  for (; size >= (uint64_t)1 << 24; size /= 2) {
    void *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) continue;
    madvise(block, size, MADV_HUGEPAGE); /* fewer faults in each execution */
    arena = block;
    arena->size = size;
    arena->used = (sizeof *arena + GRAIN - 1) / GRAIN * GRAIN;
    return true;
  }
  return false;
}

static void give_back(void *block, size_t size) {
  void **list = &arena->free[class_of(size)];
  memcpy(block, list, sizeof *list);
  *list = block;
}

static void *take(size_t size) {
  unsigned class = class_of(size);
  void *block = arena->free[class];
  if (block != NULL) {
    memcpy(&arena->free[class], block, sizeof arena->free[class]);
    return block;
  }
  size_t whole = class_size(class);
  if (whole > arena->size - arena->used) return NULL;
  block = (char *)arena + arena->used;
  arena->used += whole;
  return block;
}

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size) {
  if (block != NULL && new_size == 0) {
    give_back(block, old_size);
    return NULL;
  }
  if (block == NULL) return new_size == 0 ? NULL : take(new_size);
  if (class_of(old_size) == class_of(new_size)) return block;
  void *moved = take(new_size);
  if (moved == NULL) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  give_back(block, old_size);
  return moved;
}

unf_allocator arena_allocator(void) {
  return (unf_allocator){reallocate, NULL};
}

static char *block;
static size_t left;

void private_memory_from(char *memory, size_t size) {
  block = memory;
  left = size;
}

size_t private_memory_used(const char *memory) {
  return (size_t)(block - memory);
}

void *private_memory(size_t size) {
  size = (size + GRAIN - 1) / GRAIN * GRAIN;
  if (size > left) {
    size_t whole = size > (size_t)1 << 20 ? size : (size_t)1 << 20;
    const long arguments[] = {
        0, (long)whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0};
    const long fresh = raw_call6(SYS_mmap, arguments);
    if (fresh < 0 && fresh > -PAGE)
      give_up(OUTCOME_BROKEN, "no memory for the records of an execution");
    block = (char *)fresh;
    left = whole;
  }
  void *result = block;
  block += size;
  left -= size;
  return result;
}
