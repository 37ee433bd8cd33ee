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
 * In the random order executions are asked for branches together, in passes (see `asks_late`).
 *
 * Of n threads at one mutex an execution has n² / 2 branches. So one is asked for a portion of them
 * at a time. The rest is looked for where no leaf waits any more, or in the next pass; in the
 * random order also at nodes that are drawn. Where the caller chooses, all are there to choose
 * from.
 *
 * Cost: at most two questions for each node, and O(steps of the path) for each move.
 */
#include "exploration/orders/tree_search.h"

#include "exploration/orders/leaves.h"
#include "exploration/orders/strand.h"
#include "extension/adds.h"

/* Leaves that a strand is asked for at a time. */
#define PORTION 1024u

static struct strand *strand_at(const unf_explorer *x, uint32_t strand) {
  return &tree_of(x)->strands.data[strand];
}

bool unfi_tree_search_begin(unf_explorer *x, const unf_explorer_options *options) {
  struct tree_search *tree = tree_of(x);
  tree->seed = options->seed;
  tree->choose = options->choose;
  tree->choose_user = options->choose_user;
  tree->portion = x->order->choose == unfi_leaf_chosen ? NONE : PORTION;
  tree->free = tree->chosen = tree->running = tree->passing = tree->drawn = NONE;
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
  vector_free(context, &tree->open);
  vector_free(context, &tree->route);
}

