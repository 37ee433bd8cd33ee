/* Programs whose findings are confirmed in native ones, one for each word. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <unfold/await.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void klee_make_symbolic(void *, size_t, const char *);

struct box {
  pthread_mutex_t mutex, other;
  pthread_cond_t changed;
  pthread_rwlock_t readers;
  sem_t semaphore;
  int value, seen;
  int *item;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct box still = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static atomic_int flags[2];
static int count;

static void two(void *(*first)(void *), void *(*second)(void *), void *argument) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, argument);
  pthread_create(&threads[1], NULL, second, argument);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static struct box *make(void) {
  struct box *b = calloc(1, sizeof *b);
  pthread_mutex_init(&b->mutex, NULL);
  pthread_mutex_init(&b->other, NULL);
  pthread_cond_init(&b->changed, NULL);
  pthread_rwlock_init(&b->readers, NULL);
  sem_init(&b->semaphore, 0, 0);
  return b;
}

/* ---- objects on the heap, inputs of several threads ---- */

static void *change(void *of) {
  struct box *b = of;
  const int by = __VERIFIER_nondet_int();
  pthread_mutex_lock(&b->mutex);
  b->value += by;
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->mutex);
  sem_post(&b->semaphore);
  return NULL;
}

static void *look(void *of) {
  struct box *b = of;
  const unsigned char from = __VERIFIER_nondet_uchar();
  pthread_rwlock_rdlock(&b->readers);
  pthread_rwlock_unlock(&b->readers);
  pthread_mutex_lock(&b->mutex);
  if (b->value == 0) pthread_cond_wait(&b->changed, &b->mutex);
  b->seen = b->value + from;
  pthread_mutex_unlock(&b->mutex);
  sem_wait(&b->semaphore);
  return NULL;
}

static void made(void) {
  struct box *b = make();
  two(change, look, b);
  assert(b->seen != 1234);
}

/* ---- an object that is in a structure, and one that its first use names ---- */

static void *enter(void *of) {
  struct box *b = of;
  char bytes[3];
  klee_make_symbolic(bytes, sizeof bytes, "bytes");
  pthread_mutex_lock(&b->mutex);
  b->value++;
  if (b->value == 2 && bytes[0] == 'a' && bytes[2] == 'c') abort();
  pthread_mutex_unlock(&b->mutex);
  return NULL;
}

static void in_structure(void) {
  two(enter, enter, &still);
}

static void first_use(void) {
  const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  struct box *b = calloc(1, sizeof *b);
  b->mutex = fresh;
  pthread_mutex_lock(&b->mutex);
  pthread_mutex_unlock(&b->mutex);
  two(enter, enter, b);
}

/* ---- memory, in an order of the threads ---- */

static void *take_away(void *of) {
  struct box *b = of;
  pthread_mutex_lock(&mutex);
  if (b->value == 0) free(b->item);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void *use(void *of) {
  struct box *b = of;
  pthread_mutex_lock(&mutex);
  b->seen = *b->item;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void later(void) {
  struct box *b = make();
  b->value = __VERIFIER_nondet_int();
  b->item = malloc(sizeof *b->item);
  *b->item = 5;
  two(take_away, use, b);
}

/* ---- the others ---- */

static void *increment(void *unused) {
  __VERIFIER_atomic_begin();
  __VERIFIER_atomic_begin();
  count = 2 * count + 1;
  __VERIFIER_atomic_end();
  __VERIFIER_atomic_end();
  return unused;
}

static void *twice(void *unused) {
  __VERIFIER_atomic_begin();
  count = 2 * count;
  __VERIFIER_atomic_end();
  return unused;
}

static void sections(void) {
  const int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 1);
  two(increment, twice, NULL);
  assert(count != x);
}

static void *raise_one(void *unused) {
  atomic_store(&flags[0], 1);
  unfold_await_eq(&flags[1], 1);
  return unused;
}

static void *raise_other(void *unused) {
  if (atomic_exchange(&flags[0], 2) == 0) return unused;
  atomic_store(&flags[1], 1);
  return unused;
}

static void flag(void) {
  two(raise_one, raise_other, NULL);
}

static void *write_count(void *unused) {
  if (__VERIFIER_nondet_int() == 77) count = 3;
  return unused;
}

static void race(void) {
  two(write_count, write_count, NULL);
}

static void on_stack(void) {
  pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&local);
  assert(__VERIFIER_nondet_int() != 4);
  pthread_mutex_unlock(&local);
}

/* Wrong, but for where the sanitizer looks. */
static void elsewhere(void) {
  int *item = calloc(1, sizeof *item);
#if !__has_feature(address_sanitizer)
  free(item);
#endif
  *item += 1;
}

static const struct {
  const char *word;
  void (*function)(void);
} words[] = {{"made", made},   {"structure", in_structure}, {"first", first_use},
             {"later", later}, {"sections", sections},      {"flag", flag},
             {"race", race},   {"stack", on_stack},         {"elsewhere", elsewhere}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof words / sizeof *words; i++)
    if (strcmp(argv[1], words[i].word) == 0) words[i].function();
  return 0;
}
