/* Errors that a program's own sanitizer finds, in one order of its two threads: the word says which.
 * With none of these words there is no error. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int length = 4, sum;
static const char *word = "";

static int is(const char *name) {
  return strcmp(word, name) == 0;
}

static void *other(void *nothing) {
  pthread_mutex_lock(&mutex);
  if (is("freed")) free(block);
  if (is("beyond")) length = 5;
  if (is("overflow")) sum = INT_MAX;
  pthread_mutex_unlock(&mutex);
  return nothing;
}

int main(int count, char **words) {
  pthread_t thread;
  word = count > 1 ? words[1] : "";
  block = calloc(4, sizeof *block);
  if (block == NULL || pthread_create(&thread, NULL, other, NULL) != 0) return 1;
  pthread_mutex_lock(&mutex);
  block[length - 1] = 1;
  sum++;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  if (!is("freed")) free(block);
  return 0;
}
