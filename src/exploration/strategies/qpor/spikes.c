/*
 * Candidates by index.
 *
 * Let d be an unjustified event of D at C: enabled there. If a is in conflict with d and compatible
 * with C, take a minimal event b of [a] that depends on d and is not in [d]. Everything in [b] that
 * depends on d lies in [d], so in C. If b is of d's thread, it follows the same event of it as d.
 * Else they share a site, and the last write before b there lies in C; it is the last write before
 * d too, since b is not in C and would follow any later write of C. So b and d are followers of the
 * same write, and b is in conflict with d itself. b is in U when a is, and as good in an
 * alternative, since [b] ⊆ [a]. So such followers are all the candidates that are needed: for
 * mutexes, the writes and reads after the same write; for a choice, the other values; for a create,
 * the other creates of the thread. A join has none.
 *
 * A follower that cannot be used now is parked at the reason: at the first step of the path that is
 * in conflict with it (or is it), or at the event of D in its history. There is no use for it
 * before the path is cut back to that step, or that event leaves D, so until then no search reads
 * it. If it is in conflict with a step of the path at a site, it has a node of the site's tree in
 * its history that is a sibling of the step's node, and so have others: those of one list are
 * parked as a group. When they come back, and another step is in conflict with the node, so it is
 * with all that have it, which are parked again by that one look. Which step in conflict a
 * candidate is parked at makes no difference to what is found, only to how often it comes back.
 *
 * Siblings (extension/siblings.h) are drawn one by one. One that is not in U yet is in nobody's
 * history, and causes nothing but itself here, where the operation is enabled: so it does for d
 * what a sibling of U would do, and is needed only when none of U can be used.
 */
#include "exploration/strategies/qpor/spikes.h"

#include "alternative/comb.h"
#include "exploration/strategies/qpor/followers.h"
#include "exploration/strategies/qpor/qpor.h"
#include "extension/adds.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/block.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/relation.h"
#include "structure/tree.h"

/* Where the history of a candidate parts from C at a site. */
struct parting {
  uint32_t step; /* of C, the first that wrote the site beyond it; 0: C or the history has none */
  struct node node; /* of the history, the first beyond it, ... */
  bool last;        /* ... which is the last one of the history there */
};

/* From the nodes of the last writes in C and in the history. Both have something beyond their
 * lowest common ancestor unless one is above the other. */
static inline struct parting part(const unf_explorer *x, uint32_t site, struct node end,
                                  struct node at) {
  const struct branch *branches = x->u->store.branches.data;
  struct parting parting = {0, at, true};
  uint32_t depth = at.depth, common;
  if (is_twig(at)) at = (struct node){at.branch & ~TWIG, depth - 1};
  for (;; at = (struct node){branches[at.branch].parent, branches[at.branch].fork_depth}) {
    /* The last write of C may have got its branch when it was in C already. */
    common = at.branch == end.branch ? end.depth : chain_reach(&qpor_of(x)->chains, at.branch);
    if (common != 0 || branches[at.branch].parent == NONE) break;
    parting.node = (struct node){at.branch, branches[at.branch].fork_depth + 1};
  }
  if (at.depth < common) common = at.depth;
  if (common == end.depth || common == depth) return parting;
  if (common < at.depth) parting.node = (struct node){at.branch, common + 1};
  parting.last = common + 1 == depth;
  parting.step = step_of(&x->path, qpor_of(x)->chains.writes.data[site].data[common + 1]);
  return parting;
}

static NOINLINE struct parting part_several(const unf_explorer *x, uint32_t site, uint32_t here,
                                            uint32_t there) {
  return part(x, site, *node_in(x->u, here, site), *node_in(x->u, there, site));
}

/* Where two writes of a site part, one of C and one of a history. */
static struct parting part_at(const unf_explorer *x, uint32_t site, uint32_t here, uint32_t there) {
  struct node end = *node_place(x->u, here, site), at = *node_place(x->u, there, site);
  if (end.branch == SEVERAL || at.branch == SEVERAL) return part_several(x, site, here, there);
  return part(x, site, end, at);
}

/* Steps of the path that were found to be in conflict with a candidate. */
struct conflicting {
  uint32_t first;            /* the first of them, or NONE */
  bool layers;               /* there are layers, which say only whether there is one */
  struct common_node shared; /* of the candidate's history, that the first is in conflict with */
};

