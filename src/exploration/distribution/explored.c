/* Lists of what was explored, and nodes that are made of them. */
#include "exploration/distribution/explored.h"

static struct explored *list_at(const struct shared_tree *tree, uint32_t list) {
  return &tree->explored.data[list - 1];
}

/* Numbers the steps of branches; sets *wide unless all fit into half a word. Returns false when
 * refused. */
static bool number_steps(struct shared_tree *tree, const struct done *branches, uint32_t count,
                         bool *wide) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = step_number(&tree->numbers, branches[i].step);
    if (number == 0) return false;
    most |= number | branches[i].below;
  }
  *wide = most >> EXPLORED_HALF != 0;
  return true;
}

bool unfi_explored_reserve(struct shared_tree *tree, const struct done *branches, uint32_t count) {
  unf_context *context = tree->u->context;
  bool wide;
  if (!number_steps(tree, branches, count, &wide)) return false;
  if (tree->explored_unused == 0) {
    struct explored none = {.next = 0};
    if (!vector_reserve(context, &tree->explored, (uint64_t)tree->explored.count + 1)) return false;
    vector_push(&tree->explored, none);
    tree->explored_unused = tree->explored.count;
  }
  struct explored *l = list_at(tree, tree->explored_unused);
  l->wide = wide;
  return vector_reserve(context, &l->words, (1ull + wide) * count);
}

uint32_t unfi_explored_begin(struct shared_tree *tree, const struct done *branches,
                             uint32_t count) {
  if (count == 0) return 0;
  uint32_t list = tree->explored_unused;
  struct explored *l = list_at(tree, list);
  tree->explored_unused = l->next;
  l->words.count = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t number = step_number_find(&tree->numbers, branches[i].step);
    vector_push(&l->words, l->wide ? number : number << EXPLORED_HALF | branches[i].below);
    if (l->wide) vector_push(&l->words, branches[i].below);
  }
  l->users = 1;
  tree->held += l->words.count;
  return list;
}

void unfi_explored_end(struct shared_tree *tree, uint32_t list) {
  if (list == 0) return;
  struct explored *l = list_at(tree, list);
  if (--l->users > 0) return;
  tree->held -= l->words.count;
  vector_free(tree->u->context, &l->words);
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
    struct done done = explored_at(tree, (struct stretch){part.list, 0, end}, end - 1);
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
  uint32_t roots = 0;
  for (uint32_t end = part.count; end > 0; end -= explored_at(tree, part, end - 1).below + 1)
    roots++;
  if (!unfi_shared_reserve(tree, roots)) return false;
  unfi_explored_append(tree, node, part);
  unfi_explored_drop(tree, node);
  return true;
}
