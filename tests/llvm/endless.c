/* Programs that run for ever, one for each macro. With cutoffs they are explored to the end. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int flag;
static int x, level;

static pthread_t start(void *(*body)(void *)) {
  pthread_t t;
  pthread_create(&t, 0, body, 0);
  return t;
}

#ifdef SPIN /* for a flag that is set for some inputs */
static void *other(void *p) {
  if (x > 0) atomic_store(&flag, 1);
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_int();
  start(other);
  while (1) {
    if (atomic_load(&flag) == 1 && x > 10) assert(x != 77);
  }
}

#elif defined SERVE /* what it does depends on one input */
static void *other(void *p) {
  for (;;) {
    pthread_mutex_lock(&m);
    level = x > 5 ? (level + 1) % 3 : 0;
    pthread_mutex_unlock(&m);
  }
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_int();
  start(other);
  for (;;) {
    pthread_mutex_lock(&m);
    assert(level < 2);
    pthread_mutex_unlock(&m);
  }
}

#elif defined REQUESTS /* of which each is an input, and the last one is kept */
static int kept;
static void *other(void *p) {
  pthread_mutex_lock(&m);
  assert(kept != 12);
  pthread_mutex_unlock(&m);
  return p;
}
int main(void) {
  start(other);
  for (;;) {
    int request = __VERIFIER_nondet_uchar();
    pthread_mutex_lock(&m);
    if (request > 9) kept = request;
    pthread_mutex_unlock(&m);
  }
}

#elif defined BUFFER /* the other one is not told for some inputs */
static void *other(void *p) {
  for (;;) {
    pthread_mutex_lock(&m);
    while (!level)
      pthread_cond_wait(&c, &m);
    level = 0;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_int();
  start(other);
  for (;;) {
    pthread_mutex_lock(&m);
    while (level)
      pthread_cond_wait(&c, &m);
    level = 1;
    if (x < 3) pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
}

#elif defined UNITS /* semaphores and a lock for readers */
static sem_t empty, full;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static void *other(void *p) {
  for (;;) {
    sem_wait(&full);
    pthread_rwlock_wrlock(&rw);
    level--;
    pthread_rwlock_unlock(&rw);
    sem_post(&empty);
  }
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_uchar();
  sem_init(&empty, 0, 2);
  sem_init(&full, 0, 0);
  start(other);
  for (;;) {
    sem_wait(&empty);
    pthread_rwlock_rdlock(&rw);
    int seen = level;
    pthread_rwlock_unlock(&rw);
    pthread_rwlock_wrlock(&rw);
    level++;
    if (x == 40) assert(seen < 2 && level < 2);
    pthread_rwlock_unlock(&rw);
    sem_post(&full);
  }
}

#elif defined MADE /* each round has a lock and a count of its own */
#include <stdlib.h>
struct request {
  pthread_mutex_t m;
  atomic_int users;
  int steps;
};
static void *other(void *p) {
  pthread_mutex_lock(&m);
  level = x > 5 ? 2 : 0;
  pthread_mutex_unlock(&m);
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_int();
  start(other);
  for (;;) {
    struct request *r = malloc(sizeof *r);
    pthread_mutex_init(&r->m, 0);
    atomic_init(&r->users, 1);
    pthread_mutex_lock(&m);
    r->steps = level;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&r->m);
    if (r->steps == 2) assert(x < 90);
    pthread_mutex_unlock(&r->m);
    if (atomic_fetch_sub(&r->users, 1) != 1) continue;
    pthread_mutex_destroy(&r->m);
    free(r);
  }
}

#elif defined STACK /* objects of functions that come and go, and threads */
static int deeper(int n, int *where) {
  int own = n;
  *where += own;
  return n > 0 ? deeper(n - 1, &own) : own;
}
static void *other(void *p) {
  int here = 0;
  deeper(2, &here);
  return p;
}
int main(void) {
  x = __VERIFIER_nondet_int();
  pthread_t t = start(other);
  pthread_join(t, 0);
  for (;;) {
    int here = 0;
    pthread_mutex_lock(&m);
    if (x == here) deeper(3, &here);
    else deeper(1, &here);
    pthread_mutex_unlock(&m);
  }
}
#endif
