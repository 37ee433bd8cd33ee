/* Threads that allocate, for programs that are linked with an allocator of another library. */
#include "cases.h"

#include <assert.h>
#include <malloc.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *allocate(void *unused) {
  char *block = malloc(100);
  assert(malloc_usable_size(block) >= 100);
  memset(block, 1, malloc_usable_size(block));
  block = realloc(block, 1000);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  assert(block[99] == 1);
  free(block);
  return unused;
}

int main(void) {
  char *early = malloc(10);
  pthread_t t = start(allocate);
  allocate(NULL);
  pthread_join(t, NULL);
  assert(malloc_usable_size(early) >= 10);
  free(early);
  return 0;
}
