/* A lock that reads before it exchanges. PARAM1 threads, each of which takes it once. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

static _Atomic int held;
static int inside;

static void lock(void) {
  do
    unfold_await_eq(&held, 0);
  while (atomic_exchange(&held, 1) != 0);
}

static void *take(void *unused) {
  lock();
  assert(inside++ == 0);
  inside--;
  atomic_store(&held, 0);
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
