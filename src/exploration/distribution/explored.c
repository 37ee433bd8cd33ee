/* Lists of what was explored, and nodes that are made of them. */
#include "exploration/distribution/explored.h"

#include <string.h>

static struct explored *list_at(const struct shared_tree *tree, uint32_t node) {
  return &tree->explored.data[shared_node_at(tree, node)->explored - 1];
}

bool unfi_explored_reserve(struct shared_tree *tree, uint32_t count) {
  unf_context *context = tree->u->context;
  if (tree->explored_unused == 0) {
    struct explored none = {.next = 0};
    if (!vector_reserve(context, &tree->explored, (uint64_t)tree->explored.count + 1)) return false;
    vector_push(&tree->explored, none);
    tree->explored_unused = tree->explored.count;
  }
  return vector_reserve(context, &tree->explored.data[tree->explored_unused - 1].branches, count);
}

void unfi_explored_keep(struct shared_tree *tree, uint32_t node, const struct done *branches,
                        uint32_t count) {
  if (count == 0) return;
  struct shared_node *n = shared_node_at(tree, node);
  n->explored = tree->explored_unused;
  struct explored *list = list_at(tree, node);
  tree->explored_unused = list->next;
  list->node = node;
  memcpy(list->branches.data, branches, count * sizeof *branches);
  list->branches.count = count;
  tree->listed += count;
  shared_note_most(tree);
}

void unfi_explored_drop(struct shared_tree *tree, uint32_t node) {
  struct explored *list = list_at(tree, node);
  tree->listed -= list->branches.count;
  vector_free(tree->u->context, &list->branches);
  list->node = 0;
  list->next = tree->explored_unused;
  tree->explored_unused = shared_node_at(tree, node)->explored;
  shared_node_at(tree, node)->explored = 0;
}

bool unfi_explored_room(struct shared_tree *tree, uint32_t count) {
  return unfi_shared_reserve(tree, count) &&
         vector_reserve(tree->u->context, &tree->below, (uint64_t)count + 1);
}

/* From the last back to the first, each before those below it: so the list goes from what is above
 * to what is below. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, const struct done *branches,
                          uint32_t count) {
  uint32_t *below = tree->below.data;
  uint32_t above = node, depth = shared_node_at(tree, node)->depth;
  for (uint32_t i = count; i > 0; i--) {
    const struct done *done = &branches[i - 1];
    /* Up to a node that has not all of its branches yet. */
    while (above != node && below[shared_node_at(tree, above)->depth - depth] == 0)
      above = shared_node_at(tree, above)->parent;
    if (above != node) below[shared_node_at(tree, above)->depth - depth]--;
    above = unfi_shared_prepend(tree, above, done->step);
    below[shared_node_at(tree, above)->depth - depth] = done->below;
    if (done->below == 0) continue;
    shared_node_at(tree, above)->state = NODE_INNER;
    shared_node_at(tree, above)->free = false;
  }
}

bool unfi_explored_expand(struct shared_tree *tree, uint32_t node) {
  const struct explored *list = list_at(tree, node);
  if (!unfi_explored_room(tree, list->branches.count)) return false;
  unfi_explored_append(tree, node, list->branches.data, list->branches.count);
  unfi_explored_drop(tree, node);
  return true;
}
