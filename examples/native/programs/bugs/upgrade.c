/* Readers want to become writers without releasing what they have: each waits for the other, and
 * already for itself. The repaired twin (-DREPAIRED) gives it back and looks again. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static int entries;

static void *insert_once(void *unused) {
  pthread_rwlock_rdlock(&table);
  if (entries == 0) {
#ifdef REPAIRED
    pthread_rwlock_unlock(&table);
#endif
    pthread_rwlock_wrlock(&table);
    if (entries == 0) entries++;
  }
  pthread_rwlock_unlock(&table);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, insert_once, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  assert(entries == 1);
  return 0;
}
