/* Tails: steps are taken away from the front of each. What is next to a tail stays small, and is
 * used again for one of the same size: a ledger makes and drops them all the time. */
#include "exploration/distribution/tail.h"

#include <string.h>

/* Which list has unused tails of so many elements, which may become a few more. */
static uint32_t size_of(uint64_t *elements) {
  if (*elements < TAIL_SIZES_EACH) return (uint32_t)*elements;
  uint64_t room = TAIL_SIZES_EACH;
  uint32_t size = TAIL_SIZES_EACH;
  for (; room < *elements; room *= 2)
    size++;
  *elements = room;
  return size;
}

uint32_t unfi_tail_make(struct shared_tree *tree, const struct named_step *steps, uint32_t count) {
  uint64_t elements = 1 + (count * sizeof *steps + sizeof(struct tail) - 1) / sizeof(struct tail);
  uint32_t *unused = &tree->tails_unused[size_of(&elements)], number = *unused;
  if (number == 0) {
    if (!vector_reserve(tree->u->context, &tree->tails, tree->tails.count + elements)) return 0;
    number = tree->tails.count + 1;
    tree->tails.count += (uint32_t)elements;
  } else {
    *unused = tail_at(tree, number)->next;
  }
  struct tail *tail = tail_at(tree, number);
  *tail = (struct tail){.count = count, .elements = (uint32_t)elements};
  memcpy(tail + 1, steps, count * sizeof *steps);
  return number;
}

void unfi_tail_drop(struct shared_tree *tree, uint32_t number) {
  struct tail *tail = tail_at(tree, number);
  uint64_t elements = tail->elements;
  uint32_t *unused = &tree->tails_unused[size_of(&elements)];
  tail->next = *unused;
  *unused = number;
}

void unfi_tail_hang(struct shared_tree *tree, uint32_t node, uint32_t number, uint32_t first) {
  struct tail *tail = tail_at(tree, number);
  uint32_t left = tail->count - first;
  tail_keep(tail, left);
  shared_node_at(tree, node)->free = left == 0;
  if (left == 0) {
    unfi_tail_drop(tree, number);
    return;
  }
  shared_node_at(tree, node)->tail = number;
  tree->in_tails += left;
  shared_note_most(tree);
}

/* Takes it from a node. */
static uint32_t take_off(struct shared_tree *tree, uint32_t node) {
  uint32_t number = shared_node_at(tree, node)->tail, count;
  tail_steps(tail_at(tree, number), &count);
  shared_node_at(tree, node)->tail = 0;
  tree->in_tails -= count;
  return number;
}

void unfi_tail_cut(struct shared_tree *tree, uint32_t node) {
  unfi_tail_drop(tree, take_off(tree, node));
}

uint32_t unfi_tail_unfold(struct shared_tree *tree, uint32_t node, uint32_t count) {
  uint32_t number = take_off(tree, node), left;
  const struct named_step *steps = tail_steps(tail_at(tree, number), &left);
  for (uint32_t i = 0; i < count; i++)
    node = unfi_shared_append(tree, node, steps[i], NODE_INNER, false);
  unfi_tail_hang(tree, node, number, count);
  return node;
}

/* ---- waiting ---- */

/* A node knows the last one, which knows the first. */
void unfi_tail_wait(struct shared_tree *tree, uint32_t node, uint32_t number) {
  struct shared_node *n = shared_node_at(tree, node);
  struct tail *tail = tail_at(tree, number), *last = n->late != 0 ? tail_at(tree, n->late) : tail;
  uint32_t count;
  tail->next = n->late != 0 ? last->next : number;
  last->next = number;
  n->late = number;
  tail_steps(tail, &count);
  tree->waiting += count;
}

uint32_t unfi_tail_awaken(struct shared_tree *tree, uint32_t node) {
  struct shared_node *n = shared_node_at(tree, node);
  if (n->late == 0) return 0;
  struct tail *last = tail_at(tree, n->late);
  uint32_t number = last->next, count;
  if (number == n->late)
    n->late = 0;
  else
    last->next = tail_at(tree, number)->next;
  tail_steps(tail_at(tree, number), &count);
  tree->waiting -= count;
  return number;
}

uint32_t unfi_tail_next(const struct shared_tree *tree, uint32_t node, uint32_t number) {
  uint32_t late = shared_node_at(tree, node)->late;
  if (late == 0 || number == late) return 0;
  return tail_at(tree, number != 0 ? number : late)->next;
}
