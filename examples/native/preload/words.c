/* What is known of memory that plain instructions access: for each page whether it is one thread's
 * own, and which bytes are atomic objects. Both are found out as executions go: a page is shared
 * when somebody else than its owner comes there; bytes are atomic when two threads race for them,
 * or a read-modify-write uses them. What was done there before was not seen, so that all of it is
 * used only by the next exploration, which begins from the start, under names that do not depend on
 * addresses.
 *
 * The table of pages and that of words outlast an execution in place, since addresses follow from
 * the names of threads. */
#include "words.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "../control.h"
#include "../control/learned.h"
#include "../control/texts.h"
#include "engine.h"
#include "entry.h"
#include "heap.h"
#include "modules.h"
#include "noted.h"
#include "objects.h"
#include "patch_filter.h"
#include "scheduler.h"
#include "snapshot.h"
#include "words_text.h"

enum { WORD = 8, WORDS_MOST = WORD_SLOTS / 2 };

static uint32_t *word_count; /* behind the table; NULL: plain accesses are not watched */
static uint32_t known;       /* how many of control->words this exploration uses */

static bool is_beside(const struct shared_word *a, const struct shared_word *b) {
  return a->where == b->where && strcmp(a->owner, b->owner) == 0;
}

static bool is_inside(const struct shared_word *a, const struct shared_word *b) {
  return is_beside(a, b) && a->at == b->at && a->size > 0 && a->size <= b->size;
}

/* Of those that begin in one place the largest is kept: a replay knows no other order of finding
 * them. */
void words_begin(void) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < control->word_count; i++) {
    const struct shared_word w = control->words[i];
    bool inside = false;
    for (uint32_t j = 0; j < kept && !inside; j++) {
      inside = is_inside(&w, &control->words[j]);
      if (!inside && is_inside(&control->words[j], &w)) {
        control->words[j] = w;
        inside = true;
      }
    }
    if (!inside) control->words[kept++] = w;
  }
  known = control->word_count = kept;
}

uint32_t words_known(void) {
  return known;
}

bool words_prepare(void) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const uint64_t size = PAGES_SIZE + WORDS_ROOM + LINES + PAGE + NOTED_ROOM;
  if (!map_at(PAGES_LOW, size, PROT_READ | PROT_WRITE, flags, -1, 0)) return false;
  word_count = (uint32_t *)(uintptr_t)(LINES_LOW + LINES);
  noted = (struct noted *)(uintptr_t)(LINES_LOW + LINES + PAGE);
  words_begin();
  return true;
}

bool words_watched(void) {
  return word_count != NULL;
}

void words_free(uint64_t low, uint64_t high) {
  if (words_watched() && high >> PAGE_SHIFT < PAGES_SIZE)
    memset(filter_page(low), PAGE_FREE, (high - low) >> PAGE_SHIFT);
}

/* ---- bytes ---- */

/* Without room it stays as it is. */
static void make_atomic(uint64_t address, uint64_t size) {
  for (uint64_t word = address & ~(uint64_t)(WORD - 1); word < address + size; word += WORD) {
    struct atomic_word *slot = word_slot(word);
    const uint64_t bytes = word_bytes(word, address, size);
    if ((slot->bytes & bytes) == bytes || (slot->bytes == 0 && *word_count == WORDS_MOST)) continue;
    *word_count += slot->bytes == 0;
    slot->address = word;
    slot->bytes |= bytes;
    lines_mark(word);
  }
}

/* ---- names ---- */

static struct thread *owner_of(uint64_t address, bool *stack) {
  for (struct thread *t = threads; t != NULL; t = t->next) {
    *stack = address >= t->stack_low && address < t->stack_high;
    if (*stack) return t;
  }
  return heap_owner(address);
}

static void name_it(struct shared_word *w, uint64_t address) {
  uint32_t module;
  uint64_t offset;
  bool stack;
  const struct thread *t = owner_of(address, &stack);
  memset(w, 0, sizeof *w);
  w->where = WORD_ANYWHERE;
  w->at = address;
  if (t != NULL) {
    engine_thread(w->owner, sizeof w->owner, t->name);
    w->where = stack ? WORD_ON_STACK : WORD_ON_HEAP;
    w->at = stack ? t->stack_base - address : heap_offset(address);
  } else if (module_locate(address, &module, &offset)) {
    w->where = WORD_IN_MODULE;
    w->at = (uint64_t)module << 32 | offset;
  }
}

/* False: its thread is not `t`, whose name that is. */
static bool find(const struct shared_word *w, const struct thread *t, const char *name,
                 uint64_t *address) {
  *address = w->at;
  switch (w->where) {
  case WORD_IN_MODULE:
    if (w->at >> 32 >= control->module_count) return false;
    *address = control->modules[w->at >> 32].base + (uint32_t)w->at;
    return true;
  case WORD_ON_STACK:
    if (t == NULL || strcmp(w->owner, name) != 0) return false;
    *address = t->stack_base - w->at;
    return true;
  case WORD_ON_HEAP:
    if (t == NULL || strcmp(w->owner, name) != 0) return false;
    *address = heap_place(t, w->at);
    return true;
  default:
    return true;
  }
}

static void add(const struct shared_word *w) {
  control->no_room |= control->word_count == WORDS_MAX;
  if (control->word_count == WORDS_MAX) return;
  control->words[control->word_count++] = *w;
  control->learned = true;
}

static void remember_word(uint64_t address, uint32_t size) {
  struct shared_word w;
  name_it(&w, address);
  w.size = size;
  for (uint32_t i = 0; i < control->word_count; i++) {
    if (is_inside(&w, &control->words[i])) return;
  }
  add(&w);
}

/* ---- pages ---- */

static uint64_t page_of(uint64_t address) {
  return address >> PAGE_SHIFT;
}

