/* Stolen wake-up: between the notification and the waking up another thread may take what was
 * promised. A wait stands in a loop (-DREPAIRED), not behind an if. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *unused) {
  pthread_mutex_lock(&lock);
#ifdef REPAIRED
  while (items == 0)
#else
  if (items == 0)
#endif
    pthread_cond_wait(&filled, &lock);
  assert(items > 0);
  items--;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void produce(void) {
  pthread_mutex_lock(&lock);
  items++;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  pthread_t consumers[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&consumers[i], NULL, consumer, NULL);
  for (int i = 0; i < 2; i++)
    produce();
  for (int i = 0; i < 2; i++)
    pthread_join(consumers[i], NULL);
  return 0;
}
