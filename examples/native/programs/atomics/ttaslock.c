/* A lock that reads before it exchanges. PARAM1 threads, each of which takes it once. An exchange
 * that finds the lock taken writes what is there already, so that it may as well wait; with RETRY
 * it is performed, and the thread reads again. */
#include "locks.h"

static _Atomic int held;

static void lock(long thread) {
#ifdef RETRY
  do
    unfold_await_eq(&held, 0);
  while (atomic_exchange(&held, 1) != 0);
#else
  unfold_await_eq(&held, 0);
  unfold_exchange_await_eq(&held, 0, 1);
#endif
}

static void unlock(long thread) {
  atomic_store(&held, 0);
}