/* Looks at a site where C and the candidate's history have different entries. */
static void look_at(const unf_explorer *x, struct conflicting *c, uint32_t site, uint32_t here,
                    uint32_t there) {
  if ((here | there) & ROW_TAG) {
    c->layers = true;
    return;
  }
  struct parting parting = part_at(x, site, here, there);
  if (parting.step == 0 || parting.step >= c->first) return;
  c->first = parting.step;
  c->shared = (struct common_node){site, parting.last ? there : NONE, parting.node};
}

/* Asks for what part() needs of the branch of a write. */
WITHIN void prefetch_branch(const unf_explorer *x, uint32_t write) {
  const struct chains *c = &qpor_of(x)->chains;
  uint32_t branch = write & ROW_TAG ? NONE : branch_of(*other_node(x->u, write));
  if (branch >= c->reaches.capacity) return;
  __builtin_prefetch(&c->reaches.data[branch]);
  __builtin_prefetch(&x->u->store.branches.data[branch]);
}

/* Looks for an earlier step at the sites of a leaf of the candidate's record. */
static inline void look_at_leaf(const unf_explorer *x, struct conflicting *c,
                                const struct leaf_view *leaf) {
  struct cut C = configuration_cut(&x->path.C);
  uint32_t left = x->u->store.compared.data[leaf->first / BLOCK], differing = 0;
  if (leaf->count < BLOCK) left &= (1u << leaf->count) - 1;
  for (; left != 0; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    uint32_t here = cut_at(C, leaf->first + i), there = leaf->entries[i];
    if (here == there || here == 0 || there == 0) continue;
    differing |= 1u << i;
    if (!(there & ROW_TAG)) __builtin_prefetch(other_node(x->u, there));
  }
  /* One alone has nothing to be overlapped with. */
  for (left = differing & (differing - 1); left != 0; left &= left - 1)
    prefetch_branch(x, leaf->entries[(uint32_t)__builtin_ctz(left)]);
  for (; differing != 0; differing &= differing - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(differing);
    look_at(x, c, leaf->first + i, cut_at(C, leaf->first + i), leaf->entries[i]);
  }
}

/* Looks for an earlier step at a site that the candidate writes itself. */
static inline void look_at_own(const unf_explorer *x, struct conflicting *c, uint32_t site,
                               uint32_t candidate) {
  uint32_t here = cut_at(configuration_cut(&x->path.C), site);
  if (here != 0 && is_compared(x->u, site)) look_at(x, c, site, here, candidate);
}

/* The first step of the path that is in conflict with a candidate for what layers tell. */
static NOINLINE uint32_t first_by_layers(const unf_explorer *x, uint32_t candidate) {
  const unf_unfolding *u = x->u;
  uint32_t step = 1, event = x->path.steps.data[0].event;
  while (unfi_precedes(u, event, candidate) || !unfi_conflict(u, event, candidate))
    event = x->path.steps.data[step++].event;
  unfi_count(u->context, step);
  return step;
}

/* The first step of the path in conflict with a candidate, which is no step itself; 0: none. Says
 * which node of the candidate's history it is in conflict with; *alone: none that others share. */
static uint32_t first_conflict(const unf_explorer *x, uint32_t candidate,
                               struct common_node *shared, bool *alone) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, candidate);
  const struct action *a = &u->actions.data[e->action];
  struct conflicting c = {.first = NONE};
  struct leaf_walk walk;
  struct leaf_view leaf;
  look_at_own(x, &c, a->site, candidate);
  if (a->written != NONE) look_at_own(x, &c, a->written, candidate);
  const uint32_t *words = block_at(u, e->cut);
  if (is_leaf(words)) {
    unfi_count(u->context, 1);
    leaf = (struct leaf_view){words + 1, words[0], 0};
    look_at_leaf(x, &c, &leaf);
  } else {
    unfi_leaves_begin(&walk, u, e->cut);
    while (unfi_leaves_next(&walk, &leaf)) {
      unfi_count(u->context, 1);
      look_at_leaf(x, &c, &leaf);
    }
  }
  *alone = c.layers && unfi_conflict_cut(u, configuration_cut(&x->path.C), candidate);
  if (*alone) return first_by_layers(x, candidate);
  if (c.first == NONE) return 0;
  *alone = c.shared.event == candidate;
  *shared = c.shared;
  return c.first;
}

