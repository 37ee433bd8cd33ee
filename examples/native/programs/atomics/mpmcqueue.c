/* A bounded queue for many producers and consumers. One word counts the reads and the writes that
 * have begun, and two others those that are over; whoever has begun waits until all before it are
 * over. PARAM1 threads write, PARAM2 threads read until nothing is left, and PARAM3 write and then
 * read; one element is there at the start. A thread that is overtaken when it begins has changed
 * nothing, and that is left out; with RETRY it tries again. With LOOK waits are one look, and what
 * comes too early is left out. */
#include "kinds.h"

#include <stdbool.h>

enum { SIZE = 4, TURNS = PARAM1 + PARAM2 + PARAM3 + 1, READ = 1 << 16, WRITE = 1, MOST = 0xffff };

static _Atomic unsigned begun, read_over, written;
static int cells[SIZE];

/* Adds one read or one write to those that have begun, unless the queue is empty or full. */
static bool begin(unsigned kind, unsigned *seen) {
  *seen = atomic_load(&begun);
  for (int turn = 0;; turn++) {
    unsigned size = (*seen & MOST) - *seen / READ;
    unfold_assume(turn < TURNS);
    if (size == (kind == READ ? 0 : SIZE)) return false;
#ifdef RETRY
    if (atomic_compare_exchange_strong(&begun, seen, *seen + kind)) return true;
#else
    if (unfold_exchange_try_eq(&begun, *seen, *seen + kind) == *seen) return true;
    *seen = atomic_load(&begun);
#endif
  }
}

static void come_to(_Atomic unsigned *count, unsigned value) {
#ifdef LOOK
  while (atomic_load(count) != value)
    unfold_assume(false);
#else
  unfold_await_eq(count, value);
#endif
}

static void first(long thread) {
  unsigned seen;
  if (!begin(WRITE, &seen)) return;
  come_to(&read_over, seen / READ);
  cells[(seen & MOST) % SIZE] = 1;
  unfold_add(&written, 1);
}

static void second(long thread) {
  unsigned seen;
  while (begin(READ, &seen)) {
    come_to(&written, seen & MOST);
    assert(cells[seen / READ % SIZE] == 1);
    unfold_add(&read_over, 1);
  }
}

int main(void) {
  first(0);
  run();
  return 0;
}
