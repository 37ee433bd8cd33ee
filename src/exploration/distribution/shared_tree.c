/*
 * The shared tree: what is covered, what becomes an item, what can be freed. Only actions are
 * compared: at a node each event that can come next has another one.
 */
#include "exploration/distribution/shared_tree.h"

#include <string.h>

#include "structure/action.h"

/* ---- nodes ---- */

bool unfi_shared_reserve(struct shared_tree *tree, uint64_t more) {
  return vector_reserve(tree->u->context, &tree->nodes, (uint64_t)tree->count + more);
}

/* A node that is not used yet. There is room. */
static uint32_t take_node(struct shared_tree *tree) {
  uint32_t node = tree->unused;
  if (node != 0)
    tree->unused = shared_node_at(tree, node)->next;
  else
    node = ++tree->nodes.count;
  if (++tree->count > tree->most) tree->most = tree->count;
  return node;
}

/* Counts an item in all nodes above it, and in itself. */
static void count_item(struct shared_tree *tree, uint32_t node, uint32_t open,
                       uint32_t unfinished) {
  for (; node != 0; node = shared_node_at(tree, node)->parent) {
    shared_node_at(tree, node)->open += open;
    shared_node_at(tree, node)->unfinished += unfinished;
  }
}

void unfi_shared_set_state(struct shared_tree *tree, uint32_t node, enum node_state state) {
  struct shared_node *n = shared_node_at(tree, node);
  uint32_t open = (state == NODE_OPEN) - (uint32_t)(n->state == NODE_OPEN);
  bool was = n->state == NODE_OPEN || n->state == NODE_GIVEN;
  uint32_t unfinished = (state == NODE_OPEN || state == NODE_GIVEN) - (uint32_t)was;
  n->state = (uint8_t)state;
  if (open != 0 || unfinished != 0) count_item(tree, node, open, unfinished);
}

uint32_t unfi_shared_append(struct shared_tree *tree, uint32_t parent, struct named_step step,
                            enum node_state state, bool is_free) {
  uint32_t node = take_node(tree);
  struct shared_node *above = parent != 0 ? shared_node_at(tree, parent) : NULL;
  *shared_node_at(tree, node) = (struct shared_node){.step = step,
                                                     .depth = above != NULL ? above->depth + 1 : 0,
                                                     .parent = parent,
                                                     .state = NODE_INNER,
                                                     .free = is_free};
  if (above != NULL && above->last != 0)
    shared_node_at(tree, above->last)->next = node;
  else if (above != NULL)
    above->first = node;
  if (above != NULL) above->last = node;
  unfi_shared_set_state(tree, node, state);
  return node;
}

bool unfi_shared_begin(struct shared_tree *tree) {
  if (!unfi_shared_reserve(tree, 1)) return false;
  unfi_shared_append(tree, 0, (struct named_step){0, 0}, NODE_OPEN, true);
  return true;
}

void unfi_shared_end(struct shared_tree *tree) {
  vector_free(tree->u->context, &tree->nodes);
  vector_free(tree->u->context, &tree->way);
  vector_free(tree->u->context, &tree->asleep);
}

/* The first child of a node that is not swept. */
static uint32_t first_left(const struct shared_tree *tree, uint32_t node) {
  const struct shared_node *n = shared_node_at(tree, node);
  return n->swept != 0 ? shared_node_at(tree, n->swept)->next : n->first;
}

uint32_t unfi_shared_leftmost(struct shared_tree *tree) {
  uint32_t node = 1;
  if (shared_node_at(tree, node)->open == 0) return 0;
  while (shared_node_at(tree, node)->state != NODE_OPEN) {
    node = first_left(tree, node);
    while (shared_node_at(tree, node)->open == 0)
      node = shared_node_at(tree, node)->next;
  }
  return node;
}

/* ---- sequences ---- */