/* What is attached to the sibling of a head of D that a candidate has in its history; NULL: it has
 * none of D. O(events of the thread after it). */
static uint32_t *sibling_before(unf_explorer *x, uint32_t head, uint32_t candidate) {
  const unf_unfolding *u = x->u;
  uint32_t first = x->path.D.entries.data[head].event, site = action_of(u, first)->site;
  uint32_t depth = own_node(u, first)->depth, event = cut_entry(u, candidate, site);
  while (event != 0 && action_of(u, event)->site == site && own_node(u, event)->depth > depth)
    event = event_at(u, event)->before;
  if (event == 0 || action_of(u, event)->site != site ||
      event_at(u, event)->before != event_at(u, first)->before)
    return NULL;
  return unfi_sleeping_sibling(x, head, event);
}

/* The event of D in the history of a candidate, as where to park it; NULL: there is none. */
static uint32_t *sleeping_before(unf_explorer *x, uint32_t candidate) {
  struct sleepers *D = &x->path.D;
  uint32_t *attached = NULL;
  for (uint32_t i = D->first; i != NONE && attached == NULL; i = D->entries.data[i].next) {
    struct sleeper *d = &D->entries.data[i];
    unfi_count(x->u->context, 1);
    if (d->event <= candidate && unfi_precedes(x->u, d->event, candidate)) return &d->attached;
    if (d->siblings > 0) attached = sibling_before(x, i, candidate);
  }
  return attached;
}

/* A group that was parked, and the node that it was parked for: its own, or one further up. */
struct parked {
  uint32_t group; /* 0: none */
  struct common_node shared;
};

enum { AT_HAND = 16 };

struct filling {
  unf_explorer *x;
  uint32_t event, also;
  unf_status status;
  /* Of the list at hand: */
  uint32_t open, open_site;      /* the group that is taken apart, or 0; its site */
  bool any_parked;               /* there are some in ... */
  struct parked parked[AT_HAND]; /* by a hash */
};

/* ---- parking ---- */

static bool same_node(const struct common_node *a, const struct common_node *b) {
  bool same = a->site == b->site && a->event == b->event;
  if (!same || a->event != NONE) return same;
  return a->node.branch == b->node.branch && a->node.depth == b->node.depth;
}

static struct parked *parked_for(struct filling *in, const struct common_node *shared) {
  bool event = shared->event != NONE;
  uint32_t hash = event ? shared->event : shared->node.branch + shared->node.depth;
  for (uint32_t i = 0; !in->any_parked && i < AT_HAND; i++)
    in->parked[i].group = 0;
  in->any_parked = true;
  return &in->parked[hash % AT_HAND];
}

/* Parks an item with what was parked for the same node. Returns false if nothing was. */
static bool park_with(struct filling *in, uint32_t *link, const struct parked *parked,
                      const struct common_node *shared) {
  struct followers *f = &qpor_of(in->x)->followers;
  if (parked->group == 0 || !same_node(&parked->shared, shared)) return false;
  if (!same_node(&group_at(f, parked->group)->shared, shared))
    unfi_group_widen(f, parked->group, *shared);
  item_move(f, link, &group_at(f, parked->group)->first);
  return true;
}

/* Parks a group at a step. */
static void park_group(struct filling *in, uint32_t *link, struct parked *parked,
                       const struct common_node *shared, uint32_t step) {
  *parked = (struct parked){*link, *shared};
  item_move(&qpor_of(in->x)->followers, link, &in->x->path.steps.data[step - 1].attached);
}

/* Where the node that a group shares parts from C. */
static struct parting part_group(const unf_explorer *x, const struct common_node *shared) {
  uint32_t here = cut_at(configuration_cut(&x->path.C), shared->site);
  struct node node = shared->node;
  if (shared->event != NONE) node = *node_in(x->u, shared->event, shared->site);
  if (here == 0 || (here & ROW_TAG) || here == shared->event)
    return (struct parting){0, node, true};
  return part(x, shared->site, *node_in(x->u, here, shared->site), node);
}

/* Parks a group if what it shares is in conflict with C; else it is taken apart. */
static void read_group(struct filling *in, uint32_t *link) {
  struct common_node shared = group_at(&qpor_of(in->x)->followers, *link)->shared;
  struct parting parting = part_group(in->x, &shared);
  if (parting.step == 0) {
    in->open = *link;
    in->open_site = shared.site;
    return;
  }
  if (!parting.last) shared = (struct common_node){shared.site, NONE, parting.node};
  struct parked *parked = parked_for(in, &shared);
  if (!park_with(in, link, parked, &shared)) park_group(in, link, parked, &shared, parting.step);
}

