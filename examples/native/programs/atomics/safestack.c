/* A stack of free cells by index, in which each pop marks the cell that it is about to take; the
 * mistake that is in it needs three threads and a cell that was taken and put back in between.
 * Thread i performs OPERATIONS[i] operations, pops and pushes in turn. A turn of the loop in pop
 * that has changed nothing is left out, since the thread could have come later; with LOOK it is
 * performed before that is known. The last cell is never taken. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unfold/await.h>

#ifndef OPERATIONS
#define OPERATIONS 1, 3, 3
#endif

#ifndef TURNS
#define TURNS 4
#endif

enum { CELLS = 3, NONE = -1 };

static const int operations[] = {OPERATIONS};
enum { THREADS = sizeof operations / sizeof operations[0] };

static _Atomic int head, count = CELLS, next[CELLS] = {1, 2, NONE}, owner[CELLS];

/* What follows a cell, which is marked if it was not. */
static int mark(int cell) {
#ifdef LOOK
  int after = atomic_exchange(&next[cell], NONE);
  unfold_assume(after != NONE);
  return after;
#else
  return unfold_exchange_try_ne(&next[cell], NONE, NONE);
#endif
}

static int pop(void) {
  for (int turn = 0;; turn++) {
    unfold_assume(turn < TURNS);
    while (atomic_load(&count) <= 1)
      unfold_assume(false);
    int first = atomic_load(&head), expected = first, after = mark(first);
    if (after == NONE) continue;
    if (atomic_compare_exchange_strong(&head, &expected, after)) {
      unfold_add(&count, -1);
      return first;
    }
    atomic_exchange(&next[first], after);
  }
}

static void push(int cell) {
  int first = atomic_load(&head);
  for (int turn = 0;; turn++) {
    unfold_assume(turn < TURNS);
    atomic_store(&next[cell], first);
    if (atomic_compare_exchange_strong(&head, &first, cell)) break;
    first = atomic_load(&head);
  }
  unfold_add(&count, 1);
}

static void *work(void *number) {
  const int me = (int)(intptr_t)number;
  for (int left = operations[me]; left > 0; left -= 2) {
    int cell = pop();
    atomic_store(&owner[cell], me);
    int seen = atomic_load(&owner[cell]);
    assert(seen == me);
    if (left > 1) push(cell);
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