static bool dependent(const struct shared_tree *tree, uint32_t a, uint32_t b) {
  const unf_unfolding *u = tree->u;
  return unfi_dependent(u, &u->actions.data[a], &u->actions.data[b]);
}

/* Whether an action that can come next is a weak initial of a sequence; *position: where it is, or
 * NONE. */
static bool weak_initial(const struct shared_tree *tree, uint32_t action,
                         const struct named_step *sequence, uint32_t count, uint32_t *position) {
  *position = NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (sequence[i].action == action) {
      *position = i;
      return true;
    }
    if (dependent(tree, action, sequence[i].action)) return false;
  }
  return true;
}

/* Lists those of the children of `above` left of `until` that sleep on the way from there, of which
 * the steps stand in `way` from a place on. */
static unf_status list_left(struct shared_tree *tree, uint32_t above, uint32_t until,
                            uint32_t from) {
  unf_context *context = tree->u->context;
  for (uint32_t child = shared_node_at(tree, above)->first; child != until;
       child = shared_node_at(tree, child)->next) {
    uint32_t action = shared_node_at(tree, child)->step.action, i = from;
    unf_status status = unfi_work(context, 1);
    if (status != UNF_OK) return status;
    while (i < tree->way.count && !dependent(tree, action, tree->way.data[i].action))
      i++;
    if (i < tree->way.count) continue;
    if (!vector_reserve(context, &tree->asleep, (uint64_t)tree->asleep.count + 1))
      return unfi_refused(context);
    vector_push(&tree->asleep, action);
  }
  return UNF_OK;
}

/* Lists what sleeps for the child `from` of a node: what is left of it, and what sleeps at the
 * node. Nothing above a free node sleeps there. */
static unf_status list_asleep(struct shared_tree *tree, uint32_t node, uint32_t from) {
  unf_context *context = tree->u->context;
  uint32_t at = shared_node_at(tree, node)->depth, until = from;
  if (!vector_reserve(context, &tree->way, at)) return unfi_refused(context);
  /* The steps down to the node, from the last place on, stand at the end of `way`. */
  tree->way.count = at;
  tree->asleep.count = 0;
  for (uint32_t above = node;; above = shared_node_at(tree, above)->parent) {
    unf_status status = list_left(tree, above, until, at);
    if (status != UNF_OK || shared_node_at(tree, above)->free) return status;
    tree->way.data[--at] = shared_node_at(tree, above)->step;
    until = above;
  }
}

unf_status unfi_shared_draw(struct shared_tree *tree, uint32_t node, uint32_t from,
                            struct named_step *step, bool *any) {
  unf_unfolding *u = tree->u;
  const unf_operation range = u->operations.data[step->operation];
  unf_action action = unfi_action(u, step->action);
  unf_status status = list_asleep(tree, node, from);
  *any = true;
  action.value = range.low;
  /* Mostly they sleep in their order. */
  for (bool again = true; status == UNF_OK && again;) {
    again = false;
    for (uint32_t i = 0; i < tree->asleep.count && *any; i++) {
      if (!is_action(u, tree->asleep.data[i], &action)) continue;
      *any = action.value != range.high;
      action.value += *any;
      again = true;
    }
    bool own = is_action(u, shared_node_at(tree, from)->step.action, &action);
    if (own && *any) {
      *any = action.value != range.high;
      action.value += *any;
      again = true;
    }
    again = again && *any;
    status = unfi_work(u->context, tree->asleep.count);
  }
  if (status == UNF_OK && *any) status = unfi_action_intern(u, &action, &step->action);
  return status;
}

/* Whether a sequence for the child `from` of a node begins as something that was explored, or is
 * being. */
static unf_status was_begun(struct shared_tree *tree, uint32_t node, uint32_t from,
                            const struct named_step *sequence, uint32_t count, bool *out) {
  uint32_t position;
  unf_status status = list_asleep(tree, node, from);
  *out = false;
  for (uint32_t i = 0; status == UNF_OK && !*out && i < tree->asleep.count; i++) {
    *out = weak_initial(tree, tree->asleep.data[i], sequence, count, &position);
    status = unfi_work(tree->u->context, 1 + count);
  }
  return status;
}