void unfi_tree_search_restart(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  struct strand *root = strand_at(x, 0);
  root->state = STRAND_RUNS;
  root->run = x->counts.executions + 1;
  tree->running = tree->sweep = tree->here = tree->slept = 0;
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

/* The strands from the root to one, by level, into route. Returns false when refused. */
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

/* Goes back to where the path meets the route to a node. D of the branch that it comes from stays
 * there. */
static void go_back(unf_explorer *x, uint32_t node) {
  struct tree_search *tree = tree_of(x);
  uint32_t here = tree->here, to = x->path.steps.count, from = NONE;
  for (;; here = strand_at(x, here)->parent) {
    const struct strand *s = strand_at(x, here);
    if (s->level < tree->route.count && tree->route.data[s->level] == here) break;
    if (s->fork < to) to = s->fork;
    from = here;
  }
  uint32_t end = route_end(x, strand_at(x, here)->level, node);
  if (end < to) to = end;
  if (to < x->path.steps.count) tree->slept = 0;
  unfi_count(x->u->context, x->path.steps.count - to);
  for (; x->path.steps.count > to; unfi_path_pop(x))
    unfi_wake(x, x->path.steps.count);
  if (from != NONE && strand_at(x, from)->fork == to) tree->slept = strand_at(x, from)->place;
  tree->here = here;
}

/* At a node of the strand that the path follows: no branch is in D any more. */
static void wake_branches(unf_explorer *x) {
  if (tree_of(x)->slept > 0) unfi_wake(x, x->path.steps.count);
  tree_of(x)->slept = 0;
}

static void sleep_next(unf_explorer *x, uint32_t event) {
  unfi_sleep(x, event);
  tree_of(x)->slept++;
}

/* The event that the strand has at a node. */
static uint32_t own_event(const struct strand *s, uint32_t node) {
  return s->events[node - s->fork] & ~PREEMPTION_TAG;
}

/* Sleeps what is left of a strand at the node where it forks; NONE: nothing is left of the branch
 * on which the node lies. Adds to what sleeps there already, O(what is added), unless that is too
 * much. Returns false when refused. */
static bool sleep_left(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  uint32_t count = strand == NONE ? 0 : strand_at(x, strand)->place, i = strand;
  if (tree->slept > count) wake_branches(x);
  while (i != NONE && strand_at(x, i)->place > 1 && strand_at(x, i)->place > tree->slept)
    i = strand_at(x, i)->prev;
  while (tree->slept < count) {
    if (!unfi_path_reserve(x)) return false;
    if (tree->slept == 0) {
      sleep_next(x, own_event(strand_at(x, tree->here), x->path.steps.count));
      continue;
    }
    sleep_next(x, strand_at(x, i)->first);
    i = strand_at(x, i)->next;
  }
  return unfi_path_reserve(x);
}

static unf_status step_forward(unf_explorer *x, const struct strand *s) {
  unf_context *context = x->u->context;
  uint32_t event = s->events[x->path.steps.count - s->fork];
  unf_status status = unfi_work(context, 1);
  if (status != UNF_OK) return status;
  if (!unfi_path_reserve(x) || !bounds_reserve(context, &x->bounds, x->path.steps.count))
    return unfi_refused(context);
  unfi_bounds_again(x, event & ~PREEMPTION_TAG, event & PREEMPTION_TAG);
  return unfi_path_push(x, event & ~PREEMPTION_TAG) ? UNF_OK : unfi_refused(context);
}

/* Brings the path to a node of a strand, which may be the one where it forks: D is then that of its
 * branch. When it is refused the path stands somewhere on the way. */
static unf_status go(unf_explorer *x, uint32_t strand, uint32_t node) {
  struct tree_search *tree = tree_of(x);
  if (!find_route(x, strand)) return unfi_refused(x->u->context);
  go_back(x, node);
  for (uint32_t level = strand_at(x, tree->here)->level;; level++) {
    const struct strand *s = strand_at(x, tree->here);
    uint32_t end = route_end(x, level, node);
    if (x->path.steps.count < end) wake_branches(x);
    while (x->path.steps.count < end) {
      unf_status status = step_forward(x, s);
      if (status != UNF_OK) return status;
    }
    if (level + 1 == tree->route.count) return UNF_OK;
    uint32_t next = tree->route.data[level + 1];
    if (!sleep_left(x, next)) return unfi_refused(x->u->context);
    tree->here = next;
    tree->slept = 0;
  }
}

/* ---- asking ---- */

/* Makes leaves of the branches of the node that are known to exist, as many as may be found. Where
 * siblings are drawn, one is: its execution leads to the next. */
static unf_status ask(unf_explorer *x, uint32_t strand, uint32_t node, uint32_t *left) {
  unf_context *context = x->u->context;
  unf_status status = go(x, strand, node);
  if (status != UNF_OK) return status;
  uint32_t group = unfi_strand_fork(x, strand, node);
  uint32_t last = group == NONE ? NONE : strand_at(x, group)->last;
  if (!sleep_left(x, last)) return unfi_refused(context);
  uint32_t event = last == NONE ? own_event(strand_at(x, strand), node) : strand_at(x, last)->first;
  for (;;) {
    bool found = false;
    status = unfi_work(context, 1);
    x->run.drawn = false;
    if (status == UNF_OK) status = x->strategy->another(x, event, &found);
    if (status != UNF_OK || !found) return status;
    if (!unfi_strand_add(x, strand, node, x->run.clue.data, x->run.clue.count))
      return unfi_refused(context);
    unfi_done(context);
    strand_at(x, strand)->drawn = strand_at(x, strand)->drawn || x->run.drawn;
    if (x->run.drawn || --*left == 0) return UNF_OK;
    sleep_next(x, event);
    event = x->run.clue.data[0];
    if (!unfi_path_reserve(x)) return unfi_refused(context);
  }
}

/* The first node of a strand where its branches are looked for. */
static uint32_t first_node(const unf_explorer *x, const struct strand *s) {
  return s->parent == NONE ? x->floor : s->fork;
}

/* Whether nodes of a strand that was executed are still to be asked. */
static bool is_open(const unf_explorer *x, uint32_t strand) {
  const struct strand *s = strand_at(x, strand);
  return s->asked > first_node(x, s);
}

/* The nodes of a strand that was executed, and the one where it forks, for a portion of leaves. */
static unf_status ask_all(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  if (tree->left == 0) tree->left = tree->portion;
  if (strand_at(x, strand)->began == 0) strand_at(x, strand)->began = x->counts.extensions;
  while (is_open(x, strand)) {
    const struct strand *s = strand_at(x, strand);
    uint32_t node = s->asked - 1;
    bool at_fork = node == s->fork && s->parent != NONE;
    unf_status status = ask(x, at_fork ? s->parent : strand, node, &tree->left);
    if (status != UNF_OK) return status;
    if (tree->left == 0) return UNF_OK;
    strand_at(x, strand)->asked = node;
    unfi_done(x->u->context);
  }
  tree->left = 0;
  strand_at(x, strand)->discovered = strand_at(x, strand)->began;
  return UNF_OK;
}

bool unfi_strand_unasked(const unf_explorer *x, uint32_t strand, uint32_t *first, uint32_t *end) {
  const struct strand *s = strand_at(x, strand);
  if (s->state != STRAND_EXPLORED || s->asked > s->swept) return false;
  *first = s->parent == NONE ? x->floor : s->fork + 1;
  *end = s->asked;
  return s->asked < strand_end(s) && *first < *end;
}

unf_status unfi_node_ask(unf_explorer *x, uint32_t strand, uint32_t node) {
  uint32_t left = 1;
  return ask(x, strand, node, &left);
}

/* Where no leaf waits: asks the strands that are open, in the order of their executions or the last
 * one first. */
static unf_status ask_open(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  while ((tree->leaves.count == 0 || tree->left > 0) && tree->open_first < tree->open.count) {
    bool last = x->order->asks_last;
    uint32_t at = last ? tree->open.count - 1 : tree->open_first, strand = tree->open.data[at];
    unf_status status = ask_all(x, strand);
    if (status != UNF_OK) return status;
    if (is_open(x, strand)) continue;
    if (last)
      tree->open.count--;
    else
      tree->open_first++;
  }
  if (tree->open_first == tree->open.count) tree->open_first = tree->open.count = 0;
  return UNF_OK;
}

/* The strand after one in the order of the tree, those below it first; or NONE. */
static uint32_t strand_after(const unf_explorer *x, uint32_t strand) {
  const struct strand *s = strand_at(x, strand);
  if (s->head != NONE) return s->head;
  while (s->next == NONE && s->parent != NONE)
    s = strand_at(x, s->parent);
  return s->parent == NONE ? NONE : s->next;
}

/* Asks the nodes that are left of all strands that were not asked yet, or not since U was half as
 * large. It is one way through the tree, so that what is parked on steps which the strands have in
 * common is read once for all. */
static unf_status pass(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  for (; tree->passing != NONE; tree->passing = strand_after(x, tree->passing)) {
    unf_status status = unfi_work(x->u->context, 1);
    if (status != UNF_OK) return status;
    struct strand *s = strand_at(x, tree->passing);
    bool due = s->discovered == 0 || s->discovered < x->counts.extensions / 2;
    if (s->state != STRAND_EXPLORED || !due) continue;
    if (!is_open(x, tree->passing) || s->asked > s->swept) {
      s->asked = s->swept;
      s->began = 0;
    }
    status = ask_all(x, tree->passing);
    if (status != UNF_OK) return status;
  }
  return UNF_OK;
}

/* The path becomes the strand that was run. Returns false when refused. */
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
  s->discovered = s->began = 0;
  s->state = STRAND_EXPLORED;
  return true;
}

