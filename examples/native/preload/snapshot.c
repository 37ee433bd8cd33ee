/* Memory that is put back between executions. Everything writable and private that the process
 * has in front of main is copied and made read-only. The first change of a page is a fault, and
 * from then on the page is one of those that are compared and put back after each execution: what
 * an execution costs are the pages that it can change. Where these become many, the region is
 * mapped anew from the copy, privately, and its changes are dropped in one call. The stack of
 * main needs none of this: above the frame at which executions begin it is put back whole, below
 * it is dead. */
#include "snapshot.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../control.h"
#include "heap.h"
#include "inplace.h"
#include "patch_filter.h"
#include "refuse.h"
#include "system_call.h"

enum { REGIONS_MAX = 256, PAGES_MAX = SMALL_PART / PAGE, MAPS_SIZE = 1 << 16, SIZE_MOST = 1 << 30 };

struct region {
  uint64_t low, high, offset; /* of its copy */
  uint32_t pages;             /* that may differ */
  bool open, mapped;          /* all of it may; it is mapped from the copy */
  uint32_t page[PAGES_MAX];
};

struct snapshot {
  int file;
  uint64_t size, stack_low, stack_high;
  char *copy, *stack_copy;
  uint32_t count;
  struct region regions[REGIONS_MAX];
};
static struct snapshot *snapshot;

bool map_at(uint64_t address, uint64_t size, int protection, int flags, int file, uint64_t offset) {
  const long arguments[] = {(long)address,     (long)size, protection,
                            flags | MAP_FIXED, file,       (long)offset};
  return raw_call6(SYS_mmap, arguments) == (long)address;
}

static bool protect(uint64_t low, uint64_t high, int protection) {
  return raw_call(SYS_mprotect, (long)low, (long)(high - low), protection, 0) == 0;
}

static void *address_of(uint64_t address) {
  return (void *)(uintptr_t)address;
}

static const char *add_region(uint64_t low, uint64_t high) {
  struct region *last = &snapshot->regions[snapshot->count - (snapshot->count > 0)];
  if (snapshot->count > 0 && last->high == low) {
    last->high = high;
  } else {
    if (snapshot->count == REGIONS_MAX) return "it has too many regions of memory";
    snapshot->regions[snapshot->count++] = (struct region){.low = low, .high = high};
  }
  return NULL;
}

static bool is_own(uint64_t address) {
  return (address >= OURS_LOW && address < OURS_LOW + OURS_SIZE) ||
         (address >= PAGES_LOW && address <= LINES_LOW + LINES) ||
         (address >= ZONES_LOW && address < ZONES_LOW + ZONES * ZONE_SIZE);
}

/* One line of the list of mappings. */
static const char *see_mapping(const char *line, uint64_t stack) {
  unsigned long long low, high;
  char rights[5];
  if (sscanf(line, "%llx-%llx %4s", &low, &high, rights) != 3) return "its mappings are unreadable";
  if (rights[1] != 'w' || is_own(low)) return NULL;
  if (stack >= low && stack < high) {
    snapshot->stack_low = stack;
    snapshot->stack_high = high;
    return NULL;
  }
  if (rights[3] == 's') return NULL;
  if (rights[2] == 'x') return "it has memory that is writable and executable";
  return add_region(low, high);
}

/* The lines that are whole, of so many bytes; how many bytes they are. */
static size_t see_lines(char *text, size_t size, uint64_t stack, const char **why) {
  char *line = text, *end;
  while (*why == NULL && (end = memchr(line, '\n', size - (size_t)(line - text))) != NULL) {
    *end = '\0';
    *why = see_mapping(line, stack);
    line = end + 1;
  }
  return (size_t)(line - text);
}

/* Trampolines make many of them, so they are read part by part. */
static const char *see_mappings(uint64_t stack) {
  const char *why = NULL;
  char *text = inplace_memory(MAPS_SIZE);
  size_t size = 0;
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (file >= 0 && why == NULL && size < MAPS_SIZE) {
    const ssize_t got = read(file, text + size, MAPS_SIZE - size);
    if (got <= 0) break;
    size += (size_t)got;
    const size_t seen = see_lines(text, size, stack, &why);
    size -= seen;
    memmove(text, text + seen, size);
  }
  close(file);
  if (why != NULL) return why;
  return size > 0 || snapshot->stack_high == 0 ? "its mappings are unreadable" : NULL;
}

static uint64_t regions_size(void) {
  uint64_t size = 0;
  for (uint32_t i = 0; i < snapshot->count; i++)
    size += snapshot->regions[i].high - snapshot->regions[i].low;
  return size;
}

static bool copy_regions(void) {
  for (uint32_t i = 0; i < snapshot->count; i++) {
    struct region *r = &snapshot->regions[i];
    r->offset = snapshot->size;
    snapshot->size += r->high - r->low;
  }
  uint64_t whole = snapshot->size + snapshot->stack_high - snapshot->stack_low;
  int low = memfd_create("unfold-copy", MFD_CLOEXEC);
  snapshot->file = inplace_file(low);
  close(low);
  sighandler_t before = signal(SIGXFSZ, SIG_IGN); /* files may be limited to a size */
  bool sized = snapshot->file >= 0 && ftruncate(snapshot->file, (off_t)whole) == 0;
  signal(SIGXFSZ, before);
  if (!sized) return false;
  snapshot->copy = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, snapshot->file, 0);
  if (snapshot->copy == MAP_FAILED) return false;
  for (uint32_t i = 0; i < snapshot->count; i++) {
    const struct region *r = &snapshot->regions[i];
    memcpy(snapshot->copy + r->offset, address_of(r->low), r->high - r->low);
  }
  snapshot->stack_copy = snapshot->copy + snapshot->size;
  memcpy(snapshot->stack_copy, address_of(snapshot->stack_low),
         snapshot->stack_high - snapshot->stack_low);
  return true;
}

