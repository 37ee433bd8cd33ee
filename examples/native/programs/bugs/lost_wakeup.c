/* Lost wake-up: the notification may come before the wait, and a condition variable does not
 * remember it. The repaired twin (-DREPAIRED) looks at what it waits for, under the mutex. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static bool done;

static void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  done = true;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
#ifdef REPAIRED
  while (!done)
#endif
    pthread_cond_wait(&ready, &lock);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return done ? 0 : 1;
}
