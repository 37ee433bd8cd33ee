/* Programs for --shorten; the first argument says which. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER,
                       third = PTHREAD_MUTEX_INITIALIZER;
static int value, turns;
static const char *what;

/* Reads in one section, and writes in another one. */
static void *increase(void *unused) {
  pthread_mutex_lock(&first);
  int seen = value;
  pthread_mutex_unlock(&first);
  pthread_mutex_lock(&first);
  value = seen + 1;
  pthread_mutex_unlock(&first);
  return unused;
}

static void *keep_busy(void *unused) {
  for (int i = 0; i < turns; i++) {
    pthread_mutex_lock(&third);
    pthread_mutex_unlock(&third);
  }
  return unused;
}

/* One order of the two threads ends differently from all others. */
static void *meet(void *number) {
  pthread_mutex_lock(&first);
  const int mine = ++value;
  pthread_mutex_unlock(&first);
  if (mine == 2 && number != NULL) {
    if (strcmp(what, "hang") == 0)
      for (volatile int i = 0;; i = 1)
        continue;
    if (strcmp(what, "ended") == 0) syscall(SYS_exit_group, 3);
  }
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  return NULL;
}

static void run_both(void *(*function)(void *)) {
  pthread_t threads[2];
  static int number;
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, function, i == 0 ? &number : NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

static int busy(void) {
  pthread_t other;
  pthread_create(&other, NULL, keep_busy, NULL);
  run_both(increase);
  assert(value == 2);
  pthread_join(other, NULL);
  return 0;
}

/* What happens depends on a file that each execution changes. */
static int changing(const char *path) {
  struct stat information;
  FILE *file = fopen(path, "a");
  fputs("x", file);
  fclose(file);
  stat(path, &information);
  turns = (int)(information.st_size % 7);
  keep_busy(NULL);
  run_both(increase);
  assert(value == 2);
  return 0;
}

int main(int argc, char **argv) {
  what = argc > 1 ? argv[1] : "";
  turns = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "busy") == 0) return busy();
  if (strcmp(what, "changing") == 0) return changing(argv[2]);
  if (strcmp(what, "lost") == 0) {
    run_both(increase);
    assert(value == 2);
  }
  if (strcmp(what, "crash") == 0) {
    run_both(increase);
    if (value != 2) *(volatile int *)NULL = value;
  }
  if (strcmp(what, "hang") == 0 || strcmp(what, "ended") == 0) {
    assert(argc == 2);
    run_both(meet);
    assert(0);
  }
  return 0;
}
