/* Which plain accesses go on at once: those to pages that belong to the thread (its stack, its
 * heap) as long as nobody else has been seen there, and those to memory that nobody writes. What
 * patch_filter finds out comes first; here is
 * the rest. Compiled for general registers alone, as patch_hit.c. */
#include "patch_filter.h"

#include <stddef.h>

#include "patch.h"
#include "patch_hit.h"
#include "scheduler.h"

enum { WORD = 8 };

_Thread_local struct filter filter = {PAGE_NOBODY, PAGE_NOBODY};

void filter_not_alone(void) {
  filter.alone = PAGE_NOBODY;
}

uint8_t *filter_page(uint64_t address) {
  return (uint8_t *)(uintptr_t)(PAGES_LOW + (address >> PAGE_SHIFT) % PAGES_SIZE);
}

static uint64_t value_of(const struct patch_frame *frame, unsigned number) {
  return number < SITE_RIP ? frame->registers[number] : 0;
}

uint64_t patch_address(const struct patched *p, const struct patch_frame *frame) {
  const struct site *s = &p->site;
  uint64_t address = (uint64_t)(int64_t)s->displacement, block = 0;
  address += s->base == SITE_RIP ? p->address + s->length : value_of(frame, s->base);
  address += value_of(frame, s->index) * s->scale;
  if ((s->flags & SITE_THREAD_BLOCK) != 0) __asm__("mov %%fs:0, %0" : "=r"(block));
  return address + block;
}

struct atomic_word *word_slot(uint64_t word) {
  struct atomic_word *table = (struct atomic_word *)(uintptr_t)(PAGES_LOW + PAGES_SIZE);
  uint32_t i = (uint32_t)((word / WORD * 0x9e3779b97f4a7c15u) >> 40) % WORD_SLOTS;
  while (table[i].bytes != 0 && table[i].address != word)
    i = (i + 1) % WORD_SLOTS;
  return &table[i];
}

uint64_t word_bytes(uint64_t word, uint64_t address, uint64_t size) {
  const uint64_t before = address > word ? address - word : 0, end = address + size - word;
  return (0xffu << before) & (0xffu >> (end < WORD ? WORD - end : 0));
}

void lines_mark(uint64_t word) {
  unsigned char *lines = (unsigned char *)(uintptr_t)LINES_LOW;
  const uint64_t line = word >> LINE_SHIFT;
  lines[line % LINES] = lines[(line - 1) % LINES] = 1;
}

/* Of a page that has none, only the first word may belong to one that begins before it. */
bool words_atomic(uint64_t address, uint64_t size) {
  const uint64_t page = (uint64_t)1 << PAGE_SHIFT;
  for (uint64_t word = address & ~(uint64_t)(WORD - 1); word < address + size; word += WORD) {
    if ((word_slot(word)->bytes & word_bytes(word, address, size)) != 0) return true;
    if (*filter_page(word) != PAGE_ATOMIC) word |= page - WORD;
  }
  return false;
}

/* As long as there is one thread, what it does comes before all that others do. */
bool filter_matters(const struct patched *p, const struct patch_frame *frame) {
  const bool alone = threads == NULL || threads->next == NULL;
  if (p->site.kind == SITE_STRING) return true;
  const uint64_t address = patch_address(p, frame);
  const uint8_t first = *filter_page(address), last = *filter_page(address + p->site.size - 1);
  if (first != last) return true;
  return first != PAGE_FREE && first != filter.owner &&
         ((first != PAGE_SHARED && first != PAGE_BEFORE) || !alone);
}
