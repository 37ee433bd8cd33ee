/* A ticket lock: a thread draws a number and waits until it is served. PARAM1
 * threads, once each. */
#include "locks.h"

static _Atomic unsigned next, serving;
static unsigned drawn[PARAM1];

static void lock(long thread) {
  drawn[thread] = atomic_fetch_add(&next, 1);
  unfold_await_eq(&serving, drawn[thread]);
}

static void unlock(long thread) {
  atomic_store(&serving, drawn[thread] + 1);
}
