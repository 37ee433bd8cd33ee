/* One small program for each thing that the native front-end must see, chosen by
 * the first argument. */
#define _GNU_SOURCE
#include "cases.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *add(void *unused) {
  pthread_mutex_lock(&a);
  shared++;
  pthread_mutex_unlock(&a);
  return unused;
}

/* Fails in one of two orders. */
static int two_orders(body *function) {
  pthread_t t = start(function);
  add(NULL);
  pthread_join(t, NULL);
  return 0;
}

static int read_shared(void) {
  pthread_mutex_lock(&a);
  int value = shared;
  pthread_mutex_unlock(&a);
  return value;
}

static void *assert_first(void *unused) {
  assert(read_shared() == 0);
  return unused;
}

static void *abort_second(void *unused) {
  if (read_shared() == 1) abort();
  return unused;
}

static void *crash_second(void *unused) {
  if (read_shared() == 1) *(volatile int *)(uintptr_t)8 = 1;
  return unused;
}

static int (*volatile nowhere)(void);

static void *call_nothing(void *unused) {
  if (read_shared() == 1) nowhere();
  return unused;
}

static void *free_twice(void *unused) {
  char *block = malloc(100), *volatile again = block;
  if (read_shared() == 1) free(block);
  free(again);
  return unused;
}

static int recurse(int depth) {
  volatile char block[4096];
  block[0] = (char)depth;
  return depth < 0 ? 0 : recurse(depth + 1) + block[0];
}

static void *overflow_second(void *unused) {
  if (read_shared() == 1) shared = recurse(1);
  return unused;
}

static void *exit_second(void *unused) {
  if (read_shared() == 1) exit(7);
  return unused;
}

static void *unlock_only(void *unused) {
  pthread_mutex_unlock(&a);
  return unused;
}

static int stranger(void) {
  pthread_mutex_lock(&a);
  pthread_join(start(unlock_only), NULL);
  return 0;
}

static void *hold(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

static int destroy(void) {
  pthread_t t = start(hold);
  pthread_mutex_destroy(&a);
  pthread_join(t, NULL);
  return 0;
}

static int self_deadlock(void) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&a);
  return 0;
}

static void *lock_only(void *unused) {
  pthread_mutex_lock(&a);
  return unused;
}

static void visit(pthread_mutex_t *m) {
  pthread_mutex_lock(m);
  pthread_mutex_unlock(m);
}

/* Mutexes wherever they can be. */
static void *everywhere(void *unused) {
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, *made = malloc(sizeof own),
                  *copied = malloc(sizeof own);
  if (made == NULL || copied == NULL) return unused;
  *copied = own;
  pthread_mutex_init(made, NULL);
  visit(&own);
  visit(made);
  visit(copied);
  visit(&b);
  pthread_mutex_destroy(made);
  free(made);
  free(copied);
  return unused;
}

static int names(void) {
  pthread_t t = start(everywhere);
  everywhere(NULL);
  pthread_join(t, NULL);
  abort();
}

static int never_unlocked(void) {
  pthread_join(start(lock_only), NULL);
  add(NULL);
  return 0;
}

static void *lock_ba(void *unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

static int left_behind(void) {
  pthread_mutex_lock(&a);
  start(lock_ba);
  return 0;
}

static int kinds(void) {
  pthread_mutex_t m;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attributes);
  assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0 &&
         pthread_mutex_trylock(&m) == 0);
  for (int i = 0; i < 3; i++)
    assert(pthread_mutex_unlock(&m) == 0);
  assert(pthread_mutex_unlock(&m) == EPERM);
  pthread_mutex_destroy(&m);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &attributes);
  assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == EDEADLK &&
         pthread_mutex_trylock(&m) == EBUSY);
  assert(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == EPERM);
  pthread_mutex_destroy(&m);
  return 0;
}

/* Three outcomes: before the other has the mutex, meanwhile, and afterwards. */
static int trylock(void) {
  pthread_t t = start(add);
  if (pthread_mutex_trylock(&a) == 0) pthread_mutex_unlock(&a);
  pthread_join(t, NULL);
  return 0;
}

static pthread_once_t flag = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int initialised, destroyed;
static thread_local int own = 5;

static void initialise(void) {
  initialised++;
  add(NULL);
}

static void destructor(void *value) {
  pthread_mutex_lock(&a);
  destroyed += (int)(intptr_t)value;
  pthread_mutex_unlock(&a);
}

static void cleanup(void *value) {
  *(int *)value += 10;
}

