/* PI(PARAM1): threads that each take one lock once. */
#include "family.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *once(void *unused) {
  crit(&m);
  return unused;
}

int main(void) {
  pthread_t t[PARAM1];
  for (int i = 0; i < PARAM1; i++)
    t[i] = start(once, i);
  for (int i = 0; i < PARAM1; i++)
    join(t[i]);
  return 0;
}
