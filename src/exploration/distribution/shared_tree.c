/*
 * The shared tree: what is covered, what becomes an item, what can be freed. Only actions are
 * compared: at a node each event that can come next has another one.
 */
#include "exploration/distribution/shared_tree.h"

#include <string.h>

#include "exploration/distribution/tail.h"
#include "exploration/distribution/explored.h"
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
  tree->count++;
  shared_note_most(tree);
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
                                                     .state = (uint8_t)state,
                                                     .free = is_free};
  if (above != NULL && above->last != 0)
    shared_node_at(tree, above->last)->next = node;
  else if (above != NULL)
    above->first = node;
  if (above != NULL) above->last = node;
  if (state == NODE_OPEN || state == NODE_GIVEN) count_item(tree, node, state == NODE_OPEN, 1);
  return node;
}

uint32_t unfi_shared_prepend(struct shared_tree *tree, uint32_t parent, struct named_step step) {
  uint32_t node = take_node(tree);
  struct shared_node *above = shared_node_at(tree, parent);
  *shared_node_at(tree, node) = (struct shared_node){.step = step,
                                                     .depth = above->depth + 1,
                                                     .parent = parent,
                                                     .next = above->first,
                                                     .state = NODE_DONE,
                                                     .free = true};
  above->first = node;
  if (above->last == 0) above->last = node;
  return node;
}

bool unfi_shared_begin(struct shared_tree *tree) {
  if (!unfi_shared_reserve(tree, 1)) return false;
  unfi_shared_append(tree, 0, (struct named_step){0, 0}, NODE_OPEN, true);
  return true;
}

