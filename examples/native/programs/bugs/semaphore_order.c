/* Producer and consumer with semaphores in the wrong order: the consumer waits for an item inside
 * the lock that the producer needs. It must wait first (-DREPAIRED). */
#include <pthread.h>
#include <semaphore.h>

static sem_t items;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static int length;

static void *consumer(void *unused) {
#ifdef REPAIRED
  sem_wait(&items);
  pthread_mutex_lock(&queue);
#else
  pthread_mutex_lock(&queue);
  sem_wait(&items);
#endif
  length--;
  pthread_mutex_unlock(&queue);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&items, 0, 0);
  pthread_create(&thread, NULL, consumer, NULL);
  pthread_mutex_lock(&queue);
  length++;
  pthread_mutex_unlock(&queue);
  sem_post(&items);
  pthread_join(thread, NULL);
  sem_destroy(&items);
  return length;
}
