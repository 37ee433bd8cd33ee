/* References are counted in two places, and a lock is tried in another: quiet. Two orders of the
 * tries, and in one of them something is wrong. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int references, taken;
static int first;

static void take(void) {
  __atomic_fetch_add(&references, 1, __ATOMIC_SEQ_CST);
}

static void give(void) {
  __atomic_fetch_sub(&references, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *number) {
  take();
  if (__atomic_exchange_n(&taken, 1, __ATOMIC_SEQ_CST) == 0) first = number != NULL;
  give();
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, i == 0 ? NULL : &taken);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(first == 0);
  return 0;
}
