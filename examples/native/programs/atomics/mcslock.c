/* The lock of Mellor-Crummey and Scott: waiting threads are a list, and each waits at its own node.
 * PARAM1 threads, each of which takes it once. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unfold/await.h>

struct node {
  struct node *_Atomic next;
  _Atomic bool waits;
};

static struct node *_Atomic last;
static struct node nodes[PARAM1];
static int inside;

static void lock(struct node *mine) {
  struct node *before = atomic_exchange(&last, mine);
  if (before == NULL) return;
  atomic_store(&mine->waits, true);
  atomic_store(&before->next, mine);
  unfold_await_eq(&mine->waits, false);
}

static void unlock(struct node *mine) {
  struct node *after = atomic_load(&mine->next), *expected = mine;
  if (after == NULL) {
    if (atomic_compare_exchange_strong(&last, &expected, NULL)) return;
    after = unfold_await_ne(&mine->next, NULL);
  }
  atomic_store(&after->waits, false);
}

static void *take(void *number) {
  struct node *mine = &nodes[(intptr_t)number];
  lock(mine);
  assert(inside++ == 0);
  inside--;
  unlock(mine);
  return NULL;
}

int main(void) {
  pthread_t threads[PARAM1];
  for (long i = 0; i < PARAM1; i++)
    threads[i] = start(take, i);
  for (long i = 0; i < PARAM1; i++)
    join(threads[i]);
  return 0;
}
