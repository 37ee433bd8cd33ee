/*
 * Any order: Algorithms 9 to 11 of the extended CAV 2020 paper over strands (strand.h), with these
 * corrections. When the sweep comes to a node for the last time it asks for another branch with all
 * that is known by then; without that, traces are lost in every order. A leaf at which it comes may
 * be done already. When it comes to a node the second time with nothing learned since the first,
 * the answer is known.
 *
 * The path moves between nodes by going back to the common one and forward again, so D and the
 * parked candidates of the path serve every order. An error leaves all this as it is between two
 * steps, so that the call can be made again.
 *
 * Cost: at most two questions for each node, and O(steps of the path) for each move.
 */
#include "exploration/orders/tree_search.h"

#include "exploration/orders/leaves.h"
#include "exploration/orders/strand.h"
#include "extension/adds.h"

static struct strand *strand_at(const unf_explorer *x, uint32_t strand) {
  return &tree_of(x)->strands.data[strand];
}

bool unfi_tree_search_begin(unf_explorer *x, const unf_explorer_options *options) {
  struct tree_search *tree = tree_of(x);
  tree->seed = options->seed;
  tree->choose = options->choose;
  tree->choose_user = options->choose_user;
  tree->free = tree->chosen = tree->running = tree->descent = NONE;
  x->branch = BRANCH_LEAF;
  return unfi_strand_add(x, NONE, 0, NULL, 0);
}

void unfi_tree_search_end(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  unf_context *context = x->u->context;
  for (uint32_t i = 0; i < tree->strands.count; i++) {
    if (strand_at(x, i)->state != STRAND_FREE) unfi_saves_forget(x, &strand_at(x, i)->saves, 0);
    unfi_strand_empty(x, i);
  }
  vector_free(context, &tree->strands);
  vector_free(context, &tree->leaves);
  vector_free(context, &tree->waiting);
  vector_free(context, &tree->route);
}

void unfi_tree_search_restart(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  struct strand *root = strand_at(x, 0);
  root->state = STRAND_RUNS;
  root->run = x->counts.executions + 1;
  tree->running = tree->sweep = tree->here = 0;
}

uint32_t *unfi_tree_search_saves(unf_explorer *x, uint32_t depth) {
  uint32_t strand = tree_of(x)->running;
  while (strand_at(x, strand)->parent != NONE && depth <= strand_at(x, strand)->fork)
    strand = strand_at(x, strand)->parent;
  return &strand_at(x, strand)->saves;
}

const struct saved *unfi_tree_search_saved(const unf_explorer *x) {
  const struct tree_search *tree = tree_of(x);
  const struct saved *found = NULL;
  uint32_t limit = x->run.base;
  for (uint32_t i = tree->running; found == NULL && i != NONE; i = strand_at(x, i)->parent) {
    const struct strand *s = strand_at(x, i);
    found = unfi_saves_deepest(x, s->saves, limit);
    if (s->fork < limit) limit = s->fork;
  }
  return found;
}

void unfi_tree_search_visit(unf_explorer *x, handle_visitor visit, void *user) {
  struct tree_search *tree = tree_of(x);
  for (uint32_t i = 0; i < tree->strands.count; i++) {
    struct strand *s = strand_at(x, i);
    if (s->state == STRAND_FREE) continue;
    if (s->first != NONE) visit(user, &s->first);
    for (uint32_t j = 0; j < s->count; j++) {
      uint32_t event = s->events[j] & ~PREEMPTION_TAG, tag = s->events[j] & PREEMPTION_TAG;
      visit(user, &event);
      s->events[j] = event | tag;
    }
  }
}

/* ---- moving ---- */

/* The strands from the root to one, by level, into route; false: refused. */
static bool find_route(unf_explorer *x, uint32_t strand) {
  handle_vector *route = &tree_of(x)->route;
  route->count = strand_at(x, strand)->level + 1;
  if (!vector_reserve(x->u->context, route, route->count)) {
    route->count = 0;
    return false;
  }
  for (uint32_t s = strand; s != NONE; s = strand_at(x, s)->parent)
    route->data[strand_at(x, s)->level] = s;
  return true;
}

/* Where the route goes on from the strand of a level, or ends. */
static uint32_t route_end(unf_explorer *x, uint32_t level, uint32_t node) {
  const handle_vector *route = &tree_of(x)->route;
  return level + 1 < route->count ? strand_at(x, route->data[level + 1])->fork : node;
}

/* Goes back to where the path meets the route to a node. At the fork of a strand of the route, D is
 * that of its branch already, when a refusal left the path there. */
