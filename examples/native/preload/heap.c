/* The program's heap in executions in place, and of programs compiled with callbacks, for which
 * addresses are values of atomic objects. Each thread allocates from a zone of its own, at an
 * address that follows from the thread's name: the end of what was used grows, and blocks that the
 * thread itself has freed, whoever they came from, are taken again, the last one first. So an
 * address is a function of the thread, and of what that thread allocated and freed before; other
 * threads, and the order of things, do not show in it. Between executions a zone is emptied. In the
 * other modes, and before main, these functions are the C library's. */
#include "heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unfold/unfold.h>

#include "../control.h"
#include "entry.h"
#include "inplace.h"
#include "interpose.h"
#include "objects.h"
#include "patch.h"
#include "patch_hit.h"
#include "refuse.h"
#include "scheduler.h"
#include "snapshot.h"
#include "system_call.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t), __libc_free(void *);

enum {
  GRAIN = 16,
  SMALL = 1024,
  SMALL_CLASSES = SMALL / GRAIN,
  CLASSES = SMALL_CLASSES + 4 * 23,
  USED = 0x6b6c7531,
  FREED = 0x6b6c6632,
  INNER = 0x6b6c6933, /* an aligned place inside a block */
  PART = 2 << 20
};
static const uint64_t mappings_end = (uint64_t)7 << 30;

struct heap_block {
  uint32_t state;
  uint32_t inside; /* distance to the block's own head */
  uint64_t size;   /* while it is free: the next one */
};

struct zone {
  uint64_t used, mapped, inner; /* where the program's mappings end, and the others begin */
  struct heap_block *free[CLASSES];
};

/* What outlasts executions, but for the list of zones that this one touched. */
struct heap {
  bool made[ZONES];
  uint64_t stacks[ZONES];
  uint32_t touched_count;
  uint16_t touched[ZONES];
};
static struct heap *heap;

void heap_prepare(void) {
  heap = inplace_memory(sizeof *heap);
}

bool heap_used(void) {
  return heap != NULL;
}

bool heap_names(void) {
  return control->callbacks_seen || control->inits_watched || patch_any();
}

struct thread *heap_owner(uint64_t address) {
  if (heap == NULL || address < ZONES_LOW || address >= ZONES_LOW + ZONES * ZONE_SIZE) return NULL;
  return thread_named((unf_thread)((address - ZONES_LOW) / ZONE_SIZE));
}

bool heap_holds(uint64_t address) {
  return heap_owner(address) != NULL && heap_offset(address) < HEAP_SIZE;
}

uint64_t heap_offset(uint64_t address) {
  return (address - ZONES_LOW) % ZONE_SIZE;
}

static uint64_t zone_low(const struct thread *t) {
  if (t->name >= ZONES) give_up(OUTCOME_LIMIT, "more than %d names of threads", (int)ZONES);
  return ZONES_LOW + t->name * ZONE_SIZE;
}

uint64_t heap_place(const struct thread *t, uint64_t offset) {
  return zone_low(t) + offset;
}

/* What a thread has allocated from. */
uint64_t heap_part(const struct thread *t, uint64_t *low) {
  *low = heap == NULL || t->name >= ZONES ? 0 : zone_low(t);
  return *low == 0 || !heap->made[t->name] ? 0 : ((const struct zone *)(uintptr_t)*low)->used;
}

/* The zone of the thread that calls; NULL when there is no room. */
static struct zone *zone_here(void) {
  const struct thread *t = thread_self();
  uint64_t low = zone_low(t);
  struct zone *zone = (struct zone *)(uintptr_t)low;
  if (!heap->made[t->name]) {
    if (!map_at(low, HEAP_SIZE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0))
      return NULL;
    raw_call(SYS_madvise, (long)low, (long)HEAP_SIZE, MADV_NOHUGEPAGE, 0);
    heap->made[t->name] = true;
  }
  if (zone->used == 0) {
    zone->used = (sizeof *zone + GRAIN - 1) / GRAIN * GRAIN;
    zone->mapped = low + HEAP_SIZE;
    zone->inner = low + mappings_end;
    heap->touched[heap->touched_count++] = (uint16_t)t->name;
  }
  return zone;
}

uint64_t zone_place(uint64_t size, bool program) {
  struct zone *zone = zone_here();
  if (zone == NULL || size > mappings_end) return 0;
  size = (size + PAGE - 1) / PAGE * PAGE;
  if (zone->inner - zone->mapped < size + PAGE) return 0;
  if (!program) return zone->inner -= size;
  zone->mapped += size;
  return zone->mapped - size;
}