static void open_region(struct region *r) {
  protect(r->low, r->high, PROT_READ | PROT_WRITE);
  r->open = true;
}

static bool is_exposed(const struct region *r, uint32_t page) {
  bool found = r->open;
  for (uint32_t i = 0; i < r->pages && !found; i++)
    found = r->page[i] == page;
  return found;
}

/* Adds a page to those that are put back; false if it was one already. */
static bool expose(struct region *r, uint32_t page) {
  uint64_t low = r->low + (uint64_t)page * PAGE;
  if (is_exposed(r, page)) return false;
  if (r->pages == PAGES_MAX) {
    open_region(r);
    return true;
  }
  protect(low, low + PAGE, PROT_READ | PROT_WRITE);
  r->page[r->pages++] = page;
  return true;
}

static struct region *region_of(uint64_t address) {
  uint32_t low = 0, high = snapshot->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (address >= snapshot->regions[middle].high)
      low = middle + 1;
    else
      high = middle;
  }
  struct region *r = &snapshot->regions[low];
  return low < snapshot->count && address >= r->low ? r : NULL;
}

bool snapshot_fault(uint64_t address) {
  struct region *r = snapshot == NULL ? NULL : region_of(address);
  return r != NULL && expose(r, (uint32_t)((address - r->low) / PAGE));
}

/* Its length is not known here. */
void snapshot_expose(uint64_t address) {
  struct region *r = region_of(address);
  if (r == NULL || r->open) return;
  for (uint64_t page = (address - r->low) / PAGE; page < (r->high - r->low) / PAGE; page++) {
    if (r->open) return;
    expose(r, (uint32_t)page);
  }
}

/* The system answers EFAULT for a page that was not changed before: it raises no signal. */
void snapshot_open(void *memory, size_t size) {
  const uint64_t low = (uint64_t)(uintptr_t)memory, high = low + size;
  for (uint64_t at = low - low % PAGE; at < high; at += PAGE)
    snapshot_fault(at);
}

void snapshot_release(void) {
  for (uint32_t i = 0; i < snapshot->count; i++)
    if (!snapshot->regions[i].open) open_region(&snapshot->regions[i]);
}

/* Where the area of restartable sequences is, from the thread's block on: inside of that, or in
 * front of it from glibc 2.41 on. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));

/* The system itself writes into the thread's block and into that area, at any time: the
 * first page of them. */
static uint64_t written_by_system(void) {
  uint64_t block;
  __asm__ volatile("mov %%fs:0, %0" : "=r"(block));
  const bool in_front = &__rseq_size != NULL && __rseq_size > 0 && __rseq_offset < 0;
  return (in_front ? block + (uint64_t)__rseq_offset : block) / PAGE * PAGE;
}

/* From that page on nothing is closed. */
static bool close_region(struct region *r, uint64_t block) {
  bool inside = block >= r->low && block < r->high;
  uint64_t high = inside ? block : r->high;
  if (inside && (r->high - block) / PAGE > PAGES_MAX) return r->open = true;
  for (uint64_t at = high; at < r->high; at += PAGE)
    r->page[r->pages++] = (uint32_t)((at - r->low) / PAGE);
  return high == r->low || protect(r->low, high, PROT_READ);
}

const char *snapshot_take(uint64_t stack) {
  snapshot = inplace_memory(sizeof *snapshot);
  const char *why = see_mappings(stack);
  if (why != NULL) return why;
  if (regions_size() > SIZE_MOST) return "it has more than 1 GB of memory in front of main";
  if (!copy_regions()) return "there is no room for a copy";
  const uint64_t open = written_by_system();
  for (uint32_t i = 0; i < snapshot->count; i++)
    if (!close_region(&snapshot->regions[i], open))
      return "its memory cannot be protected";
  return NULL;
}

static void put_back(char *to, const char *from, size_t size) {
  for (size_t part; size > 0; to += part, from += part, size -= part) {
    part = size < PAGE ? size : PAGE;
    if (memcmp(to, from, part) != 0) memcpy(to, from, part);
  }
}

static void restore_region(struct region *r) {
  if (r->open && r->high - r->low <= SMALL_PART) {
    put_back(address_of(r->low), snapshot->copy + r->offset, r->high - r->low);
  } else if (r->open && r->mapped) {
    raw_call(SYS_madvise, (long)r->low, (long)(r->high - r->low), MADV_DONTNEED, 0);
  } else if (r->open) {
    r->mapped = map_at(r->low, r->high - r->low, PROT_READ | PROT_WRITE, MAP_PRIVATE,
                       snapshot->file, r->offset);
    if (!r->mapped) give_up(OUTCOME_BROKEN, "the program's memory cannot be mapped anew");
  } else {
    for (uint32_t i = 0; i < r->pages; i++) {
      uint64_t at = (uint64_t)r->page[i] * PAGE;
      put_back(address_of(r->low + at), snapshot->copy + r->offset + at, PAGE);
    }
  }
}

void snapshot_restore(void) {
  for (uint32_t i = 0; i < snapshot->count; i++)
    restore_region(&snapshot->regions[i]);
  put_back(address_of(snapshot->stack_low), snapshot->stack_copy,
           snapshot->stack_high - snapshot->stack_low);
}
