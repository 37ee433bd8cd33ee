/* Which plain accesses go on at once: those to pages that belong to the thread (its stack, its
 * heap) as long as nobody else has been seen there, and those to memory that nobody writes. The
 * trampoline itself compares the byte of the page with the number of its thread; what comes here is
 * the rest. Compiled for general registers alone, as patch_hit.c. */
#include "patch_filter.h"

#include <stddef.h>

#include "patch.h"
#include "patch_hit.h"
#include "scheduler.h"

_Thread_local struct filter filter = {PAGES_LOW, PAGE_NOBODY};

uint8_t *filter_page(uint64_t address) {
  return (uint8_t *)(uintptr_t)(PAGES_LOW + (address >> PAGE_SHIFT) % PAGES_SIZE);
}

int32_t filter_offset(const void *field) {
  uint64_t block;
  __asm__("mov %%fs:0, %0" : "=r"(block));
  return (int32_t)((uint64_t)(uintptr_t)field - block);
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

/* As long as there is one thread, what it does comes before all that others do. */
bool filter_matters(const struct patched *p, const struct patch_frame *frame) {
  const bool alone = threads == NULL || threads->next == NULL;
  if (p->site.kind == SITE_STRING) return true;
  const uint64_t address = patch_address(p, frame);
  const uint8_t first = *filter_page(address), last = *filter_page(address + p->site.size - 1);
  if (first != last) return true;
  return first != PAGE_FREE && first != filter.owner && (first != PAGE_SHARED || !alone);
}
