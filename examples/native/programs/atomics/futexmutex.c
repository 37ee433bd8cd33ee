/* A mutex in one word, which is 0 when it is free, 1 when it is held and 2 when others may sleep.
 * What the system does for it is a count of the times that somebody was woken: a thread that finds
 * the word at 2 sleeps until the count is another one. PARAM1 threads, each of which takes it once.
 * A turn of the loop that has changed nothing is given up, since the thread could have come later;
 * with RETRY it goes on. */
#include "locks.h"

#include <stdbool.h>

static _Atomic int word, woken;

static bool change(int from, int to) {
  return atomic_compare_exchange_strong(&word, &from, to);
}

static void sleep_while(int value) {
  int before = atomic_load(&woken);
  if (atomic_load(&word) == value) unfold_await_ne(&woken, before);
}

static void lock(long thread) {
  if (change(0, 1)) return;
  for (int turn = 0;; turn++) {
    unfold_assume(turn <= PARAM1);
    bool changed = change(1, 2);
    sleep_while(2);
    if (change(0, 2)) return;
#ifdef RETRY
    changed = true;
#endif
    unfold_assume(changed);
  }
}

static void unlock(long thread) {
  if (change(1, 0)) return;
  atomic_store(&word, 0);
  unfold_add(&woken, 1);
}
