/*
 * Exploration trees: executions merged by their common beginnings. A node is its parent and one
 * more event, named by its action, since handles of events may change. Children are in the order in
 * which they were first taken, which is the order of their numbers.
 */
#include <string.h>

#include "base/null.h"
#include "exploration/explorer.h"
#include "io/output.h"
#include "structure/action.h"
#include "structure/event.h"

enum leaf { LEAF_NONE, LEAF_REDUNDANT, LEAF_COMPLETE, LEAF_BLOCKED, LEAF_DEADLOCK, LEAF_ERROR };

struct tree_node {
  uint32_t action, parent; /* the action is interned */
  uint32_t child, sibling; /* first child, next sibling; 0: none */
  uint32_t leaf;           /* how an execution that ends here counts */
  uint32_t text;           /* where what was said of the event begins, plus 1; 0: nothing was */
};

struct unf_tree {
  unf_unfolding *u;
  VECTOR(struct tree_node) nodes; /* node 0 is the root, ⊥ */
  VECTOR(char) texts;             /* each ends with 0 */
};

unf_status unf_tree_new(unf_unfolding *u, unf_tree **out) {
  RETURN_IF_NULL(u->context, u, out);
  static const struct tree_node root = {0, NONE, 0, 0, LEAF_NONE, 0};
  unf_tree *tree = unfi_reallocate(u->context, NULL, 0, sizeof *tree);
  if (tree == NULL) return unfi_refused(u->context);
  memset(tree, 0, sizeof *tree);
  tree->u = u;
  if (!vector_reserve(u->context, &tree->nodes, 1)) {
    unf_status status = unfi_refused(u->context);
    unf_tree_free(tree);
    return status;
  }
  vector_push(&tree->nodes, root);
  *out = tree;
  return UNF_OK;
}

void unf_tree_free(unf_tree *tree) {
  if (tree == NULL) return;
  unf_context *context = tree->u->context;
  vector_free(context, &tree->nodes);
  vector_free(context, &tree->texts);
  unfi_reallocate(context, tree, sizeof *tree, 0);
}

/* The child of a node by an action, or 0. */
static uint32_t find_child(const unf_tree *tree, uint32_t parent, uint32_t action) {
  uint32_t child = tree->nodes.data[parent].child;
  while (child != 0 && tree->nodes.data[child].action != action)
    child = tree->nodes.data[child].sibling;
  return child;
}

/* Appends the next node, of which the text is there, as the last child of one; room was reserved.
 */
static uint32_t append(unf_tree *tree, uint32_t parent, uint32_t action) {
  const uint32_t made = tree->nodes.count++;
  uint32_t *link = &tree->nodes.data[parent].child;
  while (*link != 0)
    link = &tree->nodes.data[*link].sibling;
  *link = made;
  struct tree_node *node = &tree->nodes.data[made];
  *node = (struct tree_node){action, parent, 0, 0, LEAF_NONE, node->text};
  return made;
}

/* Asks what stands for an event, and keeps it. Returns false when refused. */
static bool tell(unf_tree *tree, const unf_names *names, uint32_t event, uint32_t *text) {
  size_t room = 0, length = 64;
  *text = 0;
  if (names == NULL || names->event == NULL) return true;
  while (length >= room) {
    room = length + 1;
    if (!vector_reserve(tree->u->context, &tree->texts, (uint64_t)tree->texts.count + room))
      return false;
    length = names->event(names->user, event, tree->texts.data + tree->texts.count, room);
  }
  if (length == 0) return true;
  *text = tree->texts.count + 1;
  tree->texts.count += (uint32_t)length;
  vector_push(&tree->texts, '\0');
  return true;
}

static enum leaf leaf_of(const unf_verdict *verdict) {
  if (verdict->redundant) return LEAF_REDUNDANT;
  if (verdict->error) return LEAF_ERROR;
  if (verdict->deadlock) return LEAF_DEADLOCK;
  return verdict->complete ? LEAF_COMPLETE : LEAF_BLOCKED;
}

unf_status unf_tree_add(unf_tree *tree, const unf_explorer *explorer, const unf_verdict *verdict) {
  return unf_tree_add_named(tree, explorer, verdict, NULL);
}

