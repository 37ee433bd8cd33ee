/*
 * A tree of merges, as sort programs with threads have it, reduced to what matters: a node merges
 * two runs of lines into a run that the node above reads. Whoever is free takes the next node that
 * has something to merge from a queue, merges one line under the node's lock, and puts it back.
 * Where the run of the node above ends is written under the lock of the node below alone in the
 * wrong version (a second word is given): whoever merges the node above reads it under another
 * lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

enum { LINES = 3, NODES = 2, WORKERS = 2 };

struct node {
  pthread_mutex_t lock;
  const unsigned char *from[2], *end[2]; /* the two runs; how far they have come */
  int left[2];                           /* lines of each that are still to be merged */
  unsigned char *to;
  struct node *above; /* which reads what is merged here as its first run; NULL: nobody does */
  bool queued;
};

static unsigned char lines[LINES] = {0, 'm', 'k'}, merged[LINES], sorted[LINES];
static struct node below = {PTHREAD_MUTEX_INITIALIZER}, top = {PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t inserted = PTHREAD_COND_INITIALIZER;
static struct node *queue[NODES];
static int queued;
static bool over, wrong;

static void insert(struct node *n) {
  pthread_mutex_lock(&queue_lock);
  queue[queued++] = n;
  n->queued = true;
  pthread_cond_signal(&inserted);
  pthread_mutex_unlock(&queue_lock);
}

/* The next node, locked; NULL: all is merged. */
static struct node *pop(void) {
  pthread_mutex_lock(&queue_lock);
  while (queued == 0 && !over)
    pthread_cond_wait(&inserted, &queue_lock);
  struct node *n = over ? NULL : queue[--queued];
  pthread_mutex_unlock(&queue_lock);
  if (n == NULL) return NULL;
  pthread_mutex_lock(&n->lock);
  n->queued = false;
  return n;
}

/* A line can be merged if both runs have one, or the other one is at its end. */
static bool has_work(const struct node *n) {
  const bool first = n->from[0] != n->end[0], second = n->from[1] != n->end[1];
  return first ? second || n->left[1] == 0 : second && n->left[0] == 0;
}

static void merge_line(struct node *n) {
  const bool first = n->from[0] != n->end[0], second = n->from[1] != n->end[1];
  const int run = first && (!second || *n->from[0] <= *n->from[1]) ? 0 : 1;
  *n->to++ = *n->from[run]++;
  n->left[run]--;
  if (n->above == NULL) return;
  if (!wrong) pthread_mutex_lock(&n->above->lock);
  n->above->end[0] = n->to;
  if (!wrong) pthread_mutex_unlock(&n->above->lock);
}

static void insert_above(struct node *n) {
  if (n->above == NULL) return;
  pthread_mutex_lock(&n->above->lock);
  if (!n->above->queued && has_work(n->above)) insert(n->above);
  pthread_mutex_unlock(&n->above->lock);
}

static void *work(void *unused) {
  for (struct node *n = pop(); n != NULL; n = pop()) {
    merge_line(n);
    if (has_work(n)) insert(n);
    insert_above(n);
    if (n == &top && n->left[0] + n->left[1] == 0) {
      pthread_mutex_lock(&queue_lock);
      over = true;
      pthread_cond_broadcast(&inserted);
      pthread_mutex_unlock(&queue_lock);
    }
    pthread_mutex_unlock(&n->lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  wrong = argc > 2;
  lines[0] = __VERIFIER_nondet_uchar();
  for (int i = 0; i < 2; i++) {
    below.from[i] = lines + i;
    below.end[i] = lines + i + 1;
    below.left[i] = 1;
  }
  below.to = merged;
  below.above = &top;
  top.from[0] = top.end[0] = merged;
  top.left[0] = 2;
  top.from[1] = lines + 2;
  top.end[1] = lines + 3;
  top.left[1] = 1;
  top.to = sorted;
  insert(&below);
  pthread_t workers[WORKERS];
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&workers[i], NULL, work, NULL);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(workers[i], NULL);
  for (int i = 0; i + 1 < LINES; i++)
    assert(sorted[i] <= sorted[i + 1]);
}
