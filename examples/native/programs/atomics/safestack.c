/* A stack of free cells by index, in which each pop marks the cell that it is about to take; the
 * mistake that is in it needs three threads and a cell that was taken and given back meanwhile.
 * Thread i performs OPERATIONS[i] operations, a pop first, then pushes of what it has and pops in
 * turn; a pop gives up after TRIES. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>

#ifndef OPERATIONS
#define OPERATIONS 1, 3, 3
#endif
#ifndef TRIES
#define TRIES 1
#endif

enum { CELLS = 3, NONE = -1 };

static const int operations[] = {OPERATIONS};
enum { THREADS = sizeof operations / sizeof operations[0] };

static _Atomic int head, count = CELLS, next[CELLS] = {1, 2, NONE}, owner[CELLS];

static int pop(void) {
  for (int tries = 0; tries < TRIES && atomic_load(&count) > 1; tries++) {
    int first = atomic_load(&head), after = atomic_exchange(&next[first], NONE), expected = first;
    if (after == NONE) continue;
    if (atomic_compare_exchange_strong(&head, &expected, after)) {
      atomic_fetch_sub(&count, 1);
      return first;
    }
    atomic_exchange(&next[first], after);
  }
  return NONE;
}

static void push(int cell) {
  int first = atomic_load(&head);
  do
    atomic_store(&next[cell], first);
  while (!atomic_compare_exchange_strong(&head, &first, cell));
  atomic_fetch_add(&count, 1);
}

static void *work(void *number) {
  int me = (int)(intptr_t)number + 1, cell = NONE;
  for (int i = 0; i < operations[me - 1]; i++)
    if (cell == NONE) {
      if ((cell = pop()) == NONE) return NULL;
      assert(atomic_exchange(&owner[cell], me) == 0);
    } else {
      assert(atomic_exchange(&owner[cell], 0) == me);
      push(cell);
      cell = NONE;
    }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++)
    threads[i] = start(work, i);
  for (long i = 0; i < THREADS; i++)
    join(threads[i]);
  return 0;
}