/* ---- the sweep ---- */

/* The first branch at a node, right of the strand's own, that is not done; NONE: all are. */
static uint32_t undone(unf_explorer *x, uint32_t strand, uint32_t node) {
  uint32_t group = unfi_strand_fork(x, strand, node);
  if (group == NONE) return NONE;
  struct strand *first = strand_at(x, group);
  uint32_t i = first->undone;
  while (i != NONE && strand_at(x, i)->state == STRAND_LEFT)
    i = i == first->last ? NONE : strand_at(x, i)->next;
  first->undone = i;
  return i;
}

/* All branches of a node are done, and there are no more. */
static void leave_node(unf_explorer *x, uint32_t strand, uint32_t node) {
  struct strand *s = strand_at(x, strand);
  uint32_t group = unfi_strand_fork(x, strand, node);
  if (group != NONE) unfi_strand_remove(x, group);
  s->swept = node;
  unfi_saves_forget(x, &s->saves, node);
}

static void leave_strand(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  struct strand *s = strand_at(x, strand);
  unfi_saves_forget(x, &s->saves, 0);
  unfi_strand_empty(x, strand);
  s->state = STRAND_LEFT;
  if (s->parent != NONE) {
    tree->sweep = s->parent;
    return;
  }
  for (; x->path.steps.count > 0; unfi_path_pop(x))
    unfi_wake(x, x->path.steps.count);
  unfi_wake(x, 0);
  tree->slept = 0;
  x->branch = BRANCH_NONE;
}

