/* For bench/races, compiled with callbacks: two threads read an array that main filled, each all of
 * it, and add what they read to a total under a mutex. Two traces, and an access to memory is
 * nearly all that happens. */
#include <pthread.h>

enum { WORDS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long words[WORDS], total;

static void *adds(void *unused) {
  long sum = 0;
  for (int i = 0; i < WORDS; i++)
    sum += words[i];
  pthread_mutex_lock(&mutex);
  total += sum;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < WORDS; i++)
    words[i] = i;
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, adds, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return total == (long)WORDS * (WORDS - 1) ? 0 : 1;
}
