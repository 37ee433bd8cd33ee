/* MPAT(PARAM1): pairs of a writer and a reader; the readers exclude each other. */
#include "family.h"

static pthread_mutex_t mi = PTHREAD_MUTEX_INITIALIZER, ma[PARAM1];

static void *writer(void *id) {
  crit(&ma[(intptr_t)id]);
  return NULL;
}

static void *reader(void *id) {
  pthread_mutex_lock(&mi);
  crit(&ma[(intptr_t)id]);
  pthread_mutex_unlock(&mi);
  return NULL;
}

int main(void) {
  init(ma, PARAM1);
  for (long i = 0; i < PARAM1; i++) {
    start(writer, i);
    start(reader, i);
  }
  return 0;
}
