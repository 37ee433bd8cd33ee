/* DISP(PARAM1 servers, PARAM2 rounds): in each round a picker chooses a server again and again, and
 * main visits the one it finds chosen. */
#include "family.h"

static pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, s[PARAM1];
static long sid;

static void *server(void *id) {
  crit(&s[(intptr_t)id]);
  return NULL;
}

static void *picker(void *unused) {
  for (long x = 0; x < PARAM1; x++)
    put(&k, &sid, x);
  return unused;
}

int main(void) {
  init(s, PARAM1);
  for (long i = 0; i < PARAM1; i++)
    start(server, i);
  for (int round = 0; round < PARAM2; round++) {
    pthread_t p = start(picker, 0);
    crit(&s[get(&k, &sid)]);
    join(p);
  }
  pthread_exit(NULL);
}
