/* Programs that lose memory, or do not, one for each word. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  struct node *next;
  int value;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static char *kept;
static struct node *list;
static __thread char *own;
static char *tables[2];

static struct node *push(struct node *before) {
  struct node *n = malloc(sizeof *n);
  n->next = before;
  n->value = 1;
  return n;
}

static void *keep(void *x) {
  char *mine = malloc(5);
  pthread_mutex_lock(&mutex);
  kept = mine;
  pthread_mutex_unlock(&mutex);
  return x;
}

static void *give(void *x) {
  (void)x;
  return malloc(7);
}

static void *keep_own(void *x) {
  own = malloc(9);
  return x;
}

static void *ends_all(void *x) {
  char *mine = malloc(11);
  mine[0] = 1;
  if (x != NULL) exit(0);
  return x;
}

static void run(void *(*function)(void *), void *x, int join) {
  pthread_t t;
  pthread_create(&t, 0, function, x);
  if (join) pthread_join(t, 0);
}

static void late(void) {
  free(kept);
}

/* Both threads keep one, and the last is found again. */
static void lost_by_order(void) {
  pthread_t t;
  pthread_create(&t, 0, keep, 0);
  char *mine = malloc(10);
  pthread_mutex_lock(&mutex);
  kept = mine;
  pthread_mutex_unlock(&mutex);
  pthread_join(t, 0);
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "";
  const int x = __VERIFIER_nondet_int();
  char *p = malloc(10);
  if (strcmp(word, "local") == 0) {
    if (x != 77) free(p);
    return 0;
  }
  if (strcmp(word, "exit") == 0) exit(x == 3 && p == NULL); /* main's frame is there */
  free(p);
  if (strcmp(word, "order") == 0) lost_by_order();
  if (strcmp(word, "global") == 0) kept = (char *)malloc(10) + 3; /* into the middle */
  if (strcmp(word, "behind") == 0) kept = (char *)malloc(10) + 10;
  if (strcmp(word, "list") == 0 || strcmp(word, "cut") == 0) list = push(push(push(0)));
  if (strcmp(word, "cut") == 0) list->next = 0;
  if (strcmp(word, "ring") == 0) {
    struct node *n = push(push(0));
    n->next->next = n;
  }
  if (strcmp(word, "result") == 0) run(give, 0, 1);
  if (strcmp(word, "unjoined") == 0) {
    pthread_t t;
    pthread_create(&t, 0, give, 0);
    pthread_mutex_lock(&mutex);
  }
  if (strcmp(word, "thread") == 0) run(keep_own, 0, 1);
  if (strcmp(word, "inside") == 0) run(ends_all, &key, 1);
  if (strcmp(word, "atexit") == 0) {
    kept = malloc(3);
    atexit(late);
  }
  if (strcmp(word, "key") == 0) {
    pthread_key_create(&key, 0);
    pthread_setspecific(key, malloc(4));
  }
  if (strcmp(word, "own") == 0) own = malloc(6);
  if (strcmp(word, "stream") == 0) return fopen("nothing", "r") != NULL;
  if (strcmp(word, "copy") == 0) return strdup(word)[0] == 'x';
  if (strcmp(word, "moved") == 0) kept = realloc(malloc(4), 8);
  if (strcmp(word, "unknown") == 0) {
    tables[0] = malloc(1);
    tables[1] = malloc(1);
    kept = tables[x & 1];
    tables[0] = tables[1] = 0;
  }
  return 0;
}
