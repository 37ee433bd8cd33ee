/* A condition variable is destroyed while a thread still waits for it: the stop was noted, but
 * nobody notified the waiting thread. The repaired twin (-DREPAIRED) wakes and joins it first. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static bool stopped;

static void *worker(void *unused) {
  pthread_mutex_lock(&lock);
  while (!stopped)
    pthread_cond_wait(&work, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&lock);
  stopped = true;
#ifdef REPAIRED
  pthread_cond_broadcast(&work);
#endif
  pthread_mutex_unlock(&lock);
#ifdef REPAIRED
  pthread_join(thread, NULL);
#endif
  pthread_cond_destroy(&work);
  return 0;
}
