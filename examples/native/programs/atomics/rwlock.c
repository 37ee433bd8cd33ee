/* A reader-writer lock by addition: each reader takes one away from a bias, and a writer all of it.
 * Whoever has taken too much gives it back and waits. PARAM1 readers, PARAM2 writers, and PARAM3
 * threads that read and then write. */
#include "kinds.h"

enum { BIAS = 1 << 20 };

static _Atomic int lock = BIAS;
static int shared;

static void first(long thread) {
  while (atomic_fetch_sub(&lock, 1) <= 0) {
    unfold_add(&lock, 1);
    unfold_await_gt(&lock, 0);
  }
  assert(shared % 2 == 0);
  unfold_add(&lock, 1);
}

static void second(long thread) {
  while (atomic_fetch_sub(&lock, BIAS) != BIAS) {
    unfold_add(&lock, BIAS);
    unfold_await_eq(&lock, BIAS);
  }
  shared++;
  shared++;
  unfold_add(&lock, BIAS);
}

int main(void) {
  run();
  return 0;
}