/* How far a place is behind the beginning of pages, some of which may be its own. */
static uint64_t distance_into(const struct shared_word *pages, const struct shared_word *w) {
  return pages->where == WORD_ON_STACK ? pages->at - w->at : w->at - pages->at;
}

/* One more at the end of those that are known, as they are found when a thread goes through a
 * block, or alone. */
static void remember_page(uint64_t address) {
  struct shared_word w;
  name_it(&w, address & ~(((uint64_t)1 << PAGE_SHIFT) - 1));
  w.pages = 1;
  for (uint32_t i = 0; i < control->word_count; i++) {
    struct shared_word *other = &control->words[i];
    if (other->size > 0 || !is_beside(other, &w)) continue;
    const uint64_t into = distance_into(other, &w) >> PAGE_SHIFT;
    if (into < other->pages) return;
    if (i < known || into > other->pages || other->pages == UINT32_MAX) continue;
    other->pages++;
    control->learned = true;
    return;
  }
  add(&w);
}

/* An access may begin in the page before. */
static void share(uint64_t address, enum page_state state) {
  uint8_t *page = filter_page(address);
  if (*page < state || *page == PAGE_NOBODY) *page = (uint8_t)state;
  if (address < PAGE) return;
  page = filter_page(address - PAGE);
  if (*page >= PAGE_OWNED && *page <= PAGE_OWNED_MOST) *page = PAGE_SHARED;
}

static enum page_state state_of(uint64_t address, const struct thread *t) {
  char name[NAME_SIZE] = "";
  enum page_state state = PAGE_SHARED;
  uint64_t at;
  if (t != NULL) engine_thread(name, sizeof name, t->name);
  if (t != NULL && t->name <= PAGE_OWNED_MOST - PAGE_OWNED && !control->settings.none_owned)
    state = (enum page_state)(PAGE_OWNED + t->name);
  for (uint32_t i = 0; i < known; i++) {
    const struct shared_word *w = &control->words[i];
    if (!find(w, t, name, &at)) continue;
    const uint64_t into = page_of(address) - page_of(at), count = w->size > 0 ? 1 : w->pages;
    /* An access may begin in the page before. */
    if (into + 1 == 0 && w->size > 0 && state != PAGE_ATOMIC) state = PAGE_BEFORE;
    if (into + 1 <= count && state < PAGE_BEFORE) state = PAGE_SHARED;
    if (into != 0 || w->size == 0) continue;
    make_atomic(at, w->size);
    state = PAGE_ATOMIC;
  }
  return state;
}

static bool come_to(uint64_t address) {
  bool stack;
  const struct thread *me = thread_self();
  uint8_t *page = filter_page(address);
  if (filter.owner == PAGE_NOBODY && me->name <= PAGE_OWNED_MOST - PAGE_OWNED)
    filter.owner = (uint8_t)(PAGE_OWNED + me->name);
  if (threads->next == NULL) filter.alone = PAGE_SHARED;
  if (*page == PAGE_UNKNOWN) *page = (uint8_t)state_of(address, owner_of(address, &stack));
  if (*page == filter.owner || *page == PAGE_FREE) return false;
  if (*page <= PAGE_OWNED_MOST) {
    share(address, PAGE_SHARED);
    remember_page(address);
  }
  return true;
}

bool words_pages(uint64_t address, uint64_t size) {
  bool shared = false;
  for (uint64_t page = address & ~(((uint64_t)1 << PAGE_SHIFT) - 1); page < address + size;
       page += (uint64_t)1 << PAGE_SHIFT)
    shared |= come_to(page < address ? address : page);
  return shared;
}

void words_each(uint64_t address, uint64_t size,
                void (*visit)(uint64_t address, uint32_t size, uint64_t place), uint64_t place) {
  char name[NAME_SIZE] = "";
  bool stack;
  uint64_t at;
  if (!words_watched()) return;
  const struct thread *t = owner_of(address, &stack);
  if (t != NULL) engine_thread(name, sizeof name, t->name);
  for (uint32_t i = 0; i < known; i++) {
    const struct shared_word *w = &control->words[i];
    if (w->size > 0 && find(w, t, name, &at) && at < address + size && address < at + w->size)
      visit(at, w->size, place);
  }
}

void words_learn(uint64_t address, uint64_t size) {
  bool fresh = false;
  if (!words_watched()) return;
  come_to(address);
  for (uint64_t i = 0; i < size; i++)
    fresh |= !words_atomic(address + i, 1);
  /* Objects have one, two, four or eight bytes, and lie where these do. */
  for (uint64_t at = address, part; fresh && at < address + size; at += part) {
    for (part = WORD; at % part != 0 || at + part > address + size; part /= 2)
      continue;
    remember_word(at, (uint32_t)part);
  }
}

/* Of one that is no word of its own, the first byte says enough: whatever has another one of its
 * bytes alone has a name of its own. */
void words_learn_schedule(const unf_schedule *schedule) {
  if (!words_watched()) return;
  const bool whole = words_read(unf_schedule_program(schedule));
  for (uint64_t i = 0; !whole && i < unf_schedule_size(schedule); i++) {
    unf_action action;
    struct shared_word w = {.size = 1};
    if (unf_schedule_step(schedule, i, &action) != UNF_OK ||
        (action.kind != UNF_DID_READ && action.kind != UNF_DID_WRITE &&
         action.kind != UNF_DID_ADD) ||
        !object_where(action.target, &w))
      continue;
    bool found = false;
    for (uint32_t j = 0; !found && j < control->word_count; j++)
      found = is_inside(&w, &control->words[j]);
    if (!found && control->word_count < WORDS_MAX) control->words[control->word_count++] = w;
  }
  words_begin();
}
