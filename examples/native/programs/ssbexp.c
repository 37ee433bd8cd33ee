/* SSBEXP(PARAM1): writers, a counter, and a reader that meets one of the writers: exponentially
 * many runs for source sets. */
#include "family.h"

static pthread_mutex_t mi = PTHREAD_MUTEX_INITIALIZER, ma[PARAM1];
static long i;

static void *writer(void *id) {
  crit(&ma[(intptr_t)id]);
  return NULL;
}

static void *counter(void *unused) {
  for (long x = 1; x < PARAM1; x++)
    put(&mi, &i, x);
  return unused;
}

int main(void) {
  pthread_t w[PARAM1];
  init(ma, PARAM1);
  for (long x = 0; x < PARAM1; x++)
    w[x] = start(writer, x);
  pthread_t c = start(counter, 0);
  crit(&ma[get(&mi, &i)]);
  for (int x = 0; x < PARAM1; x++)
    join(w[x]);
  join(c);
  return 0;
}
