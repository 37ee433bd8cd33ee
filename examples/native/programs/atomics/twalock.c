/* A ticket lock with a waiting array: only the next in line waits for the number that is served,
 * and the others for a change of a place in the array. PARAM1 threads, each of which takes it once.
 */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

enum { PLACES = 4 };

static _Atomic int next, serving, array[PLACES];
static int inside;

static void lock(int mine) {
  int distance = mine - atomic_load(&serving);
  if (distance == 0) return;
  while (distance > 1) {
    _Atomic int *place = &array[mine % PLACES];
    int before = atomic_load(place);
    distance = mine - atomic_load(&serving);
    if (distance > 1) {
      unfold_await_ne(place, before);
      distance = mine - atomic_load(&serving);
    }
  }
  unfold_await_eq(&serving, mine);
}

static void unlock(int mine) {
  atomic_store(&serving, mine + 1);
  atomic_fetch_add(&array[(mine + 2) % PLACES], 1);
}

static void *take(void *unused) {
  int mine = atomic_fetch_add(&next, 1);
  lock(mine);
  assert(inside++ == 0);
  inside--;
  unlock(mine);
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
