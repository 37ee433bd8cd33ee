/* The queue of Michael and Scott with numbers of nodes instead of pointers, and a count beside each
 * that tells old ones from new ones. PARAM1 threads put a number at the end, PARAM2 threads take
 * the first one, and PARAM3 do both. A thread is given up after TURNS iterations of a loop, and
 * when another takes what it was about to take. */
#include "kinds.h"

#include <stdbool.h>

enum { ALL = PARAM1 + PARAM2 + PARAM3, NODES = ALL + 2 };

#ifndef TURNS
#define TURNS ALL
#endif

/* A node in the lower half, 0 for none, and a count in the upper one. */
typedef uint64_t link;

static struct {
  int value;
  _Atomic link next;
} nodes[NODES];
static _Atomic link head = 1, tail = 1;

static unsigned node_of(link l) {
  return (unsigned)l;
}

/* What is to stand where `old` stood. */
static link to(unsigned node, link old) {
  return ((old >> 32) + 1) << 32 | node;
}

static bool replace(_Atomic link *at, link old, unsigned node) {
  return atomic_compare_exchange_strong(at, &old, to(node, old));
}

static void first(long thread) {
  const unsigned node = (unsigned)thread + 2;
  link last, after;
  nodes[node].value = 1;
  after = atomic_load(&nodes[node].next);
  atomic_store(&nodes[node].next, after >> 32 << 32);
  for (int turn = 0;; turn++) {
    unfold_assume(turn < TURNS);
    last = atomic_load(&tail);
    after = atomic_load(&nodes[node_of(last)].next);
    if (last != atomic_load(&tail)) continue;
    if (node_of(after) == 0 && replace(&nodes[node_of(last)].next, after, node)) break;
    replace(&tail, last, node_of(atomic_load(&nodes[node_of(last)].next)));
  }
  replace(&tail, last, node);
}

static void second(long thread) {
  for (int turn = 0;; turn++) {
    unfold_assume(turn < TURNS);
    link first_link = atomic_load(&head), last = atomic_load(&tail);
    link after = atomic_load(&nodes[node_of(first_link)].next);
    if (first_link != atomic_load(&head)) continue;
    if (node_of(first_link) != node_of(last)) {
      int value = nodes[node_of(after)].value;
      if (replace(&head, first_link, node_of(after))) {
        assert(value == 1);
        return;
      }
      unfold_assume(false);
    } else if (node_of(after) == 0) {
      return;
    } else {
      replace(&tail, last, node_of(after));
    }
  }
}

int main(void) {
  run();
  return 0;
}