bool zones_contain(uint64_t address, uint64_t size, bool mapping) {
  if (address < ZONES_LOW || address >= ZONES_LOW + ZONES * ZONE_SIZE) return false;
  uint64_t at = (address - ZONES_LOW) % ZONE_SIZE;
  return size <= ZONE_SIZE && at >= (mapping ? HEAP_SIZE : 0) && at + size <= mappings_end;
}

bool zone_stack(struct thread *t, uint64_t size) {
  uint64_t low = zone_low(t), *have = &heap->stacks[t->name];
  t->stack_high = low + ZONE_SIZE;
  if (size > ZONE_SIZE - mappings_end) return false;
  t->stack_low = t->stack_high - size;
  if (size <= *have) return true;
  if (!map_at(t->stack_low, size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0))
    return false;
  raw_call(SYS_mprotect, (long)t->stack_low, PAGE, PROT_NONE, 0);
  *have = size;
  return true;
}

/* A part of which most is in memory is cleared, and stays there; else it costs less to give it back
 * and to be given some of it anew. */
static void empty_part(uint64_t low, uint64_t size) {
  unsigned char present[PART / PAGE];
  uint64_t pages = (size + PAGE - 1) / PAGE, count = 0;
  memset(present, 0, sizeof present);
  if (size > SMALL_PART) raw_call(SYS_mincore, (long)low, (long)size, (long)present, 0);
  for (uint64_t i = 0; i < pages; i++)
    count += present[i] & 1;
  if (size <= SMALL_PART || 2 * count > pages)
    memset((void *)(uintptr_t)low, 0, size);
  else
    raw_call(SYS_madvise, (long)low, (long)size, MADV_DONTNEED, 0);
}

void inplace_empty(uint64_t low, uint64_t used) {
  for (uint64_t part = SMALL_PART; used > 0; low += part, used -= part, part = PART) {
    if (part > used) part = used;
    empty_part(low, part);
  }
}

void heap_restore(void) {
  for (uint32_t i = 0; i < heap->touched_count; i++) {
    uint64_t low = ZONES_LOW + heap->touched[i] * ZONE_SIZE;
    const struct zone *zone = (const struct zone *)(uintptr_t)low;
    if (zone->mapped > low + HEAP_SIZE)
      raw_call(SYS_munmap, (long)(low + HEAP_SIZE), (long)(zone->mapped - low - HEAP_SIZE), 0, 0);
    if (zone->inner < low + mappings_end)
      raw_call(SYS_munmap, (long)zone->inner, (long)(low + mappings_end - zone->inner), 0, 0);
    inplace_empty(low, zone->used);
  }
  heap->touched_count = 0;
}

/* Classes in steps of 16 bytes up to 1 KB, then four to each power of two. */
static unsigned class_of(uint64_t size, uint64_t *whole) {
  if (size == 0) size = 1;
  if (size <= SMALL) {
    *whole = (size + GRAIN - 1) / GRAIN * GRAIN;
    return (unsigned)(*whole / GRAIN) - 1;
  }
  unsigned power = 63 - (unsigned)__builtin_clzll(size - 1);
  unsigned quarter = (unsigned)((size - 1) >> (power - 2)) & 3;
  *whole = ((uint64_t)1 << power) + ((uint64_t)(quarter + 1) << (power - 2));
  return SMALL_CLASSES + 4 * (power - 10) + quarter;
}

static void *content(struct heap_block *b) {
  return b + 1;
}

static struct heap_block *head_of(const void *memory) {
  return (struct heap_block *)(uintptr_t)memory - 1;
}

/* The block around an address that the program has; it aborts if there is none, as the
 * C library would. */
static struct heap_block *block_of(const void *memory) {
  struct heap_block *b = head_of(memory);
  if ((uintptr_t)memory % GRAIN != 0) abort();
  if (b->state == INNER) b = (struct heap_block *)(void *)((char *)b - b->inside);
  if (b->state != USED) abort();
  return b;
}

static void *take(uint64_t size, bool *fresh) {
  struct zone *zone = zone_here();
  uint64_t whole = 0;
  if (zone == NULL || size > HEAP_SIZE / 2) return NULL;
  unsigned class = class_of(size, &whole);
  struct heap_block *b = zone->free[class];
  *fresh = b == NULL;
  if (b != NULL) {
    zone->free[class] = (struct heap_block *)(uintptr_t)b->size;
  } else {
    if (whole + sizeof *b > HEAP_SIZE - zone->used) return NULL;
    b = (struct heap_block *)(void *)((char *)zone + zone->used);
    zone->used += whole + sizeof *b;
  }
  *b = (struct heap_block){USED, 0, whole};
  objects_allocated((uint64_t)(uintptr_t)content(b), whole);
  return content(b);
}

