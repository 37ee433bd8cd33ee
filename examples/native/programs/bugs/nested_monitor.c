/* Nested monitors: the wait releases the inner lock and keeps the outer one, without which nobody
 * can get to the notification. The repaired twin (-DREPAIRED) does not wait inside. */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER, slot = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
static bool in_use = true;

static void *give_back(void *unused) {
  pthread_mutex_lock(&registry);
  pthread_mutex_lock(&slot);
  in_use = false;
  pthread_cond_signal(&freed);
  pthread_mutex_unlock(&slot);
  pthread_mutex_unlock(&registry);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, give_back, NULL);
  pthread_mutex_lock(&registry);
#ifdef REPAIRED
  pthread_mutex_unlock(&registry);
#endif
  pthread_mutex_lock(&slot);
  while (in_use)
    pthread_cond_wait(&freed, &slot);
  in_use = true;
  pthread_mutex_unlock(&slot);
#ifndef REPAIRED
  pthread_mutex_unlock(&registry);
#endif
  pthread_join(thread, NULL);
  return 0;
}
