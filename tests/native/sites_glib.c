/* Two threads and two locks of GLib, declared here so that its headers are not needed: sites_glib
 * takes one of them if it is free; sites_glib crossed takes both, in opposite orders. */
#include <pthread.h>
#include <stddef.h>

typedef union {
  void *pointer;
  unsigned numbers[2];
} lock;
void g_mutex_lock(lock *);
void g_mutex_unlock(lock *);
int g_mutex_trylock(lock *);

static lock first, second;
static int both;

static void *tries(void *unused) {
  if (g_mutex_trylock(&first)) {
    if (g_mutex_trylock(&second)) {
      both++;
      g_mutex_unlock(&second);
    }
    g_mutex_unlock(&first);
  }
  return unused;
}

static void take(lock *outer, lock *inner) {
  g_mutex_lock(outer);
  g_mutex_lock(inner);
  both++;
  g_mutex_unlock(inner);
  g_mutex_unlock(outer);
}

static void *there(void *unused) {
  take(&first, &second);
  return unused;
}

static void *back(void *unused) {
  take(&second, &first);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  (void)argv;
  pthread_create(&threads[0], NULL, argc > 1 ? there : tries, NULL);
  if (argc > 1) {
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_join(threads[1], NULL);
  } else if (g_mutex_trylock(&second)) {
    both++;
    g_mutex_unlock(&second);
  }
  pthread_join(threads[0], NULL);
  return 0;
}
