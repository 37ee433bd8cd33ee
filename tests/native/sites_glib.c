/* Two threads and two locks of GLib, declared here so that its headers are not needed. */
#include <pthread.h>
#include <stddef.h>

typedef union {
  void *pointer;
  unsigned numbers[2];
} lock;
void g_mutex_unlock(lock *);
int g_mutex_trylock(lock *);

static lock first, second;
static int both;

static void *work(void *unused) {
  if (g_mutex_trylock(&first)) {
    if (g_mutex_trylock(&second)) {
      both++;
      g_mutex_unlock(&second);
    }
    g_mutex_unlock(&first);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (g_mutex_trylock(&second)) {
    both++;
    g_mutex_unlock(&second);
  }
  pthread_join(thread, NULL);
  return 0;
}
