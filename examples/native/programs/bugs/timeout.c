/* A wait with a time limit that takes its end for success: the limit may pass before the
 * notification, however long it is. The repaired twin (-DREPAIRED) asks what happened. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool answer;

static void *server(void *unused) {
  pthread_mutex_lock(&lock);
  answer = true;
  pthread_cond_signal(&answered);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct timespec limit;
  int error = 0;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 60;
  pthread_create(&thread, NULL, server, NULL);
  pthread_mutex_lock(&lock);
  while (!answer && error == 0)
    error = pthread_cond_timedwait(&answered, &lock, &limit);
#ifdef REPAIRED
  assert(answer || error == ETIMEDOUT);
#else
  assert(answer);
#endif
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
