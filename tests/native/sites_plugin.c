/* Loads itself as a library while it runs: sites_plugin LIBRARY. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static int number;
__attribute__((visibility("default"))) int next_number(void);
int next_number(void) {
  return __sync_fetch_and_add(&number, 1);
}

static int (*next)(void);

static void *work(void *unused) {
  next();
  return unused;
}

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL, *found;
  if (library == NULL || (found = dlsym(library, "next_number")) == NULL) return 1;
  next = (int (*)(void))found;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
