/*
 * Wakeup trees along an execution ("Source Sets", JACM 2017, section 6), over events. Each tree
 * keeps only what is still to be explored: a branch that is taken leaves the tree of its node, and
 * what is below it becomes the tree of the next node. All trees share one array of nodes.
 *
 * Invariant: of two siblings, the left one is no weak initial of a way through the right one.
 */
#include "wakeup/tree.h"

#include <string.h>

#include "base/null.h"
#include "base/text.h"
#include "structure/unfolding.h"
#include "wakeup/sleep.h"

unf_status unf_wakeup_new(unf_unfolding *u, unf_wakeup_trees **out) {
  RETURN_IF_NULL(u->context, u, out);
  unf_wakeup_trees *trees = unfi_reallocate(u->context, NULL, 0, sizeof *trees);
  if (trees == NULL) return unfi_refused(u->context);
  memset(trees, 0, sizeof *trees);
  trees->u = u;
  *out = trees;
  return UNF_OK;
}

void unfi_wakeup_empty(unf_wakeup_trees *trees) {
  unf_context *context = trees->u->context;
  vector_free(context, &trees->nodes);
  vector_free(context, &trees->pending);
  vector_free(context, &trees->sequence);
}

void unf_wakeup_free(unf_wakeup_trees *trees) {
  if (trees == NULL) return;
  unf_context *context = trees->u->context;
  unfi_wakeup_empty(trees);
  unfi_reallocate(context, trees, sizeof *trees, 0);
}

static struct wakeup_node *node_at(const unf_wakeup_trees *trees, uint32_t node) {
  return &trees->nodes.data[node - 1];
}

static uint32_t branch_at(const unf_wakeup_trees *trees, uint32_t depth) {
  return depth < trees->pending.count ? trees->pending.data[depth] : 0;
}

/* Where a sequence leaves what a tree has: it goes after `last` in a list of siblings; 0: as the
 * first child of `above`; both 0: as the first branch of a depth. */
struct fork {
  uint32_t above, last;
};

/* Appends a sequence, as a chain of new nodes, where it leaves the tree of a depth. */
static void append_chain(unf_wakeup_trees *trees, const uint32_t *sequence, uint32_t count,
                         struct fork fork, uint32_t depth) {
  uint32_t last = fork.last, above = fork.above;
  for (uint32_t i = 0; i < count; i++) {
    struct wakeup_node node = {sequence[i], 0, 0};
    uint32_t index = trees->free;
    if (index != 0) {
      trees->free = node_at(trees, index)->next;
      *node_at(trees, index) = node;
    } else {
      vector_push(&trees->nodes, node);
      index = trees->nodes.count;
    }
    if (last != 0)
      node_at(trees, last)->next = index;
    else if (above != 0)
      node_at(trees, above)->first = index;
    else
      trees->pending.data[depth] = index;
    last = 0;
    above = index;
  }
  trees->size += count;
}

/* Makes room for a chain of so many nodes in the tree of a depth. Returns false when refused. */
static bool reserve_chain(unf_wakeup_trees *trees, uint32_t depth, uint32_t count) {
  return unfi_wakeup_reach(trees, depth) &&
         vector_reserve(trees->u->context, &trees->nodes, (uint64_t)trees->nodes.count + count);
}

/* Goes down a tree as far as it has the rest, of which that much is performed. Unsets *apart if the
 * rest ends in the tree, or begins like what is there. */
static unf_status go_down(const unf_wakeup_trees *trees, struct rest *rest, struct fork *fork,
                          bool *apart) {
  uint32_t node = branch_at(trees, rest->position), each = 1 + rest->count - rest->position;
  *fork = (struct fork){0, 0};
  *apart = true;
  for (uint32_t i = 0; node != 0; i++) {
    const struct wakeup_node *n = node_at(trees, node);
    uint64_t steps = steps_from(i, rest->few != NULL ? 1 : each);
    unf_status status = steps > 0 ? unfi_work(trees->u->context, steps) : UNF_OK;
    if (status != UNF_OK) return status;
    enum weak weak = rest_initial(rest, n->event);
    if (weak == WEAK_NOT) {
      fork->last = node;
      node = n->next;
      continue;
    }
    *apart = weak == WEAK_INSIDE && n->first != 0;
    if (!*apart) return UNF_OK;
    rest_perform(rest, n->event);
    *fork = (struct fork){node, 0};
    node = n->first;
  }
  return UNF_OK;
}