/* The texts first, since they can be refused. */
static unf_status add_path(unf_tree *tree, const unf_explorer *x, const unf_verdict *verdict,
                           const unf_names *names) {
  const uint32_t count = x->path.steps.count, texts = tree->texts.count;
  uint32_t node = 0, known = 0;
  for (; known < count; known++) {
    const uint32_t event = x->path.steps.data[known].event;
    const uint32_t child = find_child(tree, node, event_at(tree->u, event)->action);
    if (child == 0) break;
    node = child;
  }
  for (uint32_t i = known; i < count; i++) {
    struct tree_node *fresh = &tree->nodes.data[tree->nodes.count + (i - known)];
    if (tell(tree, names, x->path.steps.data[i].event, &fresh->text)) continue;
    tree->texts.count = texts;
    return unfi_refused(tree->u->context);
  }
  for (uint32_t i = known; i < count; i++)
    node = append(tree, node, event_at(tree->u, x->path.steps.data[i].event)->action);
  const uint32_t leaf = (uint32_t)leaf_of(verdict);
  if (leaf > tree->nodes.data[node].leaf) tree->nodes.data[node].leaf = leaf;
  return UNF_OK;
}

unf_status unf_tree_add_named(unf_tree *tree, const unf_explorer *explorer,
                              const unf_verdict *verdict, const unf_names *names) {
  RETURN_IF_NULL(tree->u->context, tree, explorer, verdict);
  unf_context *context = tree->u->context;
  if (!unfi_names_fit(context, names)) return UNF_INVALID;
  if (explorer->u != tree->u)
    return unfi_fail(context, UNF_INVALID, "an explorer of another unfolding");
  if (explorer->state != IDLE || explorer->branch != BRANCH_LEAF)
    return unfi_fail(context, UNF_STATE, "the last execution was not finished");
  if (!vector_reserve(context, &tree->nodes,
                      (uint64_t)tree->nodes.count + explorer->path.steps.count))
    return unfi_refused(context);
  return add_path(tree, explorer, verdict, names);
}

static void put_node(struct output *out, const unf_tree *tree, uint32_t index) {
  static const char *const leaves[] = {
      [LEAF_REDUNDANT] = "redundant\", style=dashed, color=gray40, fontcolor=gray40",
      [LEAF_COMPLETE] = "complete\", color=darkgreen",
      [LEAF_BLOCKED] = "blocked\", color=gray40",
      [LEAF_DEADLOCK] = "deadlock\", shape=octagon, color=red",
      [LEAF_ERROR] = "error\", shape=octagon, style=filled, fillcolor=red, fontcolor=white",
  };
  const struct tree_node *node = &tree->nodes.data[index];
  unfi_put(out, "  n");
  unfi_put_u64(out, index);
  if (node->leaf != LEAF_NONE) {
    unfi_put(out, " [shape=box, width=0.3, height=0.2, label=\"");
    unfi_put(out, leaves[node->leaf]);
    unfi_put(out, "]");
  }
  unfi_put(out, ";\n");
  if (index == 0) return;
  unf_action action = unfi_action(tree->u, node->action);
  unfi_put(out, "  n");
  unfi_put_u64(out, node->parent);
  unfi_put(out, " -> n");
  unfi_put_u64(out, index);
  unfi_put(out, " [label=\"");
  unfi_put_thread_label(out, action.thread);
  unfi_put(out, " ");
  if (node->text != 0)
    unfi_put_escaped(out, tree->texts.data + node->text - 1);
  else
    unfi_put_action_label(out, &action);
  unfi_put(out, "\"];\n");
}

unf_status unf_dot_tree(const unf_tree *tree, unf_write write, void *user) {
  return unf_dot_tree_named(tree, NULL, write, user);
}

unf_status unf_dot_tree_named(const unf_tree *tree, const unf_names *names, unf_write write,
                              void *user) {
  RETURN_IF_NULL(tree->u->context, tree, write);
  if (!unfi_names_fit(tree->u->context, names)) return UNF_INVALID;
  struct output out;
  unfi_output_begin(&out, tree->u, write, user);
  out.names = names;
  unfi_put(&out,
           "digraph exploration {\n  graph [fontname=\"sans-serif\", ranksep=0.3, ordering=out];\n"
           "  node [shape=point, fontname=\"sans-serif\", fontsize=10];\n"
           "  edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.6];\n");
  for (uint32_t i = 0; out.status == UNF_OK && i < tree->nodes.count; i++)
    put_node(&out, tree, i);
  unfi_put(&out, "}\n");
  return unfi_output_end(&out);
}