static void go_back(unf_explorer *x, uint32_t node) {
  struct tree_search *tree = tree_of(x);
  uint32_t here = tree->here, to = x->path.steps.count;
  for (;; here = strand_at(x, here)->parent) {
    const struct strand *s = strand_at(x, here);
    if (s->level < tree->route.count && tree->route.data[s->level] == here) break;
    if (s->fork < to) to = s->fork;
  }
  uint32_t end = route_end(x, strand_at(x, here)->level, node);
  if (end < to) to = end;
  tree->here = here;
  for (; x->path.steps.count > to; unfi_path_pop(x))
    unfi_wake(x, x->path.steps.count);
  const struct strand *s = strand_at(x, here);
  if (s->parent == NONE || to > s->fork) unfi_wake(x, to);
}

/* Sleeps what is left of a strand at the node where it forks; of none: what forks there from
 * `from`. The event to sleep last is left awake and given instead. */
static bool sleep_left(unf_explorer *x, uint32_t from, uint32_t strand, uint32_t *last) {
  const struct strand *s = strand_at(x, from);
  uint32_t node = x->path.steps.count;
  *last = s->events[node - s->fork] & ~PREEMPTION_TAG;
  for (uint32_t i = unfi_strand_fork(x, from, node); i != NONE && i != strand;
       i = strand_at(x, i)->next) {
    if (strand_at(x, i)->fork != node) break;
    if (!unfi_path_reserve(x)) return false;
    unfi_sleep(x, *last);
    *last = strand_at(x, i)->first;
  }
  return unfi_path_reserve(x);
}

static bool step_forward(unf_explorer *x, const struct strand *s) {
  uint32_t event = s->events[x->path.steps.count - s->fork];
  if (!unfi_path_reserve(x) || !bounds_reserve(x->u->context, &x->bounds, x->path.steps.count))
    return false;
  unfi_bounds_again(x, event & ~PREEMPTION_TAG, event & PREEMPTION_TAG);
  return unfi_path_push(x, event & ~PREEMPTION_TAG);
}

/* Brings the path to a node of a strand, which may be the one where it forks: D is then that of its
 * branch. False: refused, and the path stands somewhere on the way. */
static bool go(unf_explorer *x, uint32_t strand, uint32_t node) {
  struct tree_search *tree = tree_of(x);
  if (!find_route(x, strand)) return false;
  go_back(x, node);
  for (uint32_t level = strand_at(x, tree->here)->level;; level++) {
    const struct strand *s = strand_at(x, tree->here);
    uint32_t last, end = route_end(x, level, node);
    while (x->path.steps.count < end)
      if (!step_forward(x, s)) return false;
    if (level + 1 == tree->route.count) return true;
    uint32_t next = tree->route.data[level + 1];
    if (!sleep_left(x, tree->here, next, &last)) return false;
    unfi_sleep(x, last);
    tree->here = next;
  }
}

/* ---- asking ---- */

/* Makes a leaf of every branch of the node that is known to exist. Where siblings are drawn, one
 * is: its execution leads to the next. */
static unf_status ask(unf_explorer *x, uint32_t strand, uint32_t node) {
  unf_context *context = x->u->context;
  uint32_t event;
  if (!go(x, strand, node) || !sleep_left(x, strand, NONE, &event)) return unfi_refused(context);
  for (;;) {
    bool found = false;
    unf_status status = unfi_poll(context);
    x->run.drawn = false;
    if (status == UNF_OK) status = x->strategy->another(x, event, &found);
    if (status != UNF_OK || !found) return status;
    if (!unfi_strand_add(x, strand, node, x->run.clue.data, x->run.clue.count))
      return unfi_refused(context);
    strand_at(x, strand)->drawn = strand_at(x, strand)->drawn || x->run.drawn;
    if (x->run.drawn) return UNF_OK;
    unfi_sleep(x, event);
    event = x->run.clue.data[0];
    if (!unfi_path_reserve(x)) return unfi_refused(context);
  }
}

/* Every node of the strand that was executed last, and the one where it forks. */
static unf_status ask_all(unf_explorer *x, uint32_t strand) {
  const struct strand *s = strand_at(x, strand);
  uint32_t first = s->parent == NONE ? x->floor : s->fork;
  while (s = strand_at(x, strand), s->asked > first) {
    uint32_t node = s->asked - 1;
    bool at_fork = node == s->fork && s->parent != NONE;
    unf_status status = ask(x, at_fork ? s->parent : strand, node);
    if (status != UNF_OK) return status;
    strand_at(x, strand)->asked = node;
  }
  strand_at(x, strand)->discovered = x->counts.extensions;
  return UNF_OK;
}

unf_status unfi_tree_search_ask_again(unf_explorer *x, uint32_t strand) {
  struct strand *s = strand_at(x, strand);
  if (s->asked <= (s->parent == NONE ? x->floor : s->fork)) s->asked = s->swept;
  return ask_all(x, strand);
}