void unfi_shared_end(struct shared_tree *tree) {
  for (uint32_t i = 0; i < tree->explored.count; i++)
    unfi_branches_free(tree->u->context, &tree->explored.data[i].branches);
  vector_free(tree->u->context, &tree->explored);
  vector_free(tree->u->context, &tree->tails);
  vector_free(tree->u->context, &tree->rest);
  vector_free(tree->u->context, &tree->bytes);
  unfi_step_numbers_end(&tree->numbers);
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

bool unfi_shared_is_closed(const struct shared_tree *tree, uint32_t node) {
  while (!shared_node_at(tree, node)->free) {
    uint32_t parent = shared_node_at(tree, node)->parent, left = first_left(tree, parent);
    /* What is swept is done. */
    while (left != node && shared_node_at(tree, left)->unfinished == 0)
      left = shared_node_at(tree, left)->next;
    if (left != node) return false;
    node = parent;
  }
  return true;
}

bool unfi_shared_walk(const struct shared_tree *tree, uint32_t root, shared_visitor visit,
                      void *user) {
  for (uint32_t node = root;;) {
    uint32_t next = shared_node_at(tree, node)->first;
    /* Back up to a node with a sibling. */
    while (next == 0) {
      if (!visit(user, 0)) return false;
      if (node == root) return true;
      next = shared_node_at(tree, node)->next;
      if (next == 0) node = shared_node_at(tree, node)->parent;
    }
    node = next;
    shared_fetch_next(tree, shared_node_at(tree, node));
    if (!visit(user, node)) return false;
  }
}

/* The node after one in what is below `root`, which comes before what is below it, unless that is
 * left out; 0: there is none. */
static uint32_t next_below(const struct shared_tree *tree, uint32_t root, uint32_t node,
                           bool leave_out) {
  uint32_t next = leave_out ? 0 : shared_node_at(tree, node)->first;
  while (next == 0 && node != root) {
    next = shared_node_at(tree, node)->next;
    node = shared_node_at(tree, node)->parent;
  }
  return next;
}

/* Whether something in an item that somebody has was reported: what is below it is not as it was
 * when it was given. */
static bool was_reported(const struct shared_tree *tree, uint32_t node) {
  uint32_t at = node;
  while (at != 0 && shared_node_at(tree, at)->state != NODE_HELD)
    at = next_below(tree, node, at, false);
  return at != 0;
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
  uint32_t before = 0;
  while (before < count && sequence[before].action != action)
    before++;
  *position = before < count ? before : NONE;
  /* Mostly it depends on the last step, which is what was reversed. */
  while (before > 0)
    if (dependent(tree, action, sequence[--before].action)) return false;
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

/* Where a sequence leaves the tree. */
struct departure {
  uint32_t node;  /* the rest of it belongs below this one; 0: what begins so is covered */
  uint32_t along; /* that is below so many steps of its tail */
  bool in_item;   /* it is inserted into the tree of an item that nobody has */
};

/* A sequence that is taken apart as it goes down the tree. */
struct rest_of {
  struct named_step *steps;
  uint32_t count;
};

/* Takes the step at a position out. Mostly that is one of the first. */
static void take_out(struct rest_of *rest, uint32_t position) {
  memmove(rest->steps + 1, rest->steps, position * sizeof *rest->steps);
  rest->steps++;
  rest->count--;
}

/* Goes to the first of some siblings that is a weak initial. False: there is none, or that covers
 * the sequence. */
static bool go_to(const struct shared_tree *tree, struct departure *at_end, uint32_t child,
                  struct rest_of *rest, uint64_t *work) {
  uint32_t position;
  for (; child != 0; child = shared_node_at(tree, child)->next) {
    const struct shared_node *c = shared_node_at(tree, child);
    shared_fetch_next(tree, c);
    *work += 1 + rest->count;
    if (!weak_initial(tree, c->step.action, rest->steps, rest->count, &position)) continue;
    bool covered = position == NONE || rest->count == 1 || c->free;
    at_end->node = covered ? 0 : child;
    if (covered) return false;
    take_out(rest, position);
    return true;
  }
  return false;
}

/* Goes down the tail of a node. Its last step leads to a free node. */
static void go_along(const struct shared_tree *tree, struct departure *at_end, struct rest_of *rest,
                     uint64_t *work) {
  uint32_t position;
  struct tail_in in = tail_open(tree, shared_node_at(tree, at_end->node)->tail);
  while (in.left > 0) {
    struct named_step step = tail_step(tree, &in);
    *work += 1 + rest->count;
    if (!weak_initial(tree, step.action, rest->steps, rest->count, &position)) return;
    bool covered = position == NONE || rest->count == 1 || in.left == 0;
    if (covered) {
      at_end->node = 0;
      return;
    }
    take_out(rest, position);
    at_end->along++;
  }
}

/* Whether a sequence waits at a node: for the end of an item, or for whoever is given one. */
static bool waits_at(const struct shared_tree *tree, struct departure at_end) {
  uint8_t state = shared_node_at(tree, at_end.node)->state;
  return state == NODE_GIVEN || (state == NODE_OPEN && !at_end.in_item);
}

/* Goes down from a node as far as the tree has the sequence. Returns false when refused. */
static bool go_down(struct shared_tree *tree, struct departure *at_end, struct rest_of *rest,
                    uint64_t *work) {
  bool on = true;
  while (on) {
    const struct shared_node *n = shared_node_at(tree, at_end->node);
    if (waits_at(tree, *at_end)) return true;
    if (n->explored.count != 0) {
      if (!unfi_explored_expand(tree, at_end->node)) return false;
      n = shared_node_at(tree, at_end->node);
    }
    if (n->tail != 0) go_along(tree, at_end, rest, work);
    on = n->tail == 0 && go_to(tree, at_end, n->first, rest, work);
  }
  return true;
}

/* Appends what is left of a sequence: as an item, or in one. There is room for nodes; returns false
 * when there is none for a tail. */
static bool append_rest(struct shared_tree *tree, struct departure at_end, struct rest_of rest) {
  uint32_t node = at_end.node, tail = 0;
  if (rest.count > 1) {
    tail = unfi_tail_make(tree, rest.steps + 1, rest.count - 1);
    if (tail == 0) return false;
  }
  if (shared_node_at(tree, node)->tail != 0) {
    uint32_t next = unfi_tail_unfold(tree, node, at_end.along + 1);
    node = shared_node_at(tree, next)->parent;
  }
  enum node_state state = at_end.in_item ? NODE_INNER : NODE_OPEN;
  node = unfi_shared_append(tree, node, rest.steps[0], state, tail == 0);
  if (tail != 0) unfi_tail_hang(tree, node, tail);
  return true;
}

unf_status unfi_shared_insert(struct shared_tree *tree, uint32_t node, uint32_t from,
                              struct named_step *sequence, uint32_t count, bool *inserted) {
  struct departure at_end = {node, 0, false};
  uint64_t work = 0;
  bool begun;
  *inserted = false;
  unf_status status = was_begun(tree, node, from, sequence, count, &begun);
  if (status != UNF_OK || begun) return status;
  struct rest_of rest = {sequence, count};
  if (go_to(tree, &at_end, shared_node_at(tree, from)->next, &rest, &work) &&
      !go_down(tree, &at_end, &rest, &work))
    return unfi_refused(tree->u->context);
  status = unfi_work(tree->u->context, work);
  if (status != UNF_OK || at_end.node == 0) return status;
  /* One node for the sequence, and those of the tail that it leaves. */
  bool waits = waits_at(tree, at_end);
  bool good = waits
                  ? unfi_tail_wait(tree, at_end.node, rest.steps, rest.count)
                  : unfi_shared_reserve(tree, at_end.along + 2u) && append_rest(tree, at_end, rest);
  if (!good) return unfi_refused(tree->u->context);
  *inserted = !waits;
  return UNF_OK;
}

/* ---- what waits ---- */

/* For one of several steps: as many of a tail as it has, the next one of that, and one for the
 * sequence; for one of one step the last two. */
uint64_t unfi_shared_late_room(const struct shared_tree *tree, uint32_t node) {
  uint64_t room = 0;
  struct tail_at at = {0, 0};
  struct tail_in in;
  while (unfi_tail_next(tree, node, &at, &in))
    room += in.left + 1ull;
  return room;
}

bool unfi_shared_reserve_late(struct shared_tree *tree, uint32_t node, uint64_t more) {
  return unfi_shared_reserve(tree, unfi_shared_late_room(tree, node) + more) &&
         unfi_tail_reserve(tree, node);
}

uint64_t unfi_shared_listed(const struct shared_tree *tree, uint32_t node) {
  uint64_t listed = 0;
  for (uint32_t at = node; at != 0; at = next_below(tree, node, at, false))
    listed += shared_node_at(tree, at)->explored.count;
  return listed;
}

/* Some may have to wait again, further down, where the item goes on. */
uint64_t unfi_shared_insert_late(struct shared_tree *tree, uint32_t node) {
  uint64_t inserted = 0, work = 0;
  uint32_t count;
  while ((count = unfi_tail_awaken(tree, node)) != 0) {
    struct departure at_end = {node, 0, shared_node_at(tree, node)->state == NODE_OPEN};
    struct rest_of rest = {tree->rest.data, count};
    go_down(tree, &at_end, &rest, &work);
    if (at_end.node == 0) continue;
    if (waits_at(tree, at_end))
      unfi_tail_wait(tree, at_end.node, rest.steps, rest.count);
    else
      inserted += append_rest(tree, at_end, rest);
  }
  return inserted;
}

/* ---- freeing ---- */

void unfi_shared_clear(struct shared_tree *tree, uint32_t node) {
  struct shared_node *n = shared_node_at(tree, node);
  uint32_t at = n->first;
  if (n->explored.count != 0) unfi_explored_drop(tree, node);
  if (n->tail != 0) unfi_tail_cut(tree, node);
  n->first = n->last = n->swept = 0;
  while (at != 0) {
    struct shared_node *freed = shared_node_at(tree, at);
    uint32_t next = freed->first != 0 ? freed->first : freed->next;
    if (next != 0) __builtin_prefetch(shared_node_at(tree, next));
    if (freed->first != 0) shared_node_at(tree, freed->last)->next = freed->next;
    if (freed->explored.count != 0) unfi_explored_drop(tree, at);
    if (freed->tail != 0) unfi_tail_cut(tree, at);
    freed->next = tree->unused;
    tree->unused = at;
    tree->count--;
    at = next;
  }
}

static void free_below(struct shared_tree *tree, uint32_t node) {
  unfi_shared_clear(tree, node);
  shared_node_at(tree, node)->state = NODE_DONE;
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
    if (shared_node_at(tree, child)->state != NODE_INNER) return; /* an item */
    node = child;
  }
}

void unfi_shared_open_again(struct shared_tree *tree, uint32_t node) {
  uint32_t at = next_below(tree, node, node, false);
  if (!was_reported(tree, node)) {
    unfi_shared_set_state(tree, node, NODE_OPEN);
    return;
  }
  unfi_shared_set_state(tree, node, NODE_INNER);
  while (at != 0) {
    bool held = shared_node_at(tree, at)->state == NODE_HELD;
    if (held) unfi_shared_set_state(tree, at, NODE_OPEN);
    at = next_below(tree, node, at, held);
  }
}

void unfi_shared_settle(struct shared_tree *tree, uint32_t node) {
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
