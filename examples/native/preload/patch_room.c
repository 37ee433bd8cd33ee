/* Where trampolines lie: in pages of their own, as near to the code as the jumps need. A page is
 * mapped when the first trampoline is put into it. Those for short instructions have to begin in a
 * window of as little as 256 bytes, so pages are filled byte by byte and in no order. */
#include "patch_room.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "../control.h"
#include "heap.h"
#include "refuse.h"
#include "system_call.h"

enum {
  MAPPINGS_MAX = 4096,
  MAPS_SIZE = 1 << 20,
  PAGES_MAX = 30000, /* the system has room for 65530 mappings */
  SLOTS = 1 << 17,
  PAGE_BITS = PAGE / 8,
  HINTS = 1 << 12
};
/* Sizes of windows: more than all pages of which can be looked at; everywhere within reach; and how
 * far windows may be from each other to use the same page. */
#define WIDE        ((int64_t)1 << 16)
#define NEAR        ((int64_t)1 << 22)
#define WIDEST      ((int64_t)1 << 28)
#define LOWEST      ((int64_t)1 << 16)
#define HIGHEST     ((int64_t)0x7fffffff0000)
#define HEAP_SPACE  ((uint64_t)192 << 20)
#define STACK_SPACE ((uint64_t)64 << 20)

struct page {
  uint64_t address;
  uint32_t free, next; /* bytes; where those begin that were never used */
  bool ours;
  uint8_t used[PAGE_BITS]; /* a bit for each byte */
};

struct room {
  uint32_t mapping_count, page_count;
  struct mapping mappings[MAPPINGS_MAX];
  uint32_t slots[SLOTS]; /* hash of pages: number + 1 */
  struct hint {
    int64_t low;
    uint32_t page;
  } hints[HINTS]; /* by window: the page that was used last */
  struct page pages[PAGES_MAX];
  char text[MAPS_SIZE];
};
static struct room *room; /* while something is patched */

static void *map(uint64_t address, uint64_t size, int protection, int flags) {
  const long arguments[] = {
      (long)address, (long)size, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0};
  const long result = raw_call6(SYS_mmap, arguments);
  return result < 0 && result > -PAGE ? NULL : (void *)result;
}

static bool protect(uint64_t address, uint64_t size, int protection) {
  return raw_call(SYS_mprotect, (long)address, (long)size, protection, 0) == 0;
}

static int protection_of(const char *rights) {
  return (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
         (rights[2] == 'x' ? PROT_EXEC : 0);
}

/* Heap and stack grow: the space beside them is not ours. */
static bool add_mapping(const char *line) {
  unsigned long long low, high;
  char rights[5];
  if (room->mapping_count == MAPPINGS_MAX) return false;
  if (sscanf(line, "%llx-%llx %4s", &low, &high, rights) != 3) return false;
  if (low >= HIGHEST) return true; /* the kernel's */
  struct mapping *m = &room->mappings[room->mapping_count++];
  *m = (struct mapping){low, high, protection_of(rights)};
  if (strstr(line, "[heap]") != NULL) m->high += HEAP_SPACE;
  if (strstr(line, "[stack]") != NULL) m->low -= STACK_SPACE;
  return true;
}

static bool read_mappings(void) {
  char *line = room->text, *end;
  long got = 1, file = raw_call(SYS_open, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0);
  size_t size = 0;
  room->mapping_count = 0;
  for (; file >= 0 && got > 0 && size<MAPS_SIZE - 1; size += got> 0 ? (size_t)got : 0)
    got = raw_call(SYS_read, file, (long)(room->text + size), (long)(MAPS_SIZE - 1 - size), 0);
  raw_call(SYS_close, file, 0, 0, 0);
  room->text[size] = '\0';
  for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    if (!add_mapping(line)) return false;
  }
  return got == 0 && room->mapping_count > 0;
}

const struct mapping *room_mapping(uint32_t i) {
  return i < room->mapping_count ? &room->mappings[i] : NULL;
}

/* Tried with a page of no use, so that nothing is half done when it is refused. */
static bool may_execute(void) {
  void *page = map(0, PAGE, PROT_READ | PROT_WRITE, 0);
  if (page == NULL) return false;
  memset(page, 0, 1);
  bool allowed = protect((uint64_t)(uintptr_t)page, PAGE, PROT_READ | PROT_EXEC);
  raw_call(SYS_munmap, (long)page, PAGE, 0, 0);
  return allowed;
}

const char *room_begin(void) {
  if (!may_execute()) return "the system does not let memory be executed that was written";
  room = map(0, sizeof *room, PROT_READ | PROT_WRITE, MAP_NORESERVE);
  if (room == NULL) return "there is no memory for it";
  return read_mappings() ? NULL : "the list of mappings cannot be read";
}

static uint32_t *slot_of(uint64_t address) {
  uint32_t i = (uint32_t)((address / PAGE * 0x9e3779b97f4a7c15u) >> 47) & (SLOTS - 1);
  while (room->slots[i] != 0 && room->pages[room->slots[i] - 1].address != address)
    i = (i + 1) & (SLOTS - 1);
  return &room->slots[i];
}