/* The step of the path in conflict with a candidate at a site, as first_conflict(); 0: there is
 * none there that is for others too. It need not be the first of all, but it is found by one look.
 */
static uint32_t conflict_at(const unf_explorer *x, uint32_t site, uint32_t candidate,
                            struct common_node *shared) {
  uint32_t here = cut_at(configuration_cut(&x->path.C), site);
  uint32_t there = cut_entry(x->u, candidate, site);
  if (here == there || here == 0 || there == 0 || ((here | there) & ROW_TAG)) return 0;
  struct parting parting = part_at(x, site, here, there);
  if (parting.last && there == candidate) return 0;
  *shared = (struct common_node){site, parting.last ? there : NONE, parting.node};
  return parting.step;
}

/* Where it is kept which event a candidate that is in several lists is in conflict with: one of n
 * uses is read in n lists, and looked at all over only for the first of them. NULL: it is in one.
 */
static uint32_t *known_conflict(const unf_explorer *x, uint32_t candidate) {
  if (action_of(x->u, candidate)->meets) return NULL;
  return &links_at(&qpor_of(x)->followers, candidate)->next;
}

/* Parks a candidate if it cannot be used. Members of a group part from C at its site mostly. */
static bool park(struct filling *in, uint32_t *link, uint32_t candidate) {
  unf_explorer *x = in->x;
  struct followers *f = &qpor_of(x)->followers;
  struct common_node shared;
  uint32_t *known = known_conflict(x, candidate);
  uint32_t step = step_of(&x->path, candidate);
  if (step == 0 && known != NULL && *known != 0) step = step_of(&x->path, *known);
  bool alone = step != 0;
  if (step == 0 && in->open != 0) step = conflict_at(x, in->open_site, candidate, &shared);
  if (step == 0) step = first_conflict(x, candidate, &shared, &alone);
  if (step != 0 && !alone) {
    struct parked *parked = parked_for(in, &shared);
    if (park_with(in, link, parked, &shared)) return true;
    unfi_group_begin(f, link, shared);
    park_group(in, link, parked, &shared, step);
    return true;
  }
  if (alone && known != NULL) *known = x->path.steps.data[step - 1].event;
  uint32_t *place = alone ? &x->path.steps.data[step - 1].attached : sleeping_before(x, candidate);
  if (place != NULL) item_move(f, link, place);
  return place != NULL;
}

/* ---- reading ---- */

/* Adds a usable candidate to the spike. */
static bool add_candidate(struct filling *in, uint32_t a) {
  unf_explorer *x = in->x;
  if (unfi_precedes(x->u, in->also, a)) return true;
  x->counts.alternatives.kept++;
  if (!unfi_comb_add(x->u->context, &qpor_of(x)->comb, a)) in->status = unfi_refused(x->u->context);
  return in->status == UNF_OK;
}

/* Before an item is read. */
static unf_status prepare(unf_explorer *x) {
  struct qpor *q = qpor_of(x);
  unf_context *context = x->u->context;
  unf_status status = unfi_work(context, 1);
  if (status != UNF_OK) return status;
  if (!group_reserve(context, &q->followers)) return unfi_refused(context);
  return q->chains.steps < x->path.steps.count ? unfi_chains_enter(x) : UNF_OK;
}

/* The item that is read after one: a member of the group that is taken apart, if that comes next.
 */
static inline uint32_t item_after(const struct filling *in, uint32_t item) {
  const struct followers *f = &qpor_of(in->x)->followers;
  uint32_t next = *item_next(f, item);
  return next != 0 && next == in->open ? group_at(f, next)->first : next;
}

/* Items are all over memory, and so is what is looked at for each. So they are asked for before
 * they are needed: of the second one after an item its event and links, and of the next one, whose
 * event was asked for before, the record of its causes. (Always inlined: a compiler drops a call
 * that does nothing but this.) */