/* Goes down from a node as far as the tree has the sequence. *node: where the rest of it is to be
 * appended; 0: what begins so is covered. `after`: the last child there that does not count. */
static unf_status go_down(struct shared_tree *tree, uint32_t *node, uint32_t after,
                          struct named_step *sequence, uint32_t *count) {
  uint32_t child = shared_node_at(tree, after)->next, position;
  while (child != 0) {
    const struct shared_node *c = shared_node_at(tree, child);
    unf_status status = unfi_work(tree->u->context, 1 + *count);
    if (status != UNF_OK) return status;
    if (!weak_initial(tree, c->step.action, sequence, *count, &position)) {
      child = c->next;
      continue;
    }
    bool covered = position == NONE || *count == 1 || c->free;
    *node = covered ? 0 : child;
    if (covered) return UNF_OK;
    memmove(sequence + position, sequence + position + 1, (--*count - position) * sizeof *sequence);
    child = c->first;
  }
  return UNF_OK;
}

unf_status unfi_shared_insert(struct shared_tree *tree, uint32_t node, uint32_t from,
                              struct named_step *sequence, uint32_t count, bool *inserted) {
  bool begun;
  *inserted = false;
  unf_status status = was_begun(tree, node, from, sequence, count, &begun);
  if (status != UNF_OK || begun) return status;
  status = go_down(tree, &node, from, sequence, &count);
  if (status != UNF_OK || node == 0) return status;
  if (!unfi_shared_reserve(tree, count)) return unfi_refused(tree->u->context);
  for (uint32_t i = 0; i < count; i++) {
    bool last = i + 1 == count;
    node = unfi_shared_append(tree, node, sequence[i], last ? NODE_OPEN : NODE_INNER, last);
  }
  *inserted = true;
  return UNF_OK;
}

/* ---- freeing ---- */

static void free_below(struct shared_tree *tree, uint32_t node) {
  struct shared_node *n = shared_node_at(tree, node);
  uint32_t at = n->first;
  n->first = n->last = n->swept = 0;
  n->state = NODE_DONE;
  while (at != 0) {
    struct shared_node *freed = shared_node_at(tree, at);
    uint32_t next = freed->first != 0 ? freed->first : freed->next;
    if (freed->first != 0) shared_node_at(tree, freed->last)->next = freed->next;
    freed->next = tree->unused;
    tree->unused = at;
    tree->count--;
    at = next;
  }
}

/* Frees what is below the children of a free node that are done, as long as nothing left of them
 * can insert into it: from the left up to the first item that is not done, down to where that is.
 */
static void sweep(struct shared_tree *tree, uint32_t node) {
  for (;;) {
    uint32_t child = first_left(tree, node);
    for (; child != 0 && shared_node_at(tree, child)->unfinished == 0;
         child = shared_node_at(tree, child)->next) {
      free_below(tree, child);
      shared_node_at(tree, node)->swept = child;
    }
    if (child == 0 || shared_node_at(tree, child)->free) return;
    node = child;
  }
}

void unfi_shared_done(struct shared_tree *tree, uint32_t node) {
  unfi_shared_set_state(tree, node, NODE_DONE);
  /* All below a free node is closed: nothing is inserted there from outside. */
  uint32_t whole = 0, at = node;
  for (; at != 0 && shared_node_at(tree, at)->unfinished == 0;
       at = shared_node_at(tree, at)->parent)
    if (shared_node_at(tree, at)->free) whole = at;
  if (whole != 0) free_below(tree, whole);
  while (at != 0 && !shared_node_at(tree, at)->free)
    at = shared_node_at(tree, at)->parent;
  if (at != 0) sweep(tree, at);
}
