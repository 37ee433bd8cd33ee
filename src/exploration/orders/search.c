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
#include "exploration/bound.h"
#include "exploration/explorer.h"
#include "exploration/orders/leaves.h"
#include "exploration/orders/search.h"
#include "exploration/orders/strand.h"
#include "exploration/path.h"
#include "exploration/save.h"
#include "exploration/strategies/qpor/alternative.h"
#include "structure/unfolding.h"

#include <string.h>

static struct strand *strand_at(unf_explorer *x, uint32_t strand) {
  return &x->search.strands.data[strand];
}

bool unfi_search_begin(unf_explorer *x, const unf_explorer_options *options) {
  struct search *search = &x->search;
  search->order = options->order;
  search->seed = options->seed;
  search->choose = options->choose;
  search->choose_user = options->choose_user;
  search->free = search->chosen = search->running = search->descent = NONE;
  if (search->order == UNF_ORDER_DEPTH_FIRST) return true;
  x->branch = BRANCH_LEAF;
  return unfi_strand_add(x, NONE, 0, NULL, 0);
}

void unfi_search_free(unf_explorer *x) {
  struct search *search = &x->search;
  unf_context *context = x->u->context;
  for (uint32_t i = 0; i < search->strands.count; i++)
    unfi_strand_empty(x, i);
  vector_free(context, &search->strands);
  vector_free(context, &search->leaves);
  vector_free(context, &search->waiting);
  vector_free(context, &search->route);
}

void unfi_search_again(unf_explorer *x) {
  struct search *search = &x->search;
  struct strand *root = strand_at(x, 0);
  root->state = STRAND_RUNS;
  root->run = x->counts.executions + 1;
  search->running = search->sweep = search->here = 0;
}

uint32_t unfi_search_shared(const unf_explorer *x, uint32_t most) {
  const handle_vector *last = &x->last;
  uint32_t i = 0;
  while (i < most && i < last->count && last->data[i] == x->path.data[i].event)
    i++;
  return i;
}

/* ---- moving ---- */

/* The strands from the root to one, by level, into route; false: refused. */
static bool find_route(unf_explorer *x, uint32_t strand) {
  handle_vector *route = &x->search.route;
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
  const handle_vector *route = &x->search.route;
  return level + 1 < route->count ? strand_at(x, route->data[level + 1])->fork : node;
}

/* Goes back to where the path meets the route to a node. At the fork of a strand of the route, D is
 * that of its branch already, when a refusal left the path there. */
static void go_back(unf_explorer *x, uint32_t node) {
  struct search *search = &x->search;
  uint32_t here = search->here, to = x->path.count;
  for (;; here = strand_at(x, here)->parent) {
    const struct strand *s = strand_at(x, here);
    if (s->level < search->route.count && search->route.data[s->level] == here) break;
    if (s->fork < to) to = s->fork;
  }
  uint32_t end = route_end(x, strand_at(x, here)->level, node);
  if (end < to) to = end;
  search->here = here;
  for (; x->path.count > to; unfi_path_pop(x))
    unfi_wake(x, x->path.count);
  const struct strand *s = strand_at(x, here);
  if (s->parent == NONE || to > s->fork) unfi_wake(x, to);
}

/* Sleeps what is left of a strand at the node where it forks; of none: what forks there from
 * `from`. The event to sleep last is left awake and given instead. */
static bool sleep_left(unf_explorer *x, uint32_t from, uint32_t strand, uint32_t *last) {
  const struct strand *s = strand_at(x, from);
  uint32_t node = x->path.count;
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
  uint32_t event = s->events[x->path.count - s->fork];
  if (!unfi_path_reserve(x)) return false;
  if (bounded(x)) unfi_bounds_again(x, event & ~PREEMPTION_TAG, event & PREEMPTION_TAG);
  return unfi_path_push(x, event & ~PREEMPTION_TAG);
}

/* Brings the path to a node of a strand, which may be the one where it forks: D is then that of its
 * branch. False: refused, and the path stands somewhere on the way. */
static bool go(unf_explorer *x, uint32_t strand, uint32_t node) {
  struct search *search = &x->search;
  if (!find_route(x, strand)) return false;
  go_back(x, node);
  for (uint32_t level = strand_at(x, search->here)->level;; level++) {
    const struct strand *s = strand_at(x, search->here);
    uint32_t last, end = route_end(x, level, node);
    while (x->path.count < end)
      if (!step_forward(x, s)) return false;
    if (level + 1 == search->route.count) return true;
    uint32_t next = search->route.data[level + 1];
    if (!sleep_left(x, search->here, next, &last)) return false;
    unfi_sleep(x, last);
    search->here = next;
  }
}

/* ---- asking ---- */

