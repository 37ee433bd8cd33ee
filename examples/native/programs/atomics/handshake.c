/* A mistake: each of two threads waits for the flag of the other before it raises its own, so that
 * both wait for ever. As loops the waits would go round for ever: a livelock. Repaired, each raises
 * its flag first. */
#include "../family.h"

#include <stdatomic.h>
#include <unfold/await.h>

static _Atomic int flags[2];

static void *greets(void *number) {
  const long mine = (long)(intptr_t)number;
#ifdef REPAIRED
  atomic_store(&flags[mine], 1);
#endif
  unfold_await_eq(&flags[1 - mine], 1);
  atomic_store(&flags[mine], 1);
  return NULL;
}

int main(void) {
  pthread_t first = start(greets, 0), second = start(greets, 1);
  join(first);
  join(second);
  return 0;
}
