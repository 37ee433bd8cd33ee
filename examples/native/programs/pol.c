/* POL(PARAM1 workers, PARAM2 rounds): in each round, one thread counts and another visits the
 * worker of the number it reads. */
#include "family.h"

static pthread_mutex_t mi = PTHREAD_MUTEX_INITIALIZER, ma[PARAM1];
static long i;

static void *worker(void *id) {
  crit(&ma[(intptr_t)id]);
  return NULL;
}

static void *choice(void *unused) {
  for (long x = 1; x < PARAM1; x++)
    put(&mi, &i, x);
  return unused;
}

static void *visit(void *unused) {
  crit(&ma[get(&mi, &i)]);
  return unused;
}

int main(void) {
  pthread_t w[PARAM1];
  init(ma, PARAM1);
  for (long x = 0; x < PARAM1; x++)
    w[x] = start(worker, x);
  for (int round = 0; round < PARAM2; round++) {
    pthread_t c = start(choice, 0), v = start(visit, 0);
    join(c);
    join(v);
  }
  for (int x = 0; x < PARAM1; x++)
    join(w[x]);
  return 0;
}
