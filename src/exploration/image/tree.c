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

/* ---- writing ---- */

/* Nodes in the order of unfi_tree_walk(). A number says how far the event is from that of the node
 * before, and what follows: a node below, and one beside. Sequences were mostly interned in a row,
 * so that most nodes are one byte. */
enum { NODE_BELOW = 1, NODE_BESIDE = 2, NODE_BITS = 2 };

/* How far one event is from another, the sign in the lowest bit. */
static uint64_t distance_of(uint32_t event, uint32_t from) {
  return event >= from ? (uint64_t)(event - from) << 1 : (uint64_t)(from - event) << 1 | 1;
}

unf_status unfi_tree_write(const unf_wakeup_trees *trees, uint32_t depth, struct bytes_out *out) {
  unf_context *context = trees->u->context;
  const struct wakeup_node *nodes = trees->nodes.data;
  handle_vector beside = {0};
  uint32_t node = depth < trees->pending.count ? trees->pending.data[depth] : 0, last_event = 0;
  uint8_t *to = bytes_room(out, BYTES_LONGEST), *const last = bytes_last(out, BYTES_LONGEST);
  bool enough = true;
  if (node == 0) *to++ = 0;
  while (node != 0 && enough) {
    const struct wakeup_node n = nodes[node - 1];
    const unsigned more = (n.first != 0 ? NODE_BELOW : 0u) | (n.next != 0 ? NODE_BESIDE : 0u);
    if (to > last) {
      bytes_end(out, to);
      to = bytes_room(out, BYTES_LONGEST);
    }
    to = bytes_at(to, distance_of(n.event, last_event) << NODE_BITS | more);
    last_event = n.event;
    node = n.first != 0 ? n.first : n.next;
    if (more == (NODE_BELOW | NODE_BESIDE)) {
      __builtin_prefetch(
          &nodes[n.next - 1]); /* far away: it waits for all that is below this one */
      enough = vector_reserve(context, &beside, (uint64_t)beside.count + 1);
      if (enough) vector_push(&beside, n.next);
    } else if (node == 0 && beside.count > 0) {
      node = beside.data[--beside.count];
    }
  }
  bytes_end(out, to);
  vector_free(context, &beside);
  return enough ? out->status : unfi_refused(context);
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

/* What was written, as the visitor of a walk would be told it. */
struct numbers_in {
  unf_explorer *x;
  struct bytes_in *in;
  uint32_t last;      /* the event before */
  handle_vector more; /* of each list of nodes that is gone through whether it goes on */
  bool begun;
};

/* What a number says: an event, whether the list that it is in goes on, and a list below it. Room
 * was reserved. */
static uint32_t take_node(struct numbers_in *from, uint64_t number) {
  const uint64_t distance = number >> NODE_BITS, far = distance >> 1;
  const uint64_t event = distance & 1 ? from->last - far : from->last + far;
  if (event == 0 || event >= from->x->u->store.count) {
    unfi_bytes_malformed(from->in, "an event of a wakeup tree");
    return 0;
  }
  if (unfi_enabled_check(from->x, from->in, (uint32_t)event) != UNF_OK) return 0;
  from->more.data[from->more.count - 1] = (number & NODE_BESIDE) != 0;
  vector_push(&from->more, (number & NODE_BELOW) != 0);
  return from->last = (uint32_t)event;
}

static uint32_t read_one(void *user) {
  struct numbers_in *from = user;
  if (!vector_reserve(from->x->u->context, &from->more, (uint64_t)from->more.count + 2)) {
    unfi_bytes_note(from->in, unfi_refused(from->x->u->context));
    return 0;
  }
  if (from->begun && from->more.data[from->more.count - 1] == 0) {
    from->more.count--;
    return 0;
  }
  uint64_t number = unfi_bytes_get(from->in);
  if (from->in->status != UNF_OK || (!from->begun && number == 0)) return 0;
  if (!from->begun) vector_push(&from->more, 0);
  from->begun = true;
  return take_node(from, number);
}

unf_status unfi_tree_read(unf_explorer *x, struct bytes_in *in, unf_wakeup_trees *trees) {
  struct numbers_in from = {.x = x, .in = in};
  unf_status status = unfi_tree_read_by(x, in, trees, read_one, &from);
  vector_free(x->u->context, &from.more);
  return status;
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
