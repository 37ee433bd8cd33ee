/* A stack without locks: a list whose top is exchanged. PARAM1 threads push a node of their own and
 * PARAM2 threads pop one, or find the stack empty. Nodes are freed only at the end. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>

struct node {
  struct node *next;
  long value;
};

static struct node *_Atomic top;
static _Atomic long popped;

static void *push(void *value) {
  struct node *fresh = malloc(sizeof *fresh);
  fresh->value = (long)(intptr_t)value + 1;
  struct node *seen = atomic_load(&top);
  do
    fresh->next = seen;
  while (!atomic_compare_exchange_strong(&top, &seen, fresh));
  return fresh;
}

static void *pop(void *unused) {
  struct node *seen = atomic_load(&top);
  while (seen != NULL && !atomic_compare_exchange_strong(&top, &seen, seen->next))
    continue;
  if (seen != NULL) atomic_fetch_add(&popped, seen->value);
  return unused;
}

int main(void) {
  pthread_t threads[PARAM1 + PARAM2];
  void *nodes[PARAM1];
  long sum = 0;
  for (long i = 0; i < PARAM1 + PARAM2; i++)
    threads[i] = start(i < PARAM1 ? push : pop, i);
  for (long i = PARAM1; i < PARAM1 + PARAM2; i++)
    join(threads[i]);
  for (long i = 0; i < PARAM1; i++)
    pthread_join(threads[i], &nodes[i]);
  for (struct node *node = atomic_load(&top); node != NULL; node = node->next)
    sum += node->value;
  assert(sum + atomic_load(&popped) == PARAM1 * (PARAM1 + 1) / 2);
  for (long i = 0; i < PARAM1; i++)
    free(nodes[i]);
  return 0;
}
