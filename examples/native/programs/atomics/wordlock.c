/* A lock in one word whose bytes are accessed alone and together: the first byte says that the lock
 * is taken, the second one that a thread waits to be the next. It is released by a store to the
 * first byte, which leaves the second as it is; with WIDE by a store to the word, so that who waits
 * is forgotten, and two threads get in. PARAM1 threads, each of which takes it once. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unfold/await.h>

enum { TAKEN = 1, WAITING = 1 << 8 };

static union {
  _Atomic uint32_t word;
  _Atomic uint16_t both;
  _Atomic uint8_t byte[2];
} lock;
static _Atomic int inside;

static void acquire(void) {
  uint32_t seen = 0;
  if (atomic_compare_exchange_strong(&lock.word, &seen, TAKEN)) return;
  while (atomic_fetch_or(&lock.word, WAITING) & WAITING)
    unfold_await_eq(&lock.byte[1], 0);
  unfold_await_eq(&lock.byte[0], 0);
  atomic_store(&lock.both, TAKEN);
}

static void release(void) {
#ifdef WIDE
  atomic_store(&lock.word, 0);
#else
  atomic_store(&lock.byte[0], 0);
#endif
}

static void *take(void *unused) {
  acquire();
  assert(atomic_exchange(&inside, 1) == 0);
  atomic_store(&inside, 0);
  release();
  return unused;
}

int main(void) {
  pthread_t threads[PARAM1];
  for (long i = 0; i < PARAM1; i++)
    threads[i] = start(take, i);
  for (long i = 0; i < PARAM1; i++)
    join(threads[i]);
  return 0;
}
