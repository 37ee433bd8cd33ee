/* The barrier counts the main thread too, which never comes. It counts the workers alone in the
 * repaired twin (-DREPAIRED). */
#include <pthread.h>

enum { WORKERS = 2 };

static pthread_barrier_t start;

static void *worker(void *unused) {
  pthread_barrier_wait(&start);
  return unused;
}

int main(void) {
  pthread_t threads[WORKERS];
#ifdef REPAIRED
  pthread_barrier_init(&start, NULL, WORKERS);
#else
  pthread_barrier_init(&start, NULL, WORKERS + 1);
#endif
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&start);
  return 0;
}
