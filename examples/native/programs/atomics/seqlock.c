/* A sequence lock: what a reader saw is whole when the number was even and has not changed. One
 * writer, and PARAM1 readers that look once. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>

static _Atomic unsigned sequence;
static _Atomic int left, right;

static void *writes(void *unused) {
  unsigned before = atomic_load(&sequence);
  atomic_store(&sequence, before + 1);
  atomic_store(&left, 1);
  atomic_store(&right, 1);
  atomic_store(&sequence, before + 2);
  return unused;
}

static void *reads(void *unused) {
  unsigned before = atomic_load(&sequence);
  int one = atomic_load(&left), two = atomic_load(&right);
  if (before % 2 == 0 && atomic_load(&sequence) == before) assert(one == two);
  return unused;
}

int main(void) {
  pthread_t threads[PARAM1], writer = start(writes, 0);
  for (long i = 0; i < PARAM1; i++)
    threads[i] = start(reads, i);
  for (long i = 0; i < PARAM1; i++)
    join(threads[i]);
  join(writer);
  return 0;
}