static bool is_free(const struct page *p, uint64_t at, uint64_t size, uint64_t *next) {
  for (uint64_t i = at + size; i-- > at;) {
    if ((p->used[i / 8] >> i % 8 & 1) == 0) continue;
    *next = i + 1;
    return false;
  }
  return true;
}

static uint64_t take_in(struct page *p, int64_t low, int64_t high, uint64_t size) {
  const int64_t first = (int64_t)p->address;
  if (p->free < size || high <= first || low > first + PAGE - (int64_t)size) return 0;
  uint64_t at = low > first ? (uint64_t)(low - first) : 0;
  uint64_t last =
      high - 1 < first + PAGE - (int64_t)size ? (uint64_t)(high - 1 - first) : PAGE - size;
  if (at <= p->next && p->next <= last) at = p->next;
  while (at <= last && !is_free(p, at, size, &at))
    continue;
  if (at > last) return 0;
  if (at + size > p->next) p->next = (uint32_t)(at + size);
  for (uint64_t i = at; i < at + size; i++)
    p->used[i / 8] |= (uint8_t)(1u << i % 8);
  p->free -= (uint32_t)size;
  return p->address + at;
}

/* What has come to a hole meanwhile is a page without room. */
static struct page *add_page(uint64_t address) {
  uint32_t *slot = slot_of(address);
  if (room->page_count == PAGES_MAX || *slot != 0) return NULL;
  struct page *p = &room->pages[room->page_count++];
  p->address = address;
  *slot = room->page_count;
  if (map(address, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE) == NULL) return NULL;
  p->free = PAGE;
  p->ours = true;
  return p;
}

/* In the part of a hole that a window reaches, from its upper end or from its lower one. */
static uint64_t take_in_hole(int64_t low, int64_t high, uint64_t size, bool downwards) {
  int64_t first = low / PAGE * PAGE, last = (high - 1) / PAGE * PAGE;
  while (first <= last && room->page_count < PAGES_MAX) {
    const int64_t page = downwards ? last : first;
    struct page *p = add_page((uint64_t)page);
    uint64_t found = p == NULL ? 0 : take_in(p, low, high, size);
    if (found != 0) return found;
    if (downwards)
      last -= PAGE;
    else
      first += PAGE;
  }
  return 0;
}

/* Holes are what lies between the mappings; those on one side of a place, the nearest first. */
static uint64_t take_in_holes(int64_t low, int64_t high, uint64_t size, int64_t near, bool below) {
  const int64_t count = room->mapping_count;
  for (int64_t n = 0; n <= count; n++) {
    const int64_t i = below ? count - n : n; /* the hole below mapping i */
    int64_t from = i == 0 ? LOWEST : (int64_t)room->mappings[i - 1].high;
    int64_t to = i == count ? HIGHEST : (int64_t)room->mappings[i].low;
    if (from < LOWEST) from = LOWEST;
    if (to > HIGHEST) to = HIGHEST;
    if ((from < near) != below || from >= to) continue;
    if (from < low) from = low;
    if (to > high) to = high;
    uint64_t found = from < to ? take_in_hole(from, to, size, below) : 0;
    if (found != 0) return found;
  }
  return 0;
}

/* In pages that are there already, for a window that has few of them. */
static uint64_t take_in_few(int64_t low, int64_t high, uint64_t size) {
  for (int64_t at = low / PAGE * PAGE; at < high; at += PAGE) {
    const uint32_t page = *slot_of((uint64_t)at);
    const uint64_t found = page == 0 ? 0 : take_in(&room->pages[page - 1], low, high, size);
    if (found != 0) return found;
  }
  return 0;
}

/* There are many places and pages, so that of a wide window only the page is tried that was used
 * for it last; what is left over in others is lost to it. */
uint64_t room_take(int64_t low, int64_t high, uint64_t size, uint64_t near) {
  if (low < LOWEST) low = LOWEST;
  if (high > HIGHEST) high = HIGHEST;
  if (low >= high) return 0;
  const bool wide = high - low > WIDE, widest = high - low > WIDEST;
  /* Windows of one width differ a little from each other, as the places do. */
  const int64_t key = low / (widest ? WIDEST : NEAR);
  struct hint *hint = &room->hints[(uint64_t)key * 0x9e3779b97f4a7c15u >> 52];
  uint64_t found = 0;
  if (!wide)
    found = take_in_few(low, high, size);
  else if (hint->page != 0 && hint->low == key)
    found = take_in(&room->pages[hint->page - 1], low, high, size);
  if (found == 0) found = take_in_holes(low, high, size, (int64_t)near, true);
  if (found == 0) found = take_in_holes(low, high, size, (int64_t)near, false);
  if (found == 0 && wide && !widest) found = take_in_few(low, high, size);
  if (found == 0 || !wide) return found;
  hint->low = key;
  hint->page = *slot_of(found / PAGE * PAGE);
  return found;
}

bool room_end(void) {
  bool good = true;
  for (uint32_t i = 0; i < room->page_count; i++)
    good &= !room->pages[i].ours || protect(room->pages[i].address, PAGE, PROT_READ | PROT_EXEC);
  raw_call(SYS_munmap, (long)room, sizeof *room, 0, 0);
  room = NULL;
  return good;
}
