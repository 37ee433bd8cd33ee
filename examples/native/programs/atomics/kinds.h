/* Programs with threads of two kinds, and of one that does what both do: PARAM1, PARAM2 and
 * PARAM3 of them. A program includes this and defines first() and second(), which get the number
 * of the thread. */
#ifndef ATOMICS_KINDS_H
#define ATOMICS_KINDS_H

#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

#ifndef PARAM3
#define PARAM3 0
#endif

static void first(long thread);
static void second(long thread);

static void *does_first(void *number) {
  first((long)(intptr_t)number);
  return NULL;
}

static void *does_second(void *number) {
  second((long)(intptr_t)number);
  return NULL;
}

static void *does_both(void *number) {
  first((long)(intptr_t)number);
  second((long)(intptr_t)number);
  return NULL;
}

static inline void run(void) {
  enum { ALL = PARAM1 + PARAM2 + PARAM3 };
  pthread_t threads[ALL];
  for (long i = 0; i < ALL; i++)
    threads[i] = start(i < PARAM1 ? does_first : i < PARAM1 + PARAM2 ? does_second : does_both, i);
  for (long i = 0; i < ALL; i++)
    join(threads[i]);
}

#endif