static int cleaned;

static void *use_key(void *value) {
  pthread_once(&flag, initialise);
  pthread_once(&flag, initialise);
  assert(pthread_getspecific(key) == NULL && own == 5);
  pthread_setspecific(key, (void *)1);
  own++;
  pthread_cleanup_push(cleanup, &cleaned);
  if (value != NULL) pthread_exit((void *)3);
  pthread_cleanup_pop(0);
  return (void *)2;
}

static int keys(void) {
  pthread_t t[2];
  void *result[2];
  pthread_key_create(&key, destructor);
  pthread_create(&t[0], NULL, use_key, NULL);
  pthread_create(&t[1], NULL, use_key, &key);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], &result[i]);
  assert(result[0] == (void *)2 && result[1] == (void *)3);
  assert(initialised == 1 && destroyed == 2 && cleaned == 10 && own == 5);
  return 0;
}

static mtx_t c11_mutex;
static once_flag c11_flag = ONCE_FLAG_INIT;

static int c11_body(void *unused) {
  call_once(&c11_flag, initialise);
  mtx_lock(&c11_mutex);
  shared++;
  mtx_unlock(&c11_mutex);
  if (unused != NULL) thrd_exit(4);
  return 6;
}

static int c11(void) {
  thrd_t t[2];
  int result[2];
  mtx_init(&c11_mutex, mtx_plain);
  thrd_create(&t[0], c11_body, NULL);
  thrd_create(&t[1], c11_body, &c11_mutex);
  for (int i = 0; i < 2; i++)
    thrd_join(t[i], &result[i]);
  assert(result[0] == 6 && result[1] == 4 && shared == 3);
  mtx_destroy(&c11_mutex);
  return 0;
}

static void *print_locked(void *unused) {
  flockfile(stdout);
  printf("one ");
  printf("line\n");
  funlockfile(stdout);
  return unused;
}

static int streams(void) {
  pthread_t t = start(print_locked);
  print_locked(NULL);
  pthread_join(t, NULL);
  return 0;
}

static void *sleeper(void *unused) {
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  sleep(3600);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert(after.tv_sec - before.tv_sec >= 3600);
  return unused;
}

static int clocks(void) {
  time_t before = time(NULL);
  pthread_join(start(sleeper), NULL);
  assert(time(NULL) >= before + 3600);
  return 0;
}

static int semaphore(void) {
  return sem_open("/name", O_CREAT, 0600, 1) == SEM_FAILED ? 1 : 0;
}

static int endless(void) {
  for (;;)
    add(NULL);
  return 0;
}

/* Does something else every second time. */
static int external(void) {
  FILE *file = fopen("count", "a");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  putc('x', file);
  fclose(file);
  pthread_t t = start(add);
  if (size % 2 == 0) pthread_mutex_lock(&b);
  add(NULL);
  return pthread_join(t, NULL);
}

static int forks(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  return waitpid(child, NULL, 0) == child ? 0 : 1;
}

static int blocks(void) {
  int ends[2];
  char byte;
  if (pipe(ends) != 0) return 1;
  pthread_t t = start(add);
  if (read(ends[0], &byte, 1) < 0) return 1;
  return pthread_join(t, NULL);
}

static void say_bye(void) {
  add(NULL);
  puts("bye");
}

static int handlers(void) {
  atexit(say_bye);
  start(add);
  return 0;
}

static int plain(void) {
  puts("hello");
  return 0;
}

static const struct named_case cases[] = {
    {"stranger", stranger},   {"destroy", destroy},
    {"self", self_deadlock},  {"left-behind", left_behind},
    {"kinds", kinds},         {"trylock", trylock},
    {"keys", keys},           {"c11", c11},
    {"streams", streams},     {"clocks", clocks},
    {"semaphore", semaphore}, {"fork", forks},
    {"names", names},         {"ended", never_unlocked},
    {"external", external},   {"endless", endless},
    {"blocks", blocks},       {"handlers", handlers},
    {"plain", plain},
};

static const struct {
  const char *name;
  body *other;
} orders[] = {
    {"assert", assert_first},  {"abort", abort_second},
    {"crash", crash_second},   {"heap", free_twice},
    {"nowhere", call_nothing}, {"overflow", overflow_second},
    {"exit", exit_second},     {"two", add},
};

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  for (size_t i = 0; argc == 2 && i < sizeof orders / sizeof *orders; i++)
    if (strcmp(orders[i].name, argv[1]) == 0) return two_orders(orders[i].other);
  return 9;
}
