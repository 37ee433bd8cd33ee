/* Objects that are initialised while other threads run. One argument: a case by its name. Several:
 * the kind of one object, and a word for each thread, a letter for each operation; run_inits.py
 * writes them, and the same ones in the model language. */
#define _GNU_SOURCE
#include "cases.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static pthread_mutex_t mutex, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t condition;
static sem_t semaphore, ready;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock;
static mtx_t c11;
static pthread_mutex_t *block;

/* ---- one object of each kind: how it is initialised, and two ways to use it ---- */

static void init(char kind) {
  if (kind == 'm') pthread_mutex_init(&mutex, NULL);
  if (kind == 's') pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  if (kind == 'c') pthread_cond_init(&condition, NULL);
  if (kind == 'p') sem_init(&semaphore, 0, 1);
  if (kind == 'b') pthread_barrier_init(&barrier, NULL, 2);
  if (kind == 'k') pthread_rwlock_init(&rwlock, NULL);
}

static void use(char kind) {
  if (kind == 'm') pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
  if (kind == 's') pthread_spin_lock(&spin), pthread_spin_unlock(&spin);
  if (kind == 'c') pthread_cond_signal(&condition);
  if (kind == 'p') sem_post(&semaphore);
  if (kind == 'b') pthread_barrier_wait(&barrier);
  if (kind == 'k') pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock);
}

static void use_otherwise(char kind) {
  if (kind == 'm' && pthread_mutex_trylock(&mutex) == 0) pthread_mutex_unlock(&mutex);
  if (kind == 's' && pthread_spin_trylock(&spin) == 0) pthread_spin_unlock(&spin);
  if (kind == 'p') sem_wait(&semaphore);
  if (kind == 'k') pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock);
  if (kind != 'c') return;
  pthread_mutex_lock(&guard);
  pthread_cond_wait(&condition, &guard);
  pthread_mutex_unlock(&guard);
}

static char kind;

static void *perform(void *word) {
  for (const char *at = word; *at != '\0'; at++) {
    if (*at == 'I') init(kind);
    if (*at == 'u') use(kind);
    if (*at == 'v') use_otherwise(kind);
    if (*at == 'g') pthread_mutex_lock(&guard), pthread_mutex_unlock(&guard);
    if (*at == 'P') sem_post(&ready);
    if (*at == 'Q') sem_wait(&ready);
  }
  return NULL;
}

static int perform_all(char **words, int count) {
  pthread_t threads[4];
  if (count > 4) return 9;
  sem_init(&ready, 0, 0);
  for (int i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, perform, words[i]);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

/* ---- cases ---- */

static void *lock_and_unlock(void *locked) {
  pthread_mutex_lock(locked);
  pthread_mutex_unlock(locked);
  return NULL;
}

static int on_heap(void) {
  block = calloc(1, sizeof *block);
  pthread_t t;
  pthread_create(&t, NULL, lock_and_unlock, block);
  pthread_mutex_init(block, NULL);
  return pthread_join(t, NULL);
}

static int on_stack(void) {
  pthread_mutex_t local;
  pthread_t t;
  memset(&local, 0, sizeof local);
  pthread_create(&t, NULL, lock_and_unlock, &local);
  pthread_mutex_init(&local, NULL);
  return pthread_join(t, NULL);
}

static int garbage(void) {
  pthread_mutex_t local;
  memset(&local, 0x5a, sizeof local);
  lock_and_unlock(&local);
  return 0;
}

static void *use_c11(void *unused) {
  mtx_lock(&c11);
  mtx_unlock(&c11);
  return unused;
}

static int in_c11(void) {
  pthread_t t = start(use_c11);
  mtx_init(&c11, mtx_plain);
  return pthread_join(t, NULL);
}

/* Initialised once more, by a thread that does not know who uses it. */
static int again(char which) {
  pthread_t t;
  init(kind = which);
  pthread_create(&t, NULL, perform, kind == 'c' ? "v" : "u");
  init(kind);
  return 0;
}

static int again_mutex(void) {
  return again('m');
}

static int again_spin(void) {
  return again('s');
}

static int again_condition(void) {
  return again('c');
}

static int again_rwlock(void) {
  return again('k');
}

static int again_barrier(void) {
  return again('b');
}

/* Destroyed, but one thread is to come. */
static int barrier_gone(void) {
  pthread_t t;
  kind = 'b';
  init(kind);
  pthread_create(&t, NULL, perform, "uu");
  use(kind);
  pthread_barrier_destroy(&barrier);
  return 0;
}

/* Whoever gets it comes after the thread that initialised it. */
static pthread_mutex_t *handed;

static void *hand_over(void *unused) {
  pthread_mutex_t *fresh = malloc(sizeof *fresh);
  pthread_mutex_init(fresh, NULL);
  pthread_mutex_lock(&guard);
  handed = fresh;
  pthread_mutex_unlock(&guard);
  lock_and_unlock(fresh);
  return unused;
}

static int handed_over(void) {
  pthread_t t = start(hand_over);
  pthread_mutex_lock(&guard);
  pthread_mutex_t *seen = handed;
  pthread_mutex_unlock(&guard);
  if (seen != NULL) lock_and_unlock(seen);
  return pthread_join(t, NULL);
}

/* Blocks and frames that were other mutexes before, which nobody destroyed. */
static void *many(void *unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_t local, *fresh = malloc(sizeof *fresh);
    pthread_mutex_init(fresh, NULL);
    pthread_mutex_init(&local, NULL);
    lock_and_unlock(fresh);
    lock_and_unlock(&local);
    free(fresh);
  }
  return unused;
}

