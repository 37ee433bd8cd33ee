/* A lock that reads before it exchanges. PARAM1 threads, each of which takes it once. An exchange
 * that finds the lock taken writes what is there already, so that it may as well wait; with RETRY
 * it is performed, and the thread reads again. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

static _Atomic int held;
static int inside;

static void lock(void) {
#ifdef RETRY
  do
    unfold_await_eq(&held, 0);
  while (atomic_exchange(&held, 1) != 0);
#else
  unfold_await_eq(&held, 0);
  unfold_exchange_await_eq(&held, 0, 1);
#endif
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
