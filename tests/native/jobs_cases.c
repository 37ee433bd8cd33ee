/* Threads that count, two of which fail an assertion in some orders. The first argument, if any, is
 * that one thread is joined by two others: then the exploration begins again with their order. */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 4
#endif

static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_t last;
static int count, joined;

static void locked(int which, int *to, const int *from) {
  pthread_mutex_lock(&m[which]);
  *to = *from + (to == from);
  pthread_mutex_unlock(&m[which]);
}

static void *run(void *number) {
  const long n = (long)number;
  int seen, nothing = 0;
  locked(0, &count, &count);
  locked(1, &nothing, &nothing);
  locked(0, &seen, &count);
  if (joined && n > 0) pthread_join(last, NULL);
  assert(n != 0 || seen != 3);
  assert(n != 1 || seen != 1);
  return NULL;
}

static void *nothing(void *unused) {
  return unused;
}

int main(int argc, char **argv) {
  pthread_t t[THREADS];
  (void)argv;
  joined = argc > 1;
  if (joined) pthread_create(&last, NULL, nothing, NULL);
  for (long i = 0; i < THREADS; i++)
    pthread_create(&t[i], NULL, run, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(t[i], NULL);
  return 0;
}
