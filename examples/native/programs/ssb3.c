/* SSB3(PARAM1 writers, PARAM2 rounds): a choice of which half of the program runs at all. */
#include "family.h"

static pthread_mutex_t mz = PTHREAD_MUTEX_INITIALIZER, mc = PTHREAD_MUTEX_INITIALIZER,
                       mx = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mut[PARAM1];
static long z, c;

static void *writer(void *id) {
  crit(&mut[(intptr_t)id]);
  return NULL;
}

static void *count(void *unused) {
  put(&mz, &z, 1);
  for (long x = 1; x < PARAM1; x++)
    put(&mc, &c, x);
  return unused;
}

static void *rounds(void *unused) {
  for (int x = 0; x < PARAM2; x++)
    crit(&mx);
  return unused;
}

static void *look(void *unused) {
  if (get(&mz, &z) == 1) {
    crit(&mut[get(&mc, &c)]);
  } else {
    pthread_t t = start(rounds, 0);
    rounds(NULL);
    join(t);
  }
  return unused;
}

int main(void) {
  pthread_t w[PARAM1];
  init(mut, PARAM1);
  for (long x = 0; x < PARAM1; x++)
    w[x] = start(writer, x);
  pthread_t counter = start(count, 0), looker = start(look, 0);
  for (int x = 0; x < PARAM1; x++)
    join(w[x]);
  join(looker);
  join(counter);
  return 0;
}