unf_status unfi_wakeup_insert(unf_wakeup_trees *trees, struct rest *rest, bool *inserted) {
  uint32_t most = rest->count - rest->position + 1;
  struct fork fork;
  *inserted = false;
  unf_status status = go_down(trees, rest, &fork, inserted);
  if (status != UNF_OK || !*inserted) return status;
  if (reserve_chain(trees, rest->position, most) &&
      vector_reserve(trees->u->context, &trees->sequence, most)) {
    uint32_t count = unfi_rest_list(rest, trees->sequence.data);
    append_chain(trees, trees->sequence.data, count, fork, rest->position);
    return UNF_OK;
  }
  *inserted = false;
  return unfi_refused(trees->u->context);
}

/* Inserts a sequence, whose array is overwritten, for a caller who may have put anything into the
 * trees. Refused: they are as they were. */
static unf_status insert_sequence(unf_wakeup_trees *trees, uint32_t depth, uint32_t *sequence,
                                  uint32_t count, bool *inserted) {
  const unf_unfolding *u = trees->u;
  if (!reserve_chain(trees, depth, count)) return unfi_refused(u->context);
  *inserted = false;
  struct fork fork = {0, 0};
  uint32_t node = trees->pending.data[depth];
  while (node != 0) {
    uint32_t position;
    unf_status status = unfi_work(u->context, count);
    if (status != UNF_OK) return status;
    if (!unfi_weak_initial(u, node_at(trees, node)->event, sequence, count, &position)) {
      fork.last = node;
      node = node_at(trees, node)->next;
      continue;
    }
    if (position == NONE) return UNF_OK;
    memmove(sequence + position, sequence + position + 1, (--count - position) * sizeof *sequence);
    if (count == 0 || node_at(trees, node)->first == 0) return UNF_OK;
    fork = (struct fork){node, 0};
    node = node_at(trees, node)->first;
  }
  append_chain(trees, sequence, count, fork, depth);
  *inserted = true;
  return UNF_OK;
}

bool unfi_wakeup_reach(unf_wakeup_trees *trees, uint32_t depth) {
  if (!vector_reserve(trees->u->context, &trees->pending, (uint64_t)depth + 2)) return false;
  while (trees->pending.count < depth + 2)
    vector_push(&trees->pending, 0);
  return true;
}

uint32_t unfi_wakeup_take(unf_wakeup_trees *trees, uint32_t depth) {
  uint32_t node = branch_at(trees, depth);
  wakeup_leave(trees, depth);
  if (node == 0) return NONE;
  struct wakeup_node *taken = node_at(trees, node);
  trees->pending.data[depth] = taken->next;
  vector_push(&trees->pending, taken->first);
  uint32_t event = taken->event;
  *taken = (struct wakeup_node){0, 0, trees->free};
  trees->free = node;
  trees->size--;
  return event;
}

/* What is below a node goes before its next sibling. */
void unfi_wakeup_drop(unf_wakeup_trees *trees, uint32_t depth) {
  uint32_t node = branch_at(trees, depth);
  if (node != 0) trees->pending.data[depth] = 0;
  while (node != 0) {
    struct wakeup_node *dropped = node_at(trees, node);
    uint32_t next = dropped->first != 0 ? dropped->first : dropped->next;
    if (dropped->first != 0) {
      uint32_t last = dropped->first;
      while (node_at(trees, last)->next != 0)
        last = node_at(trees, last)->next;
      node_at(trees, last)->next = dropped->next;
    }
    *dropped = (struct wakeup_node){0, 0, trees->free};
    trees->free = node;
    trees->size--;
    node = next;
  }
}

