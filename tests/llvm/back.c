/* Programs in which it matters that all of a state comes back, one for each word: what was done
 * before takes part in races, and keys of thread-specific data have the numbers of their makers. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, early = PTHREAD_MUTEX_INITIALIZER;
static int data, other, first, begun;

/* Whoever of two comes first, and in one of the orders a write behind that. */
static void *write_early(void *unused) {
  pthread_mutex_lock(&early);
  const int is_first = !begun;
  begun = 1;
  pthread_mutex_unlock(&early);
  if (is_first) data = 1;
  return unused;
}

static void *begin(void *unused) {
  pthread_mutex_lock(&early);
  begun = 1;
  pthread_mutex_unlock(&early);
  return unused;
}

static void *come_first(void *unused) {
  pthread_mutex_lock(&mutex);
  first = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* Only behind come_first(), which is not ordered with write_early(). */
static void *read_late(void *unused) {
  pthread_mutex_lock(&mutex);
  const int late = first;
  pthread_mutex_unlock(&mutex);
  if (late) other = data;
  return unused;
}

static void *use_key(void *unused) {
  pthread_key_t mine;
  pthread_mutex_lock(&mutex);
  pthread_key_create(&mine, NULL);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  assert(pthread_setspecific(mine, &data) == 0);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char **argv) {
  static void *(*const races[])(void *) = {write_early, begin, read_late, come_first};
  pthread_t threads[4];
  const int keys = argc > 1 && strcmp(argv[1], "keys") == 0, count = keys ? 3 : 4;
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, keys ? use_key : races[i], NULL);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}
