/* What the locks have in common: PARAM1 threads, each of which takes the lock once and finds
 * nobody inside. A program includes this and defines lock() and unlock(), which get the number
 * of the thread. */
#ifndef ATOMICS_LOCKS_H
#define ATOMICS_LOCKS_H

#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

static void lock(long thread);
static void unlock(long thread);

static int inside;

static void *take(void *number) {
  const long thread = (long)(intptr_t)number;
  lock(thread);
  assert(inside++ == 0);
  inside--;
  unlock(thread);
  return NULL;
}

int main(void) {
  pthread_t threads[PARAM1];
  for (long i = 0; i < PARAM1; i++)
    threads[i] = start(take, i);
  for (long i = 0; i < PARAM1; i++)
    join(threads[i]);
  return 0;
}

#endif
