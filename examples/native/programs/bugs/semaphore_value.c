/* A semaphore as a lock, with one unit too many: two threads are inside at once. It starts with 1
 * in the repaired twin (-DREPAIRED). */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifdef REPAIRED
enum { UNITS = 1 };
#else
enum { UNITS = 2 };
#endif

static sem_t gate;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void count(int change) {
  pthread_mutex_lock(&lock);
  inside += change;
  assert(inside <= 1);
  pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
  sem_wait(&gate);
  count(1);
  count(-1);
  sem_post(&gate);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&gate, 0, UNITS);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  sem_destroy(&gate);
  return 0;
}
