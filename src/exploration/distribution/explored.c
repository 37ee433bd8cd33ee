/* Lists of what was explored, and nodes that are made of them. */
#include "exploration/distribution/explored.h"

#include <string.h>

static struct explored *list_at(const struct shared_tree *tree, uint32_t list) {
  return &tree->explored.data[list - 1];
}

bool unfi_explored_reserve(struct shared_tree *tree, uint32_t count) {
  unf_context *context = tree->u->context;
  if (tree->explored_unused == 0) {
    struct explored none = {.next = 0};
    if (!vector_reserve(context, &tree->explored, (uint64_t)tree->explored.count + 1)) return false;
    vector_push(&tree->explored, none);
    tree->explored_unused = tree->explored.count;
  }
  return vector_reserve(context, &list_at(tree, tree->explored_unused)->branches, count);
}

uint32_t unfi_explored_begin(struct shared_tree *tree, const struct done *branches,
                             uint32_t count) {
  if (count == 0) return 0;
  uint32_t list = tree->explored_unused;
  struct explored *l = list_at(tree, list);
  tree->explored_unused = l->next;
  memcpy(l->branches.data, branches, count * sizeof *branches);
  l->branches.count = count;
  l->users = 1;
  tree->held += count;
  return list;
}

void unfi_explored_end(struct shared_tree *tree, uint32_t list) {
  if (list == 0) return;
  struct explored *l = list_at(tree, list);
  if (--l->users > 0) return;
  tree->held -= l->branches.count;
  vector_free(tree->u->context, &l->branches);
  l->next = tree->explored_unused;
  tree->explored_unused = list;
}

void unfi_explored_keep(struct shared_tree *tree, uint32_t node, struct stretch part) {
  if (part.count == 0) return;
  shared_node_at(tree, node)->explored = part;
  list_at(tree, part.list)->users++;
  tree->listed += part.count;
  shared_note_most(tree);
}

void unfi_explored_drop(struct shared_tree *tree, uint32_t node) {
  struct stretch *part = &shared_node_at(tree, node)->explored;
  uint32_t list = part->list;
  tree->listed -= part->count;
  *part = (struct stretch){0, 0, 0};
  unfi_explored_end(tree, list);
}

uint32_t unfi_explored_roots(const struct done *branches, uint32_t count) {
  uint32_t roots = 0;
  for (uint32_t end = count; end > 0; end -= branches[end - 1].below + 1)
    roots++;
  return roots;
}

/* From the last back to the first. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, struct stretch part) {
  for (uint32_t end = part.first + part.count; end > part.first;) {
    struct done done = list_at(tree, part.list)->branches.data[end - 1];
    uint32_t child = unfi_shared_prepend(tree, node, done.step);
    end -= done.below + 1;
    if (done.below == 0) continue;
    shared_node_at(tree, child)->state = NODE_INNER;
    shared_node_at(tree, child)->free = false;
    unfi_explored_keep(tree, child, (struct stretch){part.list, end, done.below});
  }
}

bool unfi_explored_expand(struct shared_tree *tree, uint32_t node) {
  struct stretch part = shared_node_at(tree, node)->explored;
  const struct done *branches = list_at(tree, part.list)->branches.data + part.first;
  if (!unfi_shared_reserve(tree, unfi_explored_roots(branches, part.count))) return false;
  unfi_explored_append(tree, node, part);
  unfi_explored_drop(tree, node);
  return true;
}
