/* A program that fails once: earlier CASE FILE, where the file does not exist yet. Then it does,
 * and an exploration that is begun again finds nothing. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *file;
static int word;
static int plain;

static void *fail_once(void *unused) {
  (void)unused;
  const int made = open(file, O_CREAT | O_EXCL, 0600);
  assert(made < 0);
  return NULL;
}

static void *write_plainly(void *unused) {
  (void)unused;
  *(volatile int *)&plain += 1;
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[3];
  if (argc != 3) return 2;
  file = argv[2];
  pthread_create(&threads[0], NULL, fail_once, NULL);
  if (strcmp(argv[1], "store") == 0) {
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
    *(volatile int *)&word = 5;
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
  }
  if (strcmp(argv[1], "race") == 0) {
    for (int i = 1; i < 3; i++)
      pthread_create(&threads[i], NULL, write_plainly, NULL);
    for (int i = 1; i < 3; i++)
      pthread_join(threads[i], NULL);
  }
  return 0;
}
