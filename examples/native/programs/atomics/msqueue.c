/* The queue of Michael and Scott: a list with a node in front of the first, and an end that may be
 * one behind. PARAM1 threads put a number at the end and PARAM2 threads take the first one. Nodes
 * are not freed. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>

struct node {
  struct node *_Atomic next;
  long value;
};

static struct node nodes[PARAM1 + 1];
static struct node *_Atomic head = nodes, *_Atomic tail = nodes;

static void *put_last(void *number) {
  struct node *fresh = &nodes[(intptr_t)number + 1];
  fresh->value = (long)(intptr_t)number + 1;
  for (;;) {
    struct node *last = atomic_load(&tail), *after = atomic_load(&last->next);
    if (last != atomic_load(&tail)) continue;
    if (after != NULL) {
      atomic_compare_exchange_strong(&tail, &last, after);
    } else if (atomic_compare_exchange_strong(&last->next, &after, fresh)) {
      atomic_compare_exchange_strong(&tail, &last, fresh);
      return NULL;
    }
  }
}

static void *take_first(void *unused) {
  for (;;) {
    struct node *first = atomic_load(&head), *last = atomic_load(&tail),
                *after = atomic_load(&first->next);
    if (first != atomic_load(&head)) continue;
    if (first != last) {
      long value = after->value;
      if (atomic_compare_exchange_strong(&head, &first, after)) return (void *)(intptr_t)value;
    } else if (after == NULL) {
      return NULL;
    } else {
      atomic_compare_exchange_strong(&tail, &last, after);
    }
  }
}

int main(void) {
  pthread_t threads[PARAM1 + PARAM2];
  long taken = 0, left = 0;
  for (long i = 0; i < PARAM1 + PARAM2; i++)
    threads[i] = start(i < PARAM1 ? put_last : take_first, i);
  for (long i = 0; i < PARAM1 + PARAM2; i++) {
    void *value;
    pthread_join(threads[i], &value);
    taken += (long)(intptr_t)value;
  }
  for (const struct node *node = atomic_load(&head); (node = atomic_load(&node->next)) != NULL;)
    left += node->value;
  assert(taken + left == PARAM1 * (PARAM1 + 1) / 2);
  return 0;
}
