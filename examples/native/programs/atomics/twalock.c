/* A ticket lock with a waiting array: only the next in line waits for the number that is
 * served, and the others for a change of a place in the array. PARAM1 threads, each of which
 * takes it once. */
#include "locks.h"

enum { PLACES = 4 };

static _Atomic int next, serving, array[PLACES];
static int drawn[PARAM1];

static void lock(long thread) {
  const int mine = drawn[thread] = atomic_fetch_add(&next, 1);
  int distance = mine - atomic_load(&serving);
  if (distance == 0) return;
  while (distance > 1) {
    _Atomic int *place = &array[mine % PLACES];
    int before = atomic_load(place);
    distance = mine - atomic_load(&serving);
    if (distance > 1) {
      unfold_await_ne(place, before);
      distance = mine - atomic_load(&serving);
    }
  }
  unfold_await_eq(&serving, mine);
}

static void unlock(long thread) {
  const int mine = drawn[thread];
  atomic_store(&serving, mine + 1);
  atomic_fetch_add(&array[(mine + 2) % PLACES], 1);
}
