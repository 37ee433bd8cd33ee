/* Wakeup trees: a walk downwards and from the left, without recursion, since ways can be long. */
#include "exploration/image/tree.h"

#include "exploration/explorer.h"
#include "exploration/image/sequence.h"
#include "extension/adds.h"
#include "wakeup/tree.h"

unf_status unfi_tree_walk(const unf_wakeup_trees *trees, uint32_t depth, tree_visitor visit,
                          void *user) {
  unf_context *context = trees->u->context;
  handle_vector above = {0};
  uint32_t node = depth < trees->pending.count ? trees->pending.data[depth] : 0;
  bool enough = true, more = true;
  while (enough && more) {
    if (node != 0) {
      const struct wakeup_node *n = &trees->nodes.data[node - 1];
      enough = vector_reserve(context, &above, (uint64_t)above.count + 1);
      if (!enough) break;
      more = visit(user, n->event);
      vector_push(&above, node);
      node = n->first;
    } else {
      more = visit(user, 0) && above.count > 0;
      if (more) node = trees->nodes.data[above.data[--above.count] - 1].next;
    }
  }
  vector_free(context, &above);
  return enough ? UNF_OK : unfi_refused(context);
}

/* ---- reading ---- */

/* A tree that is being read: the path goes down it, and at each level the last node stands in
 * `last`, 0 where there is none yet. */
struct tree_in {
  unf_explorer *x;
  struct bytes_in *in;
  unf_wakeup_trees *trees;
  uint32_t depth; /* of the node of the path that it belongs to */
  handle_vector last;
};

/* Appends a node as the last one of the level, and goes to it. */
static unf_status enter(struct tree_in *t, uint32_t event) {
  unf_wakeup_trees *trees = t->trees;
  unf_context *context = trees->u->context;
  uint32_t level = t->last.count - 1, before = t->last.data[level];
  struct wakeup_node node = {event, 0, 0};
  if (t->in->status == UNF_OK &&
      (!vector_reserve(context, &trees->nodes, (uint64_t)trees->nodes.count + 1) ||
       !vector_reserve(context, &t->last, (uint64_t)t->last.count + 1)))
    unfi_bytes_note(t->in, unfi_refused(context));
  if (unfi_image_push(t->x, t->in, event) != UNF_OK) return t->in->status;
  uint32_t index = trees->free;
  if (index != 0) {
    trees->free = trees->nodes.data[index - 1].next;
    trees->nodes.data[index - 1] = node;
  } else {
    vector_push(&trees->nodes, node);
    index = trees->nodes.count;
  }
  if (before != 0)
    trees->nodes.data[before - 1].next = index;
  else if (level > 0)
    trees->nodes.data[t->last.data[level - 1] - 1].first = index;
  else
    trees->pending.data[t->depth] = index;
  t->last.data[level] = index;
  vector_push(&t->last, 0);
  trees->size++;
  return UNF_OK;
}

unf_status unfi_tree_read_by(unf_explorer *x, struct bytes_in *in, unf_wakeup_trees *trees,
                             tree_reader next, void *user) {
  unf_context *context = trees->u->context;
  struct tree_in t = {.x = x, .in = in, .trees = trees, .depth = x->path.steps.count};
  if (!unfi_wakeup_reach(trees, t.depth) || !vector_reserve(context, &t.last, 1))
    unfi_bytes_note(in, unfi_refused(context));
  if (in->status == UNF_OK) vector_push(&t.last, 0);
  while (in->status == UNF_OK && t.last.count > 0) {
    uint32_t event = next(user);
    if (in->status == UNF_OK && event != 0) {
      enter(&t, event);
    } else if (in->status == UNF_OK) {
      t.last.count--;
      if (t.last.count > 0) unfi_path_pop(x);
    }
  }
  while (x->path.steps.count > t.depth)
    unfi_path_pop(x);
  vector_free(context, &t.last);
  return in->status;
}