/* Makes a leaf of every branch of the node that is known to exist. */
static unf_status ask(unf_explorer *x, uint32_t strand, uint32_t node) {
  unf_context *context = x->u->context;
  uint32_t event;
  if (!go(x, strand, node) || !sleep_left(x, strand, NONE, &event)) return unfi_refused(context);
  for (;;) {
    bool found = false;
    unf_status status = unfi_poll(context);
    if (status == UNF_OK) status = unfi_another(x, event, &found);
    if (status != UNF_OK || !found) return status;
    if (!unfi_strand_add(x, strand, node, x->clue.data, x->clue.count))
      return unfi_refused(context);
    unfi_sleep(x, event);
    event = x->clue.data[0];
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
  strand_at(x, strand)->known = x->counts.extensions;
  return UNF_OK;
}

unf_status unfi_search_ask_again(unf_explorer *x, uint32_t strand) {
  struct strand *s = strand_at(x, strand);
  if (s->asked <= (s->parent == NONE ? x->floor : s->fork)) s->asked = s->swept;
  return ask_all(x, strand);
}

/* The path becomes the strand that was run; false: refused. */
static bool take_in(unf_explorer *x, uint32_t strand) {
  struct strand *s = strand_at(x, strand);
  uint32_t count = x->path.count - s->fork;
  if (count != s->count) {
    uint32_t *events = unfi_reallocate(x->u->context, s->events, s->count * sizeof *events,
                                       count * sizeof *events);
    if (events == NULL && count > 0) return false;
    s->events = events;
    s->count = count;
  }
  for (uint32_t i = 0; i < count; i++) {
    s->events[i] = x->path.data[s->fork + i].event;
    if (bounded(x) && unfi_bounds_preempted(x, s->fork + i)) s->events[i] |= PREEMPTION_TAG;
  }
  if (count > 0) s->first = x->path.data[s->fork].event;
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
  struct search *search = &x->search;
  struct strand *s = strand_at(x, strand);
  unfi_saves_forget(x, &s->saves, 0);
  unfi_strand_empty(x, strand);
  s->state = STRAND_LEFT;
  if (search->descent == strand) search->descent = NONE;
  if (s->parent != NONE) {
    search->sweep = s->parent;
    return;
  }
  for (; x->path.count > 0; unfi_path_pop(x))
    unfi_wake(x, x->path.count);
  unfi_wake(x, 0);
  x->branch = BRANCH_NONE;
}

/* Goes on until the sweep rests at a leaf that waits, or the root is left. */
static unf_status sweep(unf_explorer *x) {
  struct search *search = &x->search;
  while (strand_at(x, search->sweep)->state == STRAND_EXPLORED) {
    uint32_t strand = search->sweep;
    const struct strand *s = strand_at(x, strand);
    if (s->swept <= (s->parent == NONE ? x->floor : s->fork + 1)) {
      leave_strand(x, strand);
      continue;
    }
    uint32_t node = s->swept - 1, next = undone(x, strand, node);
    if (search->asking || (next == NONE && s->known != x->counts.extensions)) {
      search->asking = true;
      unf_status status = ask(x, strand, node);
      if (status != UNF_OK) return status;
      search->asking = false;
      next = undone(x, strand, node);
    }
    if (next != NONE)
      search->sweep = next;
    else
      leave_node(x, strand, node);
  }
  return UNF_OK;
}

/* ---- the next run ---- */

/* Takes the last run in, and chooses the leaf of the next one. */
static unf_status choose(unf_explorer *x) {
  struct search *search = &x->search;
  uint32_t strand = search->running;
  if (strand != NONE) {
    if (strand_at(x, strand)->state == STRAND_RUNS && !take_in(x, strand))
      return unfi_refused(x->u->context);
    unf_status status = ask_all(x, strand);
    if (status != UNF_OK) return status;
    search->running = NONE;
  }
  unf_status status = sweep(x);
  if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  uint32_t leaf;
  status = unfi_leaf_choose(x, &leaf);
  if (status == UNF_OK) search->chosen = leaf;
  return status;
}

unf_status unfi_search(unf_explorer *x) {
  struct search *search = &x->search;
  if (search->chosen == NONE) {
    unf_status status = choose(x);
    if (status != UNF_OK || x->branch == BRANCH_NONE) return status;
  }
  struct strand *s = strand_at(x, search->chosen);
  if (!go(x, search->chosen, s->fork) || !vector_reserve(x->u->context, &x->clue, s->count))
    return unfi_refused(x->u->context);
  x->clue.count = s->count;
  for (uint32_t i = 0; i < s->count; i++)
    x->clue.data[i] = s->events[i];
  s->state = STRAND_RUNS;
  s->run = x->counts.executions + 1;
  search->running = search->chosen;
  search->chosen = NONE;
  x->base = x->path.count;
  x->shared = unfi_search_shared(x, x->base);
  x->branch = BRANCH_DECIDED;
  return UNF_OK;
}
