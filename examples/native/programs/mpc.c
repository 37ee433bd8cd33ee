/* MPC(PARAM1 producers, PARAM2 workers): what producers write decides which worker they disturb. */
#include "family.h"

static pthread_mutex_t prodmut = PTHREAD_MUTEX_INITIALIZER, mut[PARAM2];
static uint32_t buf;

static void *worker(void *id) {
  for (int twice = 0; twice < 2; twice++)
    crit(&mut[(intptr_t)id]);
  return NULL;
}

static void *producer(void *id) {
  uint32_t tmp = 0;
  for (int twice = 0; twice < 2; twice++) {
    pthread_mutex_lock(&prodmut);
    buf = buf * PARAM1 + (uint32_t)(intptr_t)id;
    tmp = buf;
    pthread_mutex_unlock(&prodmut);
  }
  crit(&mut[tmp % PARAM2]);
  return NULL;
}

int main(void) {
  init(mut, PARAM2);
  for (long i = 0; i < PARAM2; i++)
    start(worker, i);
  for (long i = 0; i < PARAM1; i++)
    start(producer, i);
  return 0;
}
