/* TINY(PARAM1 threads, PARAM2 rounds): every thread takes one mutex again and again. The smallest
 * program with endless work for an exploration, for the price of an execution. */
#include "family.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *visitor(void *unused) {
  for (int round = 0; round < PARAM2; round++)
    crit(&m);
  return unused;
}

int main(void) {
  pthread_t t[PARAM1];
  for (int i = 0; i < PARAM1; i++)
    t[i] = start(visitor, i);
  for (int i = 0; i < PARAM1; i++)
    join(t[i]);
  return 0;
}
