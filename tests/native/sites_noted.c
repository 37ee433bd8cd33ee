/* A thread writes without a lock, and says so under one; who finds that said reads what it wrote.
 * There is no race as long as the write is known to come before the lock. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static volatile int written;
static bool done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
  written = written + 1;
  pthread_mutex_lock(&mutex);
  done = true;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  const bool seen = done;
  pthread_mutex_unlock(&mutex);
  const int there = seen ? written : 1;
  pthread_join(thread, NULL);
  return there != 1;
}
