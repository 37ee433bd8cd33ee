/* Check, then act: whether the table exists is asked under the lock, but it is made outside, so
 * that two threads may make one each. Every access is under the lock: no data race, still a
 * mistake. The repaired twin (-DREPAIRED) keeps the lock in between. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tables;

static bool missing(void) {
  pthread_mutex_lock(&lock);
  bool result = tables == 0;
#ifndef REPAIRED
  pthread_mutex_unlock(&lock);
#endif
  return result;
}

static void make(bool wanted) {
#ifndef REPAIRED
  pthread_mutex_lock(&lock);
#endif
  if (wanted) tables++;
  assert(tables == 1);
  pthread_mutex_unlock(&lock);
}

static void *use(void *unused) {
  make(missing());
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, use, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