/* A node of a tree has an event, one that is not used has none. */
void unfi_wakeup_tidy(unf_wakeup_trees *trees) {
  struct wakeup_node *nodes = trees->nodes.data;
  uint32_t used = 0, end = trees->nodes.count;
  if (end <= 2 * trees->size) return;
  for (; used < end; used++) {
    if (nodes[used].event != 0) continue;
    while (end > used && nodes[end - 1].event == 0)
      end--;
    if (end == used) break;
    nodes[used] = nodes[--end];
    nodes[end].first = used + 1; /* where it is now */
  }
#define MOVE(node)                                                                                 \
  if ((node) > used) (node) = nodes[(node)-1].first
  for (uint32_t i = 0; i < used; i++) {
    MOVE(nodes[i].first);
    MOVE(nodes[i].next);
  }
  for (uint32_t i = 0; i < trees->pending.count; i++)
    MOVE(trees->pending.data[i]);
#undef MOVE
  trees->nodes.count = used;
  trees->free = 0;
}

uint32_t unfi_wakeup_length(const unf_wakeup_trees *trees, uint32_t depth) {
  uint32_t length = 0;
  for (uint32_t node = branch_at(trees, depth); node != 0; node = node_at(trees, node)->first)
    length++;
  return length;
}

/* A tree is kept for each node of the execution, so a depth costs memory. */
static unf_status too_deep(const unf_unfolding *u, uint64_t depth) {
  char line[96];
  struct text text = unfi_text(line, sizeof line);
  unfi_text_add(&text, "depth ");
  unfi_text_u64(&text, depth);
  unfi_text_add(&text, " of a wakeup tree, in an unfolding of ");
  unfi_text_u64(&text, u->store.count - 1);
  unfi_text_add(&text, " events");
  return unfi_fail(u->context, UNF_INVALID, line);
}

unf_status unf_wakeup_insert(unf_wakeup_trees *trees, uint64_t depth, const unf_event *sequence,
                             uint64_t count, bool *inserted) {
  RETURN_IF_NULL(trees->u->context, trees);
  RETURN_IF_NULL_ARRAY(trees->u->context, sequence, count);
  unf_unfolding *u = trees->u;
  bool changed = false;
  if (depth >= u->store.count) return too_deep(u, depth);
  if (count == 0 || count >= NONE)
    return unfi_fail(u->context, UNF_INVALID, "sequence for a wakeup tree");
  for (uint64_t i = 0; i < count; i++) {
    unf_status status = unfi_check_step(u, sequence[i]);
    if (status != UNF_OK) return status;
  }
  if (!vector_reserve(u->context, &trees->sequence, count)) return unfi_refused(u->context);
  memcpy(trees->sequence.data, sequence, count * sizeof *sequence);
  unf_status status =
      insert_sequence(trees, (uint32_t)depth, trees->sequence.data, (uint32_t)count, &changed);
  if (status == UNF_OK && inserted != NULL) *inserted = changed;
  return status;
}

unf_status unf_wakeup_take(unf_wakeup_trees *trees, uint64_t depth, unf_event *out) {
  RETURN_IF_NULL(trees->u->context, trees, out);
  unf_context *context = trees->u->context;
  for (uint64_t i = depth + 1; i < trees->pending.count; i++)
    if (trees->pending.data[i] != 0)
      return unfi_fail(context, UNF_STATE, "a wakeup tree further down is not empty");
  if (depth >= trees->pending.count) {
    *out = UNF_EVENT_NONE;
    return UNF_OK;
  }
  if (!unfi_wakeup_reach(trees, (uint32_t)depth)) return unfi_refused(context);
  *out = unfi_wakeup_take(trees, (uint32_t)depth);
  return UNF_OK;
}

unf_status unf_wakeup_visit(const unf_wakeup_trees *trees, uint64_t depth, unf_wakeup_visitor visit,
                            void *user) {
  RETURN_IF_NULL(trees->u->context, trees, visit);
  unf_context *context = trees->u->context;
  handle_vector above = {0};
  uint32_t node = depth < trees->pending.count ? trees->pending.data[depth] : 0;
  bool enough = true;
  while (enough && node != 0 && visit(user, node_at(trees, node)->event, above.count)) {
    enough = vector_reserve(context, &above, (uint64_t)above.count + 1);
    if (!enough) break;
    vector_push(&above, node);
    node = node_at(trees, node)->first;
    while (node == 0 && above.count > 0)
      node = node_at(trees, above.data[--above.count])->next;
  }
  vector_free(context, &above);
  return enough ? UNF_OK : unfi_refused(context);
}

uint64_t unf_wakeup_size(const unf_wakeup_trees *trees) {
  return trees == NULL ? 0 : trees->size;
}
