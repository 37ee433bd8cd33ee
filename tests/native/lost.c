/* Programs that do not come to their end, that are wrong in a way that the explorer could stumble
 * over, or that fail and then do something that ends the exploration. */
#define _GNU_SOURCE
#include "cases.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;

static void *raise_flag(void *unused) {
  pthread_mutex_lock(&a);
  flag = 1;
  pthread_mutex_unlock(&a);
  return unused;
}

extern void be_slow(void) __attribute__((weak)); /* in slow_worker.c */

/* Tells the test that there is something to interrupt. */
static void say_ready(void) {
  if (be_slow != NULL) be_slow();
  int file = open("ready", O_CREAT | O_WRONLY, 0600);
  if (file >= 0) close(file);
}

static void spin_for_flag(void) {
  say_ready();
  while (!flag)
    continue;
}

static int spins(void) {
  pthread_t t = start(raise_flag);
  spin_for_flag();
  return pthread_join(t, NULL);
}

static int look_at_flag(void) {
  pthread_mutex_lock(&a);
  int seen = flag;
  pthread_mutex_unlock(&a);
  return seen;
}

static void *poll_flag(void *unused) {
  say_ready();
  while (!look_at_flag())
    continue;
  return unused;
}

/* Sleeps between two looks. */
static void *sleep_for_flag(void *unused) {
  while (!look_at_flag())
    usleep(1000);
  return unused;
}

static int sleeps(void) {
  pthread_t t = start(sleep_for_flag);
  raise_flag(NULL);
  return pthread_join(t, NULL);
}

static int polls(void) {
  pthread_t t = start(poll_flag);
  raise_flag(NULL);
  return pthread_join(t, NULL);
}

static int ends[2];

static void *take_from_pipe(void *unused) {
  char byte;
  return read(ends[0], &byte, 1) == 1 ? NULL : unused;
}

static void *give_to_pipe(void *unused) {
  pthread_mutex_lock(&a);
  if (write(ends[1], "", 1) != 1) abort();
  pthread_mutex_unlock(&a);
  return unused;
}

static int piped(void) {
  if (pipe(ends) != 0) return 9;
  pthread_t taker = start(take_from_pipe), giver = start(give_to_pipe);
  pthread_join(taker, NULL);
  return pthread_join(giver, NULL);
}

/* From outside: descriptor 3. */
static void *take_from_outside(void *unused) {
  char byte;
  return read(3, &byte, 1) == 1 ? NULL : unused;
}

static int inherits(void) {
  return pthread_join(start(take_from_outside), NULL);
}

static int counts_events(void) {
  uint64_t value;
  int file = eventfd(0, 0);
  return read(file, &value, sizeof value) == sizeof value;
}

static void *fail(void *unused) {
  assert(flag == 1);
  return unused;
}

/* Fails in one thread, and another does what is not supported. */
static int refused_later(void) {
  pthread_t t = start(fail);
  pthread_join(start(raise_flag), NULL);
  sem_open("/none", 0);
  return pthread_join(t, NULL);
}

static volatile int failing;

static void *fail_soon(void *unused) {
  failing = 1;
  return fail(unused);
}

/* Fails in one thread, and another never ends. */
static int endless_later(void) {
  pthread_t t = start(fail_soon);
  for (;;) {
    look_at_flag();
    if (failing == 1) { /* one thread runs at a time, so that it has failed */
      failing = 2;
      say_ready();
    }
  }
  return pthread_join(t, NULL);
}

/* Fails, and never ends in the next execution. */
static int endless_second(void) {
  pthread_t t = start(raise_flag);
  const int seen = look_at_flag();
  while (seen)
    look_at_flag();
  assert(seen);
  return pthread_join(t, NULL);
}

static int no_handle(void) {
  pthread_t t = start(fail);
  pthread_create(NULL, NULL, raise_flag, NULL);
  return pthread_join(t, NULL);
}

static int no_function(void) {
  pthread_t t = start(fail);
  pthread_join(start(NULL), NULL);
  return pthread_join(t, NULL);
}

/* Which of two threads is first decides the size of a barrier. */
static int sized_later(void) {
  static pthread_barrier_t barrier;
  pthread_t t = start(raise_flag);
  unsigned size = look_at_flag() ? 1 : 2;
  pthread_join(t, NULL);
  pthread_barrier_init(&barrier, NULL, size);
  pthread_barrier_wait(&barrier);
  return 0;
}

static int fails_thrice(void) {
  pthread_t t[] = {start(fail), start(fail), start(fail)};
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  return 0;
}

static pthread_t joined;

static void *join_one(void *unused) {
  return pthread_join(joined, NULL) == 0 ? unused : &joined;
}

static int joined_twice(void) {
  joined = start(raise_flag);
  pthread_t t[] = {start(join_one), start(join_one)};
  pthread_join(t[0], NULL);
  return pthread_join(t[1], NULL);
}

static int joined_in_turn(void) {
  joined = start(raise_flag);
  pthread_join(start(join_one), NULL);
  return pthread_join(start(join_one), NULL);
}

static sem_t semaphore;
static int refused;

static void *post_one(void *unused) {
  if (sem_post(&semaphore) == 0) return unused;
  assert(errno == EOVERFLOW);
  refused++;
  return unused;
}

static void *take_one(void *unused) {
  sem_wait(&semaphore);
  return unused;
}

/* One post is refused if both come before the semaphore is taken. */
static int posts_over(void) {
  sem_init(&semaphore, 0, SEM_VALUE_MAX - 1);
  pthread_t t[] = {start(post_one), start(post_one), start(take_one)};
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  return refused;
}

static int adds_nowhere(void) {
  pthread_t t = start(fail);
  __atomic_fetch_add((int *)(uintptr_t)3, 1, __ATOMIC_SEQ_CST);
  return pthread_join(t, NULL);
}

static const struct named_case cases[] = {
    {"no-handle", no_handle},
    {"no-function", no_function},
    {"sized-later", sized_later},
    {"fails-thrice", fails_thrice},
    {"joined-twice", joined_twice},
    {"joined-in-turn", joined_in_turn},
    {"posts-over", posts_over},
    {"adds-nowhere", adds_nowhere},
    {"spins", spins},
    {"polls", polls},
    {"sleeps", sleeps},
    {"piped", piped},
    {"inherits", inherits},
    {"counts-events", counts_events},
    {"refused-later", refused_later},
    {"endless-later", endless_later},
    {"endless-second", endless_second},
};

#ifdef EARLY
static void wait_early(void) {
#if EARLY == 1
  spin_for_flag();
#else
  if (pipe(ends) == 0) take_from_pipe(NULL);
#endif
}

__attribute__((constructor)) static void early(void) {
  wait_early();
}
#endif

int main(int argc, char **argv) {
  RUN_CHOSEN(argc, argv, cases);
  return 9;
}
