/* What plain accesses of a thread mean for its loops that wait. Compiled for general registers
 * alone, as patch_hit.c, since it is asked at each of them. */
#include "waits_quiet.h"

#include <stddef.h>

#include "heap.h"
#include "scheduler.h"
#include "waits.h"

void waits_written(void) {
  struct waits *w = thread_self()->waits;
  if (w == NULL) return;
  w->count = 0;
  w->quiet = 0;
}

bool waits_remember(const struct thread *t, uint64_t address, uint64_t size) {
  const bool on_stack = address >= t->stack_low && address + size <= t->stack_base;
  return on_stack ||
         (t->name < ZONES && address - (ZONES_LOW + t->name * ZONE_SIZE) < HEAP_SIZE - size);
}

void waits_wrote(struct thread *t, uint64_t address, uint64_t size) {
  if (waits_remember(t, address, size)) return;
  t->wrote = true;
  waits_written();
}

/* From time to time there are some that are looked at. */
bool waits_quiet(struct thread *t) {
  struct waits *w = t->waits;
  if (w == NULL) return false;
  if (w->quiet_since != t->operations) w->quiet = 0;
  w->quiet_since = t->operations;
  if (w->quiet >= QUIET_MOST && w->quiet % QUIET_MOST < VISITS) return false;
  w->quiet++;
  return true;
}
