/* Accesses that race, without a callback that shows them, and decide what threads do; and the same
 * under a lock. One argument: a case by its name. */
#include "cases.h"

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static int shared, ready, *pointer = &ready;

static void lock_and_unlock(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
}

static void *set(void *unused) {
  pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

/* What it does next depends on an access under the wrong lock. */
static int goes_on(void) {
  pthread_t t = start(set);
  pthread_mutex_lock(&other);
  const int seen = shared;
  pthread_mutex_unlock(&other);
  if (seen != 0) lock_and_unlock(&other);
  return pthread_join(t, NULL);
}

static int ordered(void) {
  pthread_t t = start(set);
  pthread_mutex_lock(&mutex);
  const int seen = shared;
  pthread_mutex_unlock(&mutex);
  if (seen != 0) lock_and_unlock(&other);
  return pthread_join(t, NULL);
}

/* Nothing but the end is another one. */
static int status(void) {
  pthread_t t = start(set);
  lock_and_unlock(&other);
  const int seen = shared;
  pthread_join(t, NULL);
  return seen;
}

static int asserts(void) {
  pthread_t t = start(set);
  lock_and_unlock(&other);
  assert(shared == 0);
  return pthread_join(t, NULL);
}

static void *clear(void *unused) {
  lock_and_unlock(&mutex);
  pointer = NULL;
  lock_and_unlock(&mutex);
  return unused;
}

static int crashes(void) {
  pthread_t t = start(clear);
  lock_and_unlock(&other);
  *pointer = 1;
  lock_and_unlock(&other);
  return pthread_join(t, NULL);
}

/* The value of a semaphore. */
static int initial(void) {
  pthread_t t = start(set);
  lock_and_unlock(&other);
  sem_init(&semaphore, 0, (unsigned)shared + 1);
  sem_wait(&semaphore);
  return pthread_join(t, NULL);
}

/* An atomic load, which looks like a plain one. */
static atomic_int count;

static void *add(void *unused) {
  atomic_fetch_add(&count, 1);
  return unused;
}

static int loads(void) {
  pthread_t t = start(add);
  atomic_fetch_add(&count, 2);
  lock_and_unlock(&other);
  if (atomic_load(&count) == 3) lock_and_unlock(&mutex);
  return pthread_join(t, NULL);
}

/* A copy by whole words has what was on the stack between the members. */
enum { RECORDS = 16 };
static struct records {
  struct {
    bool flag;
    long number;
  } all[RECORDS];
} records;

static void *look(void *unused) {
  if (records.all[0].flag + records.all[6].flag + records.all[10].flag > 0) lock_and_unlock(&other);
  return unused;
}

__attribute__((noinline)) static void copy(void) {
  struct records here;
  for (int i = 0; i < RECORDS; i++) {
    here.all[i].flag = i == 0;
    here.all[i].number = 0;
  }
  records = here;
}

static int padding(void) {
  pthread_t t = start(look);
  free(malloc(24));
  copy();
  return pthread_join(t, NULL);
}

/* Two locks on the heap that are only copied: who comes first names them. */
static pthread_mutex_t *copies;

static void *use_copies(void *first) {
  lock_and_unlock(&copies[first != NULL]);
  return NULL;
}

static int copied(void) {
  pthread_t a, b;
  copies = calloc(2, sizeof *copies);
  copies[0] = copies[1] = mutex;
  pthread_create(&a, NULL, use_copies, NULL);
  pthread_create(&b, NULL, use_copies, &a);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  lock_and_unlock(&copies[0]);
  lock_and_unlock(&copies[1]);
  free(copies);
  return 0;
}

static const struct named_case cases[] = {
    {"goes-on", goes_on}, {"ordered", ordered}, {"status", status},
    {"asserts", asserts}, {"crashes", crashes}, {"initial", initial},
    {"copied", copied},   {"loads", loads},     {"padding", padding},
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  return 9;
}
