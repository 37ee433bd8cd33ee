/* Performs small concurrent programs that are given as arguments: one word for each thread, made of
 * a letter for each operation and digits for its objects. alike.py writes them, and the same ones
 * in the model language. First argument: the number of threads that the barrier is for. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OBJECTS = 3, THREADS = 4 };

static pthread_mutex_t mutexes[OBJECTS];
static pthread_cond_t conditions[OBJECTS];
static pthread_rwlock_t rwlocks[OBJECTS];
static sem_t semaphores[OBJECTS];
static pthread_barrier_t barrier;
static const struct timespec limit = {2000000000, 0};

/* What stands behind a try is done only if it succeeded: an unlock. */
static void tried(int error, int (*unlock)(void *), void *object) {
  if (error == 0) unlock(object);
}

static int unlock_mutex(void *mutex) {
  return pthread_mutex_unlock(mutex);
}

static int unlock_rwlock(void *lock) {
  return pthread_rwlock_unlock(lock);
}

static const char *on_mutex(const char *at) {
  pthread_mutex_t *m = &mutexes[at[1] - '0'];
  switch (at[0]) {
  case 'L':
    pthread_mutex_lock(m);
    break;
  case 'U':
    pthread_mutex_unlock(m);
    break;
  case 'T':
    tried(pthread_mutex_trylock(m), unlock_mutex, m);
    break;
  case 'D':
    tried(pthread_mutex_timedlock(m, &limit), unlock_mutex, m);
    break;
  default:
    return at;
  }
  return at + 2;
}

static const char *on_condition(const char *at) {
  pthread_cond_t *c = &conditions[at[1] - '0'];
  switch (at[0]) {
  case 'S':
    pthread_cond_signal(c);
    return at + 2;
  case 'B':
    pthread_cond_broadcast(c);
    return at + 2;
  case 'W':
    pthread_cond_wait(c, &mutexes[at[2] - '0']);
    return at + 3;
  case 'V':
    pthread_cond_timedwait(c, &mutexes[at[2] - '0'], &limit);
    return at + 3;
  default:
    return at;
  }
}

static const char *on_rwlock(const char *at) {
  pthread_rwlock_t *k = &rwlocks[at[1] - '0'];
  switch (at[0]) {
  case 'R':
    pthread_rwlock_rdlock(k);
    break;
  case 'X':
    pthread_rwlock_wrlock(k);
    break;
  case 'u':
    pthread_rwlock_unlock(k);
    break;
  case 'r':
    tried(pthread_rwlock_tryrdlock(k), unlock_rwlock, k);
    break;
  case 'x':
    tried(pthread_rwlock_timedwrlock(k, &limit), unlock_rwlock, k);
    break;
  default:
    return at;
  }
  return at + 2;
}

static const char *on_semaphore(const char *at) {
  sem_t *s = &semaphores[at[1] - '0'];
  switch (at[0]) {
  case 'P':
    sem_post(s);
    break;
  case 'Q':
    sem_wait(s);
    break;
  case 'q':
    sem_trywait(s);
    break;
  case 'A':
    pthread_barrier_wait(&barrier);
    break;
  default:
    exit(9);
  }
  return at + 2;
}

static void *perform(void *program) {
  const char *at = program;
  while (*at != '\0') {
    const char *next = on_mutex(at);
    if (next == at) next = on_condition(at);
    if (next == at) next = on_rwlock(at);
    if (next == at) next = on_semaphore(at);
    at = next;
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  if (argc < 2 || argc > THREADS + 2) return 9;
  for (int i = 0; i < OBJECTS; i++) {
    pthread_mutex_init(&mutexes[i], NULL);
    pthread_cond_init(&conditions[i], NULL);
    pthread_rwlock_init(&rwlocks[i], NULL);
    sem_init(&semaphores[i], 0, (unsigned)i);
  }
  pthread_barrier_init(&barrier, NULL, (unsigned)atoi(argv[1]));
  for (int i = 2; i < argc; i++)
    pthread_create(&threads[i - 2], NULL, perform, argv[i]);
  for (int i = 2; i < argc; i++)
    pthread_join(threads[i - 2], NULL);
  return 0;
}
