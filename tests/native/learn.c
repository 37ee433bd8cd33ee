/* Locks made of a futex: learn CASE; and learn SCRIPT …, a thread for each: a letter takes the lock
 * of that name, its capital gives it back, and after ? the lock is taken if it is free, and given
 * back. Compiled with -DPTHREAD scripts use mutexes of the C library. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOCKS = 4, THREADS_MAX = 4 };

static long futex(atomic_int *word, int operation, int value, const struct timespec *limit) {
  return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
}

static atomic_int word, beside;

/* One place for both: whether it waits is said by an argument. */
__attribute__((noinline)) static bool acquire(atomic_int *lock, bool waits) {
  int none = 0;
  if (atomic_compare_exchange_strong(lock, &none, 1)) return true;
  if (!waits) return false;
  while (atomic_exchange(lock, 2) != 0)
    futex(lock, FUTEX_WAIT_PRIVATE, 2, NULL);
  return true;
}

__attribute__((noinline)) static void release(atomic_int *lock) {
  if (atomic_exchange(lock, 0) == 2) futex(lock, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void *takes(void *unused) {
  acquire(&word, true);
  release(&word);
  return unused;
}

static void *tries(void *unused) {
  if (acquire(&word, false))
    release(&word);
  else
    atomic_fetch_add(&beside, 1);
  return unused;
}

/* How often somebody had to wait is counted. */
static void *counts(void *unused) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&word, &none, 1)) {
    atomic_fetch_add(&beside, 1);
    while (atomic_exchange(&word, 2) != 0)
      futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL);
  }
  release(&word);
  return unused;
}

static void *hurries(void *unused) {
  const struct timespec limit = {1, 0};
  int none = 0;
  if (!atomic_compare_exchange_strong(&word, &none, 1))
    while (atomic_exchange(&word, 2) != 0)
      if (futex(&word, FUTEX_WAIT_PRIVATE, 2, &limit) != 0) return unused;
  release(&word);
  return unused;
}

/* It is given back, and who waits is woken, before the thread looks again: then it waits for a free
 * lock. */
static void *loses(void *unused) {
  int none = 0;
  while (!atomic_compare_exchange_strong(&word, &none, 1)) {
    futex(&word, FUTEX_WAIT_PRIVATE, atomic_fetch_add(&word, 0), NULL);
    none = 0;
  }
  atomic_exchange(&word, 0);
  futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
  return unused;
}

/* Looks again some times before it waits. */
static void *spins(void *unused) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&word, &none, 1)) {
    for (;;) {
      for (int i = 0; i < 100 && atomic_load(&word) == 1; i++)
        __builtin_ia32_pause();
      if (atomic_exchange(&word, 2) == 0) break;
      futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL);
    }
  }
  release(&word);
  return unused;
}

/* Looks by an exchange that changes nothing. */
static void *looks(void *unused) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&word, &none, 0)) futex(&word, FUTEX_WAIT_PRIVATE, 1, NULL);
  return unused;
}

static void *sets(void *unused) {
  atomic_exchange(&word, 1);
  atomic_exchange(&word, 0);
  futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL);
  return unused;
}

/* Nobody wakes. */
static void *sleeps(void *unused) {
  acquire(&word, true);
  atomic_exchange(&word, 0);
  return unused;
}

/* Is 0, then 1 while one thread makes what it is to point to, and a pointer from then on. */
static void *makes(void *unused) {
  int none = 0;
  if (atomic_fetch_add(&word, 0) == 5) return unused;
  if (atomic_compare_exchange_strong(&word, &none, 1)) {
    atomic_fetch_add(&beside, 1);
    if (atomic_exchange(&word, 5) == 2) futex(&word, FUTEX_WAKE_PRIVATE, 8, NULL);
    return unused;
  }
  for (int one = 1; atomic_fetch_add(&word, 0) < 5; one = 1)
    if (atomic_compare_exchange_strong(&word, &one, 2) || one == 2)
      futex(&word, FUTEX_WAIT_PRIVATE, 2, NULL);
  return unused;
}

/* A lock, and a word that is written by a plain instruction where it is taken. */
static void *stores(void *unused) {
  acquire(&word, true);
  atomic_fetch_add(&beside, 1);
  *(volatile int *)&beside = 7;
  release(&word);
  return unused;
}

static void run(void *(*a)(void *), void *(*b)(void *), void *(*c)(void *)) {
  void *(*functions[])(void *) = {a, b, c};
  pthread_t threads[3];
  const int number = c == NULL ? 2 : 3;
  for (int i = 0; i < number; i++)
    pthread_create(&threads[i], NULL, functions[i], NULL);
  for (int i = 0; i < number; i++)
    pthread_join(threads[i], NULL);
}

#ifdef PTHREAD
static pthread_mutex_t locks[LOCKS];
#define TAKE(i) pthread_mutex_lock(&locks[i])
#define TRY(i)  (pthread_mutex_trylock(&locks[i]) == 0)
#define GIVE(i) pthread_mutex_unlock(&locks[i])
#else
static atomic_int locks[LOCKS];

__attribute__((noinline)) static bool try_it(atomic_int *lock) {
  int none = 0;
  return atomic_compare_exchange_strong(lock, &none, 1);
}
#define TAKE(i) acquire(&locks[i], true)
#define TRY(i)  try_it(&locks[i])
#define GIVE(i) release(&locks[i])
#endif

static void *performs(void *script) {
  for (const char *at = script; *at != '\0'; at++) {
    if (*at == '?') {
      at++;
      if (TRY(*at - 'a')) GIVE(*at - 'a');
    } else if (*at >= 'a') {
      TAKE(*at - 'a');
    } else {
      GIVE(*at - 'A');
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS_MAX];
  if (argc == 2 && strcmp(argv[1], "try") == 0)
    run(takes, takes, tries);
  else if (argc == 2 && strcmp(argv[1], "try-first") == 0)
    run(tries, takes, takes);
  else if (argc == 2 && strcmp(argv[1], "counter") == 0)
    run(counts, counts, NULL);
  else if (argc == 2 && strcmp(argv[1], "limit") == 0)
    run(hurries, hurries, NULL);
  else if (argc == 2 && strcmp(argv[1], "lost") == 0)
    run(loses, loses, NULL);
  else if (argc == 2 && strcmp(argv[1], "unwoken") == 0)
    run(sleeps, sleeps, NULL);
  else if (argc == 2 && strcmp(argv[1], "looks") == 0)
    run(looks, sets, NULL);
  else if (argc == 2 && strcmp(argv[1], "spins") == 0)
    run(spins, spins, NULL);
  else if (argc == 2 && strcmp(argv[1], "pointer") == 0)
    run(makes, makes, NULL);
  else if (argc == 2 && strcmp(argv[1], "stores") == 0)
    run(stores, stores, NULL);
  else {
    for (int i = 1; i < argc && i <= THREADS_MAX; i++)
      pthread_create(&threads[i - 1], NULL, performs, argv[i]);
    for (int i = 1; i < argc && i <= THREADS_MAX; i++)
      pthread_join(threads[i - 1], NULL);
  }
  return 0;
}
