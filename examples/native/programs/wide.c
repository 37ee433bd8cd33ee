/* WIDE(PARAM1 megabytes, PARAM2 pages): two threads change so many pages of a heap that was filled
 * before main, or with -DIN_MAIN by main, in each execution. */
#include "family.h"

#include <string.h>

enum { PAGE = 4096 };
static const size_t size = (size_t)PARAM1 << 20;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *heap;

static void fill(void) {
  heap = malloc(size);
  if (heap == NULL) exit(2);
  memset(heap, 1, size);
}

#ifndef IN_MAIN
static __attribute__((constructor)) void before_main(void) {
  fill();
}
#endif

static void *change(void *first) {
  const size_t step = size / PARAM2 / PAGE * PAGE;
  for (int round = 0; round < 5; round++)
    crit(&m);
  for (size_t i = (size_t)(intptr_t)first; i < PARAM2; i += 2)
    heap[i * step]++;
  return NULL;
}

int main(void) {
#ifdef IN_MAIN
  fill();
#endif
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    t[i] = start(change, i);
  for (int i = 0; i < 2; i++)
    join(t[i]);
  return 0;
}
