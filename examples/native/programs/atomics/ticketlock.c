/* A ticket lock: a thread draws a number and waits until it is served. PARAM1 threads, once each.
 */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

static _Atomic unsigned next, serving;
static int inside;

static void *take(void *unused) {
  unsigned mine = atomic_fetch_add(&next, 1);
  unfold_await_eq(&serving, mine);
  assert(inside++ == 0);
  inside--;
  atomic_store(&serving, mine + 1);
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