static void give_back(void *memory) {
  struct heap_block *b = block_of(memory);
  struct zone *zone = zone_here();
  uint64_t whole;
  if (zone == NULL) return;
  unsigned class = class_of(b->size, &whole);
  if (head_of(memory) != b) head_of(memory)->state = FREED;
  *b = (struct heap_block){FREED, 0, (uint64_t)(uintptr_t)zone->free[class]};
  zone->free[class] = b;
}

/* Blocks that are not ours are the C library's, also where another allocator was linked. Looking
 * for its function may allocate, and ask how much that was. */
static size_t usable_elsewhere(void *memory) {
  static bool looked;
  static size_t (*function)(void *);
  if (!looked) {
    looked = true;
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *found = library == NULL ? NULL : dlsym(library, "malloc_usable_size");
    memcpy(&function, &found, sizeof function);
  }
  return function == NULL ? 0 : function(memory);
}

static bool ours(void) {
  return heap != NULL && running && thread_self() != NULL;
}

static bool is_ours(const void *memory) {
  return (uintptr_t)memory >= ZONES_LOW && (uintptr_t)memory < ZONES_LOW + ZONES * ZONE_SIZE &&
         heap != NULL;
}

static size_t usable(const void *memory) {
  const struct heap_block *b = block_of(memory);
  return b->size - (size_t)((const char *)memory - (const char *)(b + 1));
}

static void *no_memory(void) {
  errno = ENOMEM;
  return NULL;
}

/* They have frames of their own, below which the stack is empty afterwards. */
#define APART __attribute__((noinline))

static void leave_nothing(void) {
  if (control->settings.moves && ours()) stack_empty(thread_self());
}

static void *left(void *memory) {
  leave_nothing();
  return memory;
}

APART static void *allocate(size_t size) {
  bool fresh;
  void *memory = take(size, &fresh);
  return memory != NULL ? memory : no_memory();
}

APART static void *allocate_empty(size_t count, size_t size) {
  bool fresh;
  uint64_t whole;
  if (__builtin_mul_overflow(count, size, &whole)) return no_memory();
  void *memory = take(whole, &fresh);
  if (memory == NULL) return no_memory();
  if (!fresh) memset(memory, 0, whole);
  return memory;
}

APART static void *allocate_aligned(size_t alignment, size_t size) {
  if (alignment <= GRAIN) return allocate(size);
  if (size > HEAP_SIZE || alignment > HEAP_SIZE) return no_memory();
  char *memory = allocate(size + alignment);
  if (memory == NULL) return NULL;
  size_t shift = (alignment - (uintptr_t)memory % alignment) % alignment;
  if (shift == 0) return memory;
  *head_of(memory + shift) = (struct heap_block){INNER, (uint32_t)shift, 0};
  return memory + shift;
}

/* Blocks from before main are not taken again. */
APART static void release(void *memory) {
  if (is_ours(memory)) {
    if (ours()) give_back(memory);
  } else if (!ours()) {
    __libc_free(memory);
  }
}

INTERPOSE void *malloc(size_t size) {
  return ours() ? left(allocate(size)) : __libc_malloc(size);
}

INTERPOSE void *calloc(size_t count, size_t size) {
  return ours() ? left(allocate_empty(count, size)) : __libc_calloc(count, size);
}

INTERPOSE void free(void *memory) {
  if (memory == NULL) return;
  release(memory);
  if (is_ours(memory)) leave_nothing();
}

INTERPOSE size_t malloc_usable_size(void *memory) {
  if (memory == NULL) return 0;
  return is_ours(memory) ? usable(memory) : usable_elsewhere(memory);
}

INTERPOSE void *realloc(void *memory, size_t size) {
  if (!ours() && !is_ours(memory)) return __libc_realloc(memory, size);
  if (memory == NULL) return malloc(size);
  size_t have = malloc_usable_size(memory);
  if (size == 0) {
    release(memory);
    return NULL;
  }
  if (is_ours(memory) && size <= have) return memory;
  void *moved = malloc(size);
  if (moved == NULL) return NULL;
  memcpy(moved, memory, size < have ? size : have);
  release(memory);
  return moved;
}

INTERPOSE void *reallocarray(void *memory, size_t count, size_t size) {
  size_t whole;
  return __builtin_mul_overflow(count, size, &whole) ? no_memory() : realloc(memory, whole);
}

INTERPOSE void *memalign(size_t alignment, size_t size) {
  return ours() ? left(allocate_aligned(alignment, size)) : __libc_memalign(alignment, size);
}

INTERPOSE void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

INTERPOSE int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  int before = errno;
  void *found = memalign(alignment, size);
  errno = before;
  if (found == NULL) return ENOMEM;
  *memory = found;
  return 0;
}

INTERPOSE void *valloc(size_t size) {
  return memalign(PAGE, size);
}

INTERPOSE void *pvalloc(size_t size) {
  return memalign(PAGE, (size + PAGE - 1) / PAGE * PAGE);
}
