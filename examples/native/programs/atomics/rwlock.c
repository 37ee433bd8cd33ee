/* A reader-writer lock by addition: each reader takes one away from a bias, and a writer all of it.
 * Whoever has taken too much gives it back and waits. PARAM1 readers and PARAM2 writers. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

enum { BIAS = 1 << 20 };

static _Atomic int lock = BIAS;
static int shared;

static void *reads(void *unused) {
  while (atomic_fetch_sub(&lock, 1) <= 0) {
    atomic_fetch_add(&lock, 1);
    unfold_await_gt(&lock, 0);
  }
  assert(shared % 2 == 0);
  atomic_fetch_add(&lock, 1);
  return unused;
}

static void *writes(void *unused) {
  while (atomic_fetch_sub(&lock, BIAS) != BIAS) {
    atomic_fetch_add(&lock, BIAS);
    unfold_await_eq(&lock, BIAS);
  }
  shared++;
  shared++;
  atomic_fetch_add(&lock, BIAS);
  return unused;
}

int main(void) {
  pthread_t threads[PARAM1 + PARAM2];
  for (long i = 0; i < PARAM1 + PARAM2; i++)
    threads[i] = start(i < PARAM1 ? reads : writes, i);
  for (long i = 0; i < PARAM1 + PARAM2; i++)
    join(threads[i]);
  return 0;
}