/* Goes on until the sweep rests at a leaf that waits or before a node that is still to be asked, or
 * the root is left. */
static unf_status sweep(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  while (strand_at(x, tree->sweep)->state == STRAND_EXPLORED) {
    unf_status status = unfi_work(x->u->context, 1);
    if (status != UNF_OK) return status;
    uint32_t strand = tree->sweep;
    const struct strand *s = strand_at(x, strand);
    if (!x->order->asks_late && is_open(x, strand) && s->swept <= s->asked) return UNF_OK;
    if (s->swept <= (s->parent == NONE ? x->floor : s->fork + 1)) {
      leave_strand(x, strand);
      continue;
    }
    uint32_t node = s->swept - 1, next = undone(x, strand, node);
    bool learned = s->drawn || s->discovered != x->counts.extensions;
    if (tree->asking || (next == NONE && learned)) {
      uint32_t left = NONE;
      tree->asking = true;
      status = ask(x, strand, node, &left);
      if (status != UNF_OK) return status;
      tree->asking = false;
      unfi_done(x->u->context);
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

/* A fixed part of the strands was not asked. So all passes together visit a few times as many
 * strands as there are. */
static bool pass_is_due(const struct tree_search *tree) {
  return tree->unasked >= (tree->strands.count - tree->leaves.count) / 4;
}

/* Asks the strand that was executed last, or leaves that for later: where the one that was found
 * first comes first, its leaves come behind those of all strands that are open. */
static unf_status ask_last(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  bool waits = !x->order->asks_last && tree->open.count > 0;
  if (!vector_reserve(x->u->context, &tree->open, (uint64_t)tree->open.count + 1))
    return unfi_refused(x->u->context);
  unf_status status = waits ? UNF_OK : ask_all(x, strand);
  if (status == UNF_OK && is_open(x, strand)) vector_push(&tree->open, strand);
  return status;
}

/* Takes the last run in, and says what is to be done before a leaf is chosen. */
static unf_status take_last(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  uint32_t strand = tree->running;
  if (strand_at(x, strand)->state == STRAND_RUNS) {
    if (!take_in(x, strand)) return unfi_refused(x->u->context);
    tree->unasked++;
  }
  if (!x->order->asks_late) {
    unf_status status = ask_last(x, strand);
    if (status != UNF_OK) return status;
  } else if (pass_is_due(tree)) {
    tree->passing = tree->unasked = 0;
  }
  tree->sweeping = !x->order->asks_late || tree->passing != NONE || tree->leaves.count == 0;
  tree->running = NONE;
  return UNF_OK;
}

/* Takes the last run in, and chooses the leaf of the next one. */
static unf_status choose(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  unf_status status = tree->running != NONE ? take_last(x) : UNF_OK;
  if (status == UNF_OK) status = pass(x);
  if (status == UNF_OK) status = ask_open(x);
  if (status == UNF_OK && tree->sweeping) status = sweep(x);
  if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  tree->sweeping = false;
  uint32_t leaf;
  status = unfi_leaf_choose(x, &leaf);
  if (status == UNF_OK) tree->chosen = leaf;
  return status;
}

unf_status unfi_tree_search_next(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  unf_status status = UNF_OK;
  if (tree->chosen == NONE) {
    status = choose(x);
    if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  }
  struct strand *s = strand_at(x, tree->chosen);
  status = go(x, tree->chosen, s->fork);
  if (status != UNF_OK) return status;
  if (!vector_reserve(x->u->context, &x->run.clue, s->count)) return unfi_refused(x->u->context);
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
