/* The lock of Mellor-Crummey and Scott: waiting threads are a list, and each waits at its own node.
 * PARAM1 threads, each of which takes it once. A thread that leaves while another enters waits for
 * that one's node; with LOOKS it looks for it so many times, and is given up then. */
#include "locks.h"

struct node {
  struct node *_Atomic next;
  _Atomic int locked;
};

static struct node *_Atomic last;
static struct node nodes[PARAM1];

static void lock(long thread) {
  struct node *mine = &nodes[thread];
  atomic_store(&mine->locked, 0);
  atomic_store(&mine->next, NULL);
  struct node *before = atomic_exchange(&last, mine);
  if (before == NULL) return;
  atomic_store(&before->next, mine);
  unfold_await_eq(&mine->locked, 1);
}

static struct node *awaited(struct node *mine) {
#ifdef LOOKS
  struct node *after;
  for (int looks = 0; (after = atomic_load(&mine->next)) == NULL;)
    unfold_assume(++looks < LOOKS);
  return after;
#else
  return unfold_await_ne(&mine->next, NULL);
#endif
}

static void unlock(long thread) {
  struct node *mine = &nodes[thread], *expected = mine, *after = atomic_load(&mine->next);
  if (after == NULL) {
    if (atomic_compare_exchange_strong(&last, &expected, NULL)) return;
    after = awaited(mine);
  }
  atomic_store(&after->locked, 1);
}
