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
 * it.
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

/* The first step that wrote a site beyond what the candidate's history has of it, or 0 if one of
 * `end` and `at`, the nodes of the last writes in C and in the history, is above the other: the
 * step of C below their lowest common ancestor. */
static inline uint32_t first_after(const unf_explorer *x, uint32_t site, struct node end,
                                   struct node at) {
  const struct branch *branches = x->u->store.branches.data;
  uint32_t depth = at.depth, common;
  if (is_twig(at)) at = (struct node){at.branch & ~TWIG, depth - 1};
  for (;; at = (struct node){branches[at.branch].parent, branches[at.branch].fork_depth}) {
    /* The last write of C may have got its branch when it was in C already. */
    common = at.branch == end.branch ? end.depth : chain_reach(&qpor_of(x)->chains, at.branch);
    if (common != 0 || branches[at.branch].parent == NONE) break;
  }
  if (at.depth < common) common = at.depth;
  if (common == end.depth || common == depth) return 0;
  return mark_at(&x->path, qpor_of(x)->chains.writes.data[site].data[common + 1])->step;
}

static NOINLINE uint32_t first_after_several(const unf_explorer *x, uint32_t site, uint32_t here,
                                             uint32_t there) {
  return first_after(x, site, *node_in(x->u, here, site), *node_in(x->u, there, site));
}

/* The first step of the path at a site behind where two writes of it part. */
static uint32_t first_beyond(const unf_explorer *x, uint32_t site, uint32_t here, uint32_t there) {
  struct node end = *node_place(x->u, here, site), at = *node_place(x->u, there, site);
  if (end.branch == SEVERAL || at.branch == SEVERAL)
    return first_after_several(x, site, here, there);
  return first_after(x, site, end, at);
}

/* Steps of the path that were found to be in conflict with a candidate. */
struct conflicting {
  uint32_t first; /* the first of them, or NONE */
  bool layers;    /* there are layers, which say only whether there is one */
};

/* Looks at a site where C and the candidate's history have different entries. */
static void look_at(const unf_explorer *x, struct conflicting *c, uint32_t site, uint32_t here,
                    uint32_t there) {
  if ((here | there) & ROW_TAG) {
    c->layers = true;
    return;
  }
  uint32_t step = first_beyond(x, site, here, there);
  if (step != 0 && step < c->first) c->first = step;
}

/* Looks for an earlier step at the sites of a leaf of the candidate's record. */
static inline void look_at_leaf(const unf_explorer *x, struct conflicting *c,
                                const struct leaf_view *leaf) {
  struct cut C = configuration_cut(&x->path.C);
  uint32_t left = x->u->store.compared.data[leaf->first / BLOCK];
  for (; left != 0; left &= left - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(left);
    if (i >= leaf->count) return;
    uint32_t here = cut_at(C, leaf->first + i), there = leaf->entries[i];
    if (here != there && here != 0 && there != 0) look_at(x, c, leaf->first + i, here, there);
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

/* The first step of the path in conflict with a candidate, which is no step itself; 0: none. */
static uint32_t first_conflict(const unf_explorer *x, uint32_t candidate) {
  const unf_unfolding *u = x->u;
  const struct event *e = event_at(u, candidate);
  const struct action *a = &u->actions.data[e->action];
  struct conflicting c = {NONE, false};
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
  if (c.layers && unfi_conflict_cut(u, configuration_cut(&x->path.C), candidate))
    return first_by_layers(x, candidate);
  return c.first == NONE ? 0 : c.first;
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

/* Where to park a candidate that cannot be used; NULL when it can. */
static uint32_t *reason(unf_explorer *x, uint32_t candidate) {
  uint32_t step = mark_at(&x->path, candidate)->step;
  if (step == 0) step = first_conflict(x, candidate);
  if (step != 0) return &x->path.steps.data[step - 1].attached;
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

struct filling {
  unf_explorer *x;
  uint32_t event, also;
  unf_status status;
};

/* Adds a usable candidate to the spike. */
static bool add_candidate(struct filling *in, uint32_t a) {
  unf_explorer *x = in->x;
  if (unfi_precedes(x->u, in->also, a)) return true;
  x->counts.alternatives.kept++;
  if (!unfi_comb_add(x->u->context, &qpor_of(x)->comb, a)) in->status = unfi_refused(x->u->context);
  return in->status == UNF_OK;
}

/* Adds the usable candidates of one list to the spike, and parks the others. */
static bool read_list(void *user, uint32_t *link) {
  struct filling *in = user;
  unf_explorer *x = in->x;
  unf_unfolding *u = x->u;
  struct qpor *q = qpor_of(x);
  const struct followers *f = &q->followers;
  const struct action *d = action_of(u, in->event);
  while (*link != 0) {
    uint32_t a = item_event(f, *link);
    in->status = unfi_work(u->context, 1);
    if (in->status != UNF_OK) return false;
    x->counts.alternatives.read++;
    if (a == in->event || !unfi_dependent(u, d, action_of(u, a))) {
      link = item_next(f, *link);
      continue;
    }
    bool cut_off = false;
    if (x->cutoffs.table != NULL) in->status = unfi_event_cut_off(x, a, &cut_off);
    if (in->status != UNF_OK) return false;
    if (q->chains.steps < x->path.steps.count) in->status = unfi_chains_enter(x);
    if (in->status != UNF_OK) return false;
    uint32_t *park = cut_off ? &q->cut_off : reason(x, a);
    if (park != NULL) {
      item_move(f, link, park);
      continue;
    }
    link = item_next(f, *link);
    if (!add_candidate(in, a)) return false;
  }
  return true;
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
  struct filling in = {x, event, also, UNF_OK};
  struct siblings siblings;
  if (!unfi_comb_begin(x->u->context, &q->comb, event)) return unfi_refused(x->u->context);
  x->counts.alternatives.spikes++;
  unfi_followers_visit(x, event, read_list, &in);
  if (in.status != UNF_OK) return in.status;
  bool empty = q->comb.spikes.data[q->comb.spikes.count - 1].count == 0;
  if (empty && unfi_siblings_of(x->u, event, &siblings)) return draw(x, &in, siblings);
  unfi_comb_end(&q->comb, q->options.candidates);
  return UNF_OK;
}