WITHIN void prefetch_after(const struct filling *in, uint32_t item) {
  const unf_explorer *x = in->x;
  const struct followers *f = &qpor_of(x)->followers;
  uint32_t next = item_after(in, item);
  if (is_group(next)) __builtin_prefetch(group_at(f, next));
  if (next == 0 || (next & ITEM_TAG)) return;
  uint32_t second = item_after(in, next);
  if (is_group(second)) __builtin_prefetch(group_at(f, second));
  if (second != 0 && !(second & ITEM_TAG)) {
    __builtin_prefetch(event_at(x->u, second));
    __builtin_prefetch(links_at(f, second));
    __builtin_prefetch(mark_at(&x->path, second));
  }
  const uint32_t *record = block_at(x->u, event_at(x->u, next)->cut);
  __builtin_prefetch(record);
  __builtin_prefetch(record + 15);
}

/* Reads the candidate that a link leads to, and returns the link to what comes then. NULL: it was
 * refused. */
static uint32_t *read_candidate(struct filling *in, uint32_t *link) {
  unf_explorer *x = in->x;
  struct qpor *q = qpor_of(x);
  uint32_t *next = item_next(&q->followers, *link), a = item_event(&q->followers, *link);
  bool cut_off = false;
  if (a == in->event || !unfi_dependent(x->u, action_of(x->u, in->event), action_of(x->u, a)))
    return next;
  if (x->cutoffs.table != NULL) in->status = unfi_event_cut_off(x, a, &cut_off);
  if (in->status != UNF_OK) return NULL;
  if (cut_off) item_move(&q->followers, link, &q->cut_off);
  if (cut_off || park(in, link, a)) return link;
  return add_candidate(in, a) ? next : NULL;
}

/* Adds the usable candidates of one list to the spike, and parks the others. */
static bool read_list(void *user, uint32_t *link) {
  struct filling *in = user;
  struct followers *f = &qpor_of(in->x)->followers;
  in->open = 0;
  in->any_parked = false;
  while (link != NULL && *link != 0) {
    in->status = prepare(in->x);
    if (in->status != UNF_OK) return false;
    if (*link == in->open) unfi_group_take(f, link);
    in->x->counts.alternatives.read++;
    prefetch_after(in, *link);
    if (is_group(*link))
      read_group(in, link);
    else
      link = read_candidate(in, link);
  }
  return link != NULL;
}

/* Enters a sibling into U, as the only candidate of the spike. */
static unf_status add_drawn(unf_explorer *x, uint32_t sibling) {
  if (!unfi_discover_reserve(x, sibling) ||
      !unfi_comb_add(x->u->context, &qpor_of(x)->comb, sibling))
    return unfi_refused(x->u->context);
  unfi_discover(x, sibling);
  x->run.drawn = true;
  return UNF_OK;
}

/* Draws a sibling for an empty spike. */
static unf_status draw(unf_explorer *x, const struct filling *in, struct siblings siblings) {
  const struct action *a = action_of(x->u, in->event);
  uint32_t head = unfi_sleeping_head(x, a->thread, event_at(x->u, in->event)->before), sibling;
  struct causes causes;
  bool any, cut_off;
  for (int64_t value = siblings.low;; value++) {
    unf_status status = unfi_awake_from(x, head, in->event, siblings, &value, &any);
    if (status != UNF_OK || !any) return status;
    status = unfi_sibling(x->u, in->event, value, &causes);
    if (status == UNF_OK) status = unfi_event_intern(x->u, &causes, &sibling);
    if (status == UNF_OK) status = unfi_event_cut_off(x, sibling, &cut_off);
    if (status != UNF_OK) return status;
    if (sibling != in->also && !cut_off) return add_drawn(x, sibling);
    if (value == siblings.high) return UNF_OK;
  }
}

unf_status unfi_spike_fill(unf_explorer *x, uint32_t event, uint32_t also) {
  struct qpor *q = qpor_of(x);
  struct filling in;
  struct siblings siblings;
  if (!unfi_comb_begin(x->u->context, &q->comb, event)) return unfi_refused(x->u->context);
  x->counts.alternatives.spikes++;
  in.x = x;
  in.event = event;
  in.also = also;
  in.status = UNF_OK;
  unfi_followers_visit(x, event, read_list, &in);
  if (in.status != UNF_OK) return in.status;
  bool empty = q->comb.spikes.data[q->comb.spikes.count - 1].count == 0;
  if (empty && unfi_siblings_of(x->u, event, &siblings)) return draw(x, &in, siblings);
  unfi_comb_end(&q->comb, q->options.candidates);
  return UNF_OK;
}
