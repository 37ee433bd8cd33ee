/* Tails: each has its own steps, which are taken away from the front. */
#include "exploration/distribution/tail.h"

#include <string.h>

uint32_t unfi_tail_make(struct shared_tree *tree, const struct named_step *steps, uint32_t count) {
  unf_context *context = tree->u->context;
  if (tree->tails_unused == 0) {
    struct tail none = {.next = 0};
    if (!vector_reserve(context, &tree->tails, (uint64_t)tree->tails.count + 1)) return 0;
    vector_push(&tree->tails, none);
    tree->tails_unused = tree->tails.count;
  }
  uint32_t number = tree->tails_unused;
  struct tail *tail = tail_at(tree, number);
  if (!vector_reserve(context, &tail->steps, count)) return 0;
  memcpy(tail->steps.data, steps, count * sizeof *steps);
  tail->steps.count = count;
  tail->first = 0;
  tree->tails_unused = tail->next;
  return number;
}

void unfi_tail_drop(struct shared_tree *tree, uint32_t number) {
  struct tail *tail = tail_at(tree, number);
  vector_free(tree->u->context, &tail->steps);
  tail->next = tree->tails_unused;
  tree->tails_unused = number;
}

void unfi_tail_hang(struct shared_tree *tree, uint32_t node, uint32_t number, uint32_t first) {
  struct tail *tail = tail_at(tree, number);
  tail->first += first;
  uint32_t left = tail->steps.count - tail->first;
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
