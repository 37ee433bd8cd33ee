/* Lists of what was explored, and nodes that are made of them. */
#include "exploration/distribution/explored.h"

static struct explored *list_at(const struct shared_tree *tree, uint32_t list) {
  return &tree->explored.data[list - 1];
}

/* What is copied: the buffer of what was read stays. More is taken with its buffer. */
enum { COPIED = 1 << 12 };

bool unfi_explored_reserve(struct shared_tree *tree, const struct branches *branches) {
  unf_context *context = tree->u->context;
  if (tree->explored_unused == 0) {
    struct explored none = {.next = 0};
    if (!vector_reserve(context, &tree->explored, (uint64_t)tree->explored.count + 1)) return false;
    vector_push(&tree->explored, none);
    tree->explored_unused = tree->explored.count;
  }
  struct branches *to = &list_at(tree, tree->explored_unused)->branches;
  return branches_count(branches) > COPIED || unfi_branches_reserve(context, to, branches);
}

uint32_t unfi_explored_begin(struct shared_tree *tree, struct branches *branches) {
  const uint32_t count = branches_count(branches);
  if (count == 0) return 0;
  uint32_t list = tree->explored_unused;
  struct explored *l = list_at(tree, list);
  tree->explored_unused = l->next;
  if (count > COPIED) {
    unfi_branches_free(tree->u->context, &l->branches);
    l->branches = *branches;
    *branches = (struct branches){.words.count = 0};
  } else {
    unfi_branches_copy(&l->branches, branches);
  }
  l->users = 1;
  tree->held += count;
  return list;
}

void unfi_explored_end(struct shared_tree *tree, uint32_t list) {
  if (list == 0) return;
  struct explored *l = list_at(tree, list);
  if (--l->users > 0) return;
  tree->held -= branches_count(&l->branches);
  unfi_branches_free(tree->u->context, &l->branches);
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

uint32_t unfi_explored_roots(const struct branches *branches, uint32_t first, uint32_t count) {
  uint32_t roots = 0;
  for (uint32_t end = first + count; end > first; end -= branches_at(branches, end - 1).below + 1)
    roots++;
  return roots;
}

/* From the last back to the first. */
void unfi_explored_append(struct shared_tree *tree, uint32_t node, struct stretch part) {
  for (uint32_t end = part.first + part.count; end > part.first;) {
    struct explored_branch branch = explored_at(tree, (struct stretch){part.list, 0, end}, end - 1);
    uint32_t child = unfi_shared_prepend(tree, node, step_numbered(&tree->numbers, branch.number));
    end -= branch.below + 1;
    if (branch.below == 0) continue;
    shared_node_at(tree, child)->state = NODE_INNER;
    shared_node_at(tree, child)->free = false;
    unfi_explored_keep(tree, child, (struct stretch){part.list, end, branch.below});
  }
}

bool unfi_explored_expand(struct shared_tree *tree, uint32_t node) {
  struct stretch part = shared_node_at(tree, node)->explored;
  const struct branches *branches = &list_at(tree, part.list)->branches;
  const uint32_t roots = unfi_explored_roots(branches, part.first, part.count);
  if (!unfi_shared_reserve(tree, roots)) return false;
  unfi_explored_append(tree, node, part);
  unfi_explored_drop(tree, node);
  return true;
}
