/* A sequence lock: what a reader saw is whole when the number was even and has not changed. PARAM1
 * readers, PARAM2 writers, and PARAM3 threads that read and then write. A reader that has to begin
 * anew has changed nothing, so that its first turn is left out; with LOOK it looks at the number
 * once more before that is known. */
#include "kinds.h"

#include <stdbool.h>

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned sequence;
static _Atomic int shared;

static bool still(unsigned before) {
#ifdef LOOK
  bool same = atomic_load(&sequence) == before;
  unfold_assume(same);
  return same;
#else
  return unfold_try_eq(&sequence, before) == before;
#endif
}

static void first(long thread) {
  unsigned before;
  int seen;
  do {
    while ((before = atomic_load(&sequence)) % 2 != 0)
      unfold_assume(false);
    seen = atomic_load(&shared);
  } while (!still(before));
  assert(seen == (int)before / 2);
}

static void second(long thread) {
  pthread_mutex_lock(&writing);
  unsigned before = atomic_fetch_add(&sequence, 1);
  atomic_store(&shared, (int)before / 2 + 1);
  unfold_add(&sequence, 1);
  pthread_mutex_unlock(&writing);
}

int main(void) {
  run();
  return 0;
}
