/* SPAT(PARAM1 threads, PARAM2 locks): nested locks that overlap with the neighbours', always in
 * ascending order. */
#include "family.h"

static pthread_mutex_t locks[PARAM2];

static void *nested(void *argument) {
  const long id = (intptr_t)argument, wanted[] = {id, id + 1, id + 3};
  for (int i = 0; i < 3; i++)
    if (wanted[i] < PARAM2) pthread_mutex_lock(&locks[wanted[i]]);
  for (int i = 2; i >= 0; i--)
    if (wanted[i] < PARAM2) pthread_mutex_unlock(&locks[wanted[i]]);
  return NULL;
}

int main(void) {
  pthread_t t[PARAM1];
  init(locks, PARAM2);
  for (long id = 0; id < PARAM1; id++)
    t[id] = start(nested, id);
  for (int id = 0; id < PARAM1; id++)
    join(t[id]);
  return 0;
}