static int memory_again(void) {
  pthread_t a = start(many), b = start(many);
  pthread_join(a, NULL);
  many(NULL);
  return pthread_join(b, NULL);
}

/* What orders them is a read that is not seen, so that there is nothing to find. */
static int flag;

static void *use_if_ready(void *unused) {
  lock_and_unlock(&guard);
  if (__atomic_load_n(&flag, __ATOMIC_SEQ_CST)) use('m');
  return unused;
}

static int unseen(void) {
  pthread_t t = start(use_if_ready);
  init('m');
  __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
  lock_and_unlock(&guard);
  return pthread_join(t, NULL);
}

/* ---- joins ---- */

static void *nothing(void *unused) {
  return unused;
}

static int joined_again(void) {
  pthread_t t = start(nothing);
  pthread_join(t, NULL);
  return pthread_join(t, NULL);
}

/* Where a program can ask whether a thread has ended, each end is an event. */
#ifdef TRIES
static int tried_again(void) {
  pthread_t t = start(nothing);
  pthread_join(t, NULL);
  return pthread_tryjoin_np(t, NULL);
}

static void *join_it(void *thread) {
  pthread_join(*(pthread_t *)thread, NULL);
  return NULL;
}

/* One thread joins it, and another one tries to. */
static int tried_beside(void) {
  pthread_t t = start(nothing), joiner;
  pthread_create(&joiner, NULL, join_it, &t);
  pthread_tryjoin_np(t, NULL);
  return pthread_join(joiner, NULL);
}
#endif

static const struct named_case cases[] = {
    {"on-heap", on_heap},
    {"on-stack", on_stack},
    {"garbage", garbage},
    {"c11", in_c11},
    {"again-mutex", again_mutex},
    {"again-spin", again_spin},
    {"again-condition", again_condition},
    {"again-rwlock", again_rwlock},
    {"again-barrier", again_barrier},
    {"barrier-gone", barrier_gone},
    {"handed-over", handed_over},
    {"memory-again", memory_again},
    {"unseen", unseen},
    {"joined-again", joined_again},
#ifdef TRIES
    {"tried-again", tried_again},
    {"tried-beside", tried_beside},
#endif
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  if (argc < 3) return 9;
  kind = argv[1][0];
  /* A capital letter: initialised by the only thread that has run so far. */
  if (kind >= 'A' && kind <= 'Z') init(kind = (char)(kind - 'A' + 'a'));
  return perform_all(argv + 2, argc - 2);
}
