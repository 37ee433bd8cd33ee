/* Locks made of a futex, with read-modify-writes alone: sites_futex NAME. With callbacks or
 * without, and whether syscall() is called or the instruction is in the program (inline …), the
 * traces are the same; so are those of the models of the test. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int first, second, ready;
static bool in_line;

static long futex(atomic_int *word, int operation, int value, const struct timespec *limit) {
  if (!in_line) return syscall(SYS_futex, word, operation, value, limit, NULL, 0);
  long result;
  register long r10 __asm__("r10") = (long)limit;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_futex), "D"(word), "S"((long)operation), "d"((long)value), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

static void lock(atomic_int *word) {
  int is_free = 0;
  if (atomic_compare_exchange_strong(word, &is_free, 1)) return;
  while (atomic_exchange(word, 2) != 0)
    futex(word, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static void unlock(atomic_int *word) {
  if (atomic_exchange(word, 0) == 2) futex(word, FUTEX_WAKE_PRIVATE, 1, NULL);
}

static void *one(void *unused) {
  lock(&first);
  unlock(&first);
  return unused;
}

static void *there(void *unused) {
  lock(&first);
  lock(&second);
  unlock(&second);
  unlock(&first);
  return unused;
}

static void *back(void *unused) {
  lock(&second);
  lock(&first);
  unlock(&first);
  unlock(&second);
  return unused;
}

/* The word is set after the wake: who waits then waits for ever. */
static void *hasty(void *unused) {
  futex(&ready, FUTEX_WAKE, INT_MAX, NULL);
  atomic_exchange(&ready, 1);
  return unused;
}

static void *patient(void *unused) {
  while (atomic_fetch_add(&ready, 0) == 0)
    futex(&ready, FUTEX_WAIT, 0, NULL);
  return unused;
}

static void *hurried(void *unused) {
  const struct timespec limit = {1, 0};
  if (atomic_fetch_add(&ready, 0) == 0) futex(&ready, FUTEX_WAIT, 0, &limit);
  return unused;
}

static void *waker(void *unused) {
  atomic_exchange(&ready, 1);
  futex(&ready, FUTEX_WAKE, INT_MAX, NULL);
  return unused;
}

static void *moved(void *unused) {
  futex(&ready, FUTEX_REQUEUE, 1, NULL);
  return unused;
}

static void run(void *(*a)(void *), void *(*b)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, a, NULL);
  pthread_create(&threads[1], NULL, b, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  in_line = argc > 2;
  if (strcmp(argv[1], "one") == 0) run(one, one);
  if (strcmp(argv[1], "same") == 0) run(there, there);
  if (strcmp(argv[1], "crossed") == 0) run(there, back);
  if (strcmp(argv[1], "lost") == 0) run(patient, hasty);
  if (strcmp(argv[1], "kept") == 0) run(patient, waker);
  if (strcmp(argv[1], "timed") == 0) run(hurried, waker);
  if (strcmp(argv[1], "moved") == 0) run(moved, moved);
  return 0;
}
