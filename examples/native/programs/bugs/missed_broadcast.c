/* Missed broadcast: threads wait at one condition variable for different things, and a signal may
 * wake one that it was not meant for, which goes back to wait. Broadcasting reaches the right one
 * too (-DREPAIRED). */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void await(int wanted) {
  pthread_mutex_lock(&lock);
  while (stage < wanted)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void advance(void) {
  pthread_mutex_lock(&lock);
  stage++;
#ifdef REPAIRED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
  pthread_mutex_unlock(&lock);
}

static void *first(void *unused) {
  await(1);
  advance();
  return unused;
}

static void *second(void *unused) {
  await(2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  advance();
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