/* The path becomes the strand that was run; false: refused. */
static bool take_in(unf_explorer *x, uint32_t strand) {
  struct strand *s = strand_at(x, strand);
  uint32_t count = x->path.steps.count - s->fork;
  if (count != s->count) {
    uint32_t *events = unfi_reallocate(x->u->context, s->events, s->count * sizeof *events,
                                       count * sizeof *events);
    if (events == NULL && count > 0) return false;
    s->events = events;
    s->count = count;
  }
  for (uint32_t i = 0; i < count; i++) {
    s->events[i] = x->path.steps.data[s->fork + i].event;
    if (unfi_bounds_preempted(x, s->fork + i)) s->events[i] |= PREEMPTION_TAG;
  }
  if (count > 0) s->first = x->path.steps.data[s->fork].event;
  s->asked = s->swept = strand_end(s);
  s->state = STRAND_EXPLORED;
  return true;
}

/* ---- the sweep ---- */

/* The first branch at a node, right of the strand's own, that is not done; NONE: all are. */
static uint32_t undone(unf_explorer *x, uint32_t strand, uint32_t node) {
  uint32_t i = unfi_strand_fork(x, strand, node);
  while (i != NONE && strand_at(x, i)->fork == node && strand_at(x, i)->state == STRAND_LEFT)
    i = strand_at(x, i)->next;
  return i != NONE && strand_at(x, i)->fork == node ? i : NONE;
}

/* All branches of a node are done, and there are no more. */
static void leave_node(unf_explorer *x, uint32_t strand, uint32_t node) {
  struct strand *s = strand_at(x, strand);
  for (uint32_t i; (i = unfi_strand_fork(x, strand, node)) != NONE;)
    unfi_strand_remove(x, i);
  s->swept = node;
  unfi_saves_forget(x, &s->saves, node);
}

static void leave_strand(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  struct strand *s = strand_at(x, strand);
  unfi_saves_forget(x, &s->saves, 0);
  unfi_strand_empty(x, strand);
  s->state = STRAND_LEFT;
  if (tree->descent == strand) tree->descent = NONE;
  if (s->parent != NONE) {
    tree->sweep = s->parent;
    return;
  }
  for (; x->path.steps.count > 0; unfi_path_pop(x))
    unfi_wake(x, x->path.steps.count);
  unfi_wake(x, 0);
  x->branch = BRANCH_NONE;
}

/* Goes on until the sweep rests at a leaf that waits, or the root is left. */
static unf_status sweep(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  while (strand_at(x, tree->sweep)->state == STRAND_EXPLORED) {
    uint32_t strand = tree->sweep;
    const struct strand *s = strand_at(x, strand);
    if (s->swept <= (s->parent == NONE ? x->floor : s->fork + 1)) {
      leave_strand(x, strand);
      continue;
    }
    uint32_t node = s->swept - 1, next = undone(x, strand, node);
    bool learned = s->drawn || s->discovered != x->counts.extensions;
    if (tree->asking || (next == NONE && learned)) {
      tree->asking = true;
      unf_status status = ask(x, strand, node);
      if (status != UNF_OK) return status;
      tree->asking = false;
      next = undone(x, strand, node);
    }
    if (next != NONE)
      tree->sweep = next;
    else
      leave_node(x, strand, node);
  }
  return UNF_OK;
}

/* ---- the next run ---- */

/* Takes the last run in, and chooses the leaf of the next one. */
static unf_status choose(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  uint32_t strand = tree->running;
  if (strand != NONE) {
    if (strand_at(x, strand)->state == STRAND_RUNS && !take_in(x, strand))
      return unfi_refused(x->u->context);
    unf_status status = ask_all(x, strand);
    if (status != UNF_OK) return status;
    tree->running = NONE;
  }
  unf_status status = sweep(x);
  if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  uint32_t leaf;
  status = unfi_leaf_choose(x, &leaf);
  if (status == UNF_OK) tree->chosen = leaf;
  return status;
}

unf_status unfi_tree_search_next(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  if (tree->chosen == NONE) {
    unf_status status = choose(x);
    if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  }
  struct strand *s = strand_at(x, tree->chosen);
  if (!go(x, tree->chosen, s->fork) || !vector_reserve(x->u->context, &x->run.clue, s->count))
    return unfi_refused(x->u->context);
  x->run.clue.count = s->count;
  for (uint32_t i = 0; i < s->count; i++)
    x->run.clue.data[i] = s->events[i];
  s->state = STRAND_RUNS;
  s->run = x->counts.executions + 1;
  tree->running = tree->chosen;
  tree->chosen = NONE;
  x->run.base = x->path.steps.count;
  x->run.shared = unfi_path_common(&x->path, &x->last.events);
  x->branch = BRANCH_DECIDED;
  return UNF_OK;
}
