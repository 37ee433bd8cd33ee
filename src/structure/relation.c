/*
 * Causality and conflict of arbitrary pairs of events, from their cuts.
 *
 * a ≤ b: the last event of a's thread in [b] is a or below it in the thread's tree.
 *
 * a # b: two events of [a] and [b], each outside of the other's history, depend on each other. Take
 * such a pair that is minimal in its histories: it shares a site that one of them writes. Both
 * write: their nodes are on different branches of the site's tree, and so are the entries of the
 * two cuts, which lie below them. One reads: the other cut passed beyond the write that it read
 * without it. A thread's own site need only be looked at when its tree forked by itself: by data
 * (two values of one choice), by two creates of the thread, or where no operation was known; else
 * the fork came from another site, which shows it (Theorem 6 of the CAV 2018 paper is the case of
 * mutexes alone).
 *
 * The tree of a thread is looked at first all the same: of two events on different branches of it
 * each history has another than the other, and an event that is above one in a history, or is it,
 * is in that history. So most pairs are decided by one look.
 */
#include "structure/relation.h"

#include "base/null.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/tree.h"

/* Functions that climb a tree, or look at several leaves of a record, are called last and set the
 * answer themselves: what is decided without them has no registers to save for a call. */
APART unf_status is_above(const unf_unfolding *u, uint32_t a, uint32_t branch, bool *out) {
  *out = unfi_ancestor_far(u, *own_node(u, a), branch);
  return UNF_OK;
}

/* Whether a is `last`, the last event of its thread in a history, or above it. */
WITHIN unf_status is_up_to(const unf_unfolding *u, uint32_t a, uint32_t last, bool *out) {
  enum answer answer = last == a ? YES : NO;
  if (last > a) {
    struct node above = *own_node(u, a), below = *own_node(u, last);
    answer = ancestor_at_once(u, above, below);
    if (answer == FURTHER) return is_above(u, a, branch_of(below), out);
  }
  *out = answer == YES;
  return UNF_OK;
}

APART unf_status precedes_by_search(const unf_unfolding *u, uint32_t a, uint32_t b, uint32_t site,
                                    bool *out) {
  return is_up_to(u, a, cut_entry(u, b, site), out);
}

/* Of a with the smaller handle. */
WITHIN unf_status precedes(const unf_unfolding *u, uint32_t a, uint32_t b, bool *out) {
  if (a == 0) {
    *out = true;
    return UNF_OK;
  }
  uint32_t site = action_of(u, a)->site, last;
  if (!cut_entry_at_once(u, b, site, &last)) return precedes_by_search(u, a, b, site, out);
  return is_up_to(u, a, last, out);
}

bool unfi_precedes(const unf_unfolding *u, uint32_t a, uint32_t b) {
  bool result = a == b;
  if (a < b) precedes(u, a, b, &result);
  return result;
}

bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event) {
  if (event == 0) return true;
  uint32_t last = cut_at(cut, action_of(u, event)->site);
  if (last <= event) return last == event;
  return ancestor(u, *own_node(u, event), *own_node(u, last));
}

static inline bool diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y) {
  uint32_t above = x < y ? x : y, below = x < y ? y : x;
  return !ancestor(u, *node_in(u, above, site), *node_in(u, below, site));
}

bool unfi_diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y) {
  return diverge(u, site, x, y);
}

/* One side of a conflict: a single event's history, or a cut. */
struct side {
  uint32_t event;        /* NONE: a cut */
  const struct cut *cut; /* NULL: an event */
};

static bool side_has(const unf_unfolding *u, const struct side *side, uint32_t event) {
  return side->event != NONE ? unfi_precedes(u, event, side->event)
                             : unfi_in_cut(u, *side->cut, event);
}

/* Whether everything at the top of an entry, and so all below it, is in the other history. */
static bool side_has_entry(const unf_unfolding *u, const struct side *side, uint32_t entry) {
  if (!(entry & ROW_TAG)) return true;
  const struct layer *layer = layer_at(u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (!side_has(u, side, layer->members[i])) return false;
  return true;
}

/*
 * Entries of which at least one is a layer. Past an earlier write, all that stands on it must be in
 * the other history. On one write, the uses that only one history has and those that only the other
 * has must commute: there are none on one side, or both only go on in the same layer.
 */
static bool diverge_layers(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y,
                           const struct side *side_x, const struct side *side_y) {
  uint32_t write_x = entry_write(u, x), write_y = entry_write(u, y);
  if (write_x != write_y) {
    if (write_x != 0 && write_y != 0 && unfi_diverge(u, site, write_x, write_y)) return true;
    return write_x < write_y ? !side_has_entry(u, side_y, x) : !side_has_entry(u, side_x, y);
  }
  if (!(x & y & ROW_TAG)) return false;
  const struct layer *a = layer_at(u, x), *b = layer_at(u, y);
  if (a->floor == b->floor && a->access == b->access) return false;
  return !side_has_entry(u, side_y, x) && !side_has_entry(u, side_x, y);
}

static inline bool entries_conflict(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y,
                                    const struct side *side_x, const struct side *side_y) {
  if ((x | y) & ROW_TAG) return diverge_layers(u, site, x, y, side_x, side_y);
  return diverge(u, site, x, y);
}

/*
 * The sites of a leaf at which two cuts have different entries. These are looked at some at a time:
 * their events are all over memory, and asking for them together costs one wait instead of many.
 */
static bool leaves_conflict(const unf_unfolding *u, const struct leaf_view *a,
                            const struct leaf_view *b, const struct side *side_a,
                            const struct side *side_b) {
  enum { TOGETHER = 8 };
  uint32_t sites[TOGETHER], x[TOGETHER], y[TOGETHER];
  uint32_t count = a->count < b->count ? a->count : b->count;
  uint32_t left = u->store.compared.data[a->first / BLOCK];
  if (count < BLOCK) left &= (1u << count) - 1;
  while (left != 0) {
    uint32_t found = 0;
    for (; left != 0 && found < TOGETHER; left &= left - 1) {
      uint32_t i = (uint32_t)__builtin_ctz(left), here = a->entries[i], there = b->entries[i];
      if (here == there || here == 0 || there == 0) continue;
      if (!((here | there) & ROW_TAG)) {
        __builtin_prefetch(other_node(u, here));
        __builtin_prefetch(other_node(u, there));
      }
      sites[found] = a->first + i;
      x[found] = here;
      y[found++] = there;
    }
    for (uint32_t j = 0; j < found; j++)
      if (entries_conflict(u, sites[j], x[j], y[j], side_a, side_b)) return true;
  }
  return false;
}

/* A site that an event writes itself: its record says nothing of it, or something earlier. */
static inline bool own_conflict(const unf_unfolding *u, uint32_t site, uint32_t event,
                                uint32_t other, const struct side *side_event,
                                const struct side *side_other) {
  if (other == 0 || other == event || !is_compared(u, site)) return false;
  return entries_conflict(u, site, event, other, side_event, side_other);
}

/* Whether two events conflict somewhere else than in the tree of the thread of the earlier one. */
APART unf_status conflict_elsewhere(const unf_unfolding *u, uint32_t earlier, uint32_t later,
                                    bool *out) {
  *out = true;
  struct side side_x = {earlier, NULL}, side_y = {later, NULL};
  struct view x = view_event(u, earlier), y = view_event(u, later);
  if ((x.written != NONE &&
       own_conflict(u, x.written, earlier, view_at(u, &y, x.written), &side_x, &side_y)) ||
      (y.written != NONE &&
       own_conflict(u, y.written, later, view_at(u, &x, y.written), &side_y, &side_x)) ||
      own_conflict(u, y.own, later, view_at(u, &x, y.own), &side_y, &side_x))
    return UNF_OK;
  struct leaf_walk walk;
  struct leaf_view here, there;
  unfi_differences_begin(&walk, u, event_at(u, earlier)->cut, event_at(u, later)->cut);
  while (unfi_differences_next(&walk, &here, &there))
    if (leaves_conflict(u, &here, &there, &side_x, &side_y)) return UNF_OK;
  *out = false;
  return UNF_OK;
}

/* What conflict_after() says where the tree of the thread has to be climbed: for a later `last`,
 * ... */
APART unf_status is_outside(const unf_unfolding *u, uint32_t event, uint32_t last, bool *out) {
  *out = !unfi_ancestor_far(u, *own_node(u, event), branch_of(*own_node(u, last)));
  return UNF_OK;
}

/* ... and for an earlier one. */
APART unf_status is_outside_or_elsewhere(const unf_unfolding *u, uint32_t earlier, uint32_t later,
                                         uint32_t site, uint32_t last, bool *out) {
  struct node above = thread_node(u, last, site);
  if (unfi_ancestor_far(u, above, branch_of(*own_node(u, earlier))))
    return conflict_elsewhere(u, earlier, later, out);
  *out = true;
  return UNF_OK;
}

/* Of two events of which the first has the smaller handle, where the history of the other one has
 * `last` of its thread. An event that created the thread, and is not in the history of the first
 * one, has a node on no branch of the thread's tree. */
WITHIN unf_status conflict_after(const unf_unfolding *u, uint32_t earlier, uint32_t later,
                                 uint32_t site, uint32_t last, bool *out) {
  if (last == 0) return conflict_elsewhere(u, earlier, later, out);
  *out = false;
  if (last == earlier) return UNF_OK;
  if (last > earlier) {
    enum answer answer = ancestor_at_once(u, *own_node(u, earlier), *own_node(u, last));
    if (answer == FURTHER) return is_outside(u, earlier, last, out);
    *out = answer == NO;
    return UNF_OK;
  }
  struct node above = thread_node(u, last, site);
  enum answer answer = ancestor_at_once(u, above, *own_node(u, earlier));
  if (answer == YES) return conflict_elsewhere(u, earlier, later, out);
  if (answer == FURTHER) return is_outside_or_elsewhere(u, earlier, later, site, last, out);
  *out = true;
  return UNF_OK;
}

APART unf_status conflict_by_search(const unf_unfolding *u, uint32_t earlier, uint32_t later,
                                    uint32_t site, bool *out) {
  return conflict_after(u, earlier, later, site, cut_entry(u, later, site), out);
}

WITHIN unf_status conflict(const unf_unfolding *u, uint32_t a, uint32_t b, bool *out) {
  uint32_t earlier = a < b ? a : b, later = a < b ? b : a;
  if (earlier == 0) {
    *out = false;
    return UNF_OK;
  }
  uint32_t site = action_of(u, earlier)->site, last;
  if (!cut_entry_at_once(u, later, site, &last))
    return conflict_by_search(u, earlier, later, site, out);
  return conflict_after(u, earlier, later, site, last, out);
}

bool unfi_conflict(const unf_unfolding *u, uint32_t a, uint32_t b) {
  bool result;
  conflict(u, a, b, &result);
  return result;
}

/* The entries that a cut has at the sites of a leaf. */
static struct leaf_view leaf_of_cut(struct cut cut, uint32_t first, uint32_t count) {
  struct leaf_view leaf = {NULL, 0, first};
  if (cut.count <= first) return leaf;
  leaf.entries = cut.entries + first;
  leaf.count = cut.count - first < count ? cut.count - first : count;
  return leaf;
}

bool unfi_conflict_cut(const unf_unfolding *u, struct cut cut, uint32_t event) {
  if (event == 0) return false;
  struct side side_cut = {NONE, &cut}, side_event = {event, NULL};
  struct view view = view_event(u, event);
  uint32_t last = cut_at(cut, view.own);
  if (last == event) return false;
  if (last > event) return !ancestor(u, *own_node(u, event), *own_node(u, last));
  if (last != 0 && !ancestor(u, thread_node(u, last, view.own), *own_node(u, event))) return true;
  if (view.written != NONE &&
      own_conflict(u, view.written, event, cut_at(cut, view.written), &side_event, &side_cut))
    return true;
  struct leaf_walk walk;
  struct leaf_view here;
  unfi_leaves_begin(&walk, u, event_at(u, event)->cut);
  while (unfi_leaves_next(&walk, &here)) {
    struct leaf_view there = leaf_of_cut(cut, here.first, here.count);
    if (leaves_conflict(u, &here, &there, &side_event, &side_cut)) return true;
  }
  return false;
}

bool unfi_conflict_at(const unf_unfolding *u, struct cut a, struct cut b, uint32_t first) {
  struct side side_a = {NONE, &a}, side_b = {NONE, &b};
  if (first >= a.count || first >= b.count || first >= u->sites.count) return false;
  struct leaf_view here = leaf_of_cut(a, first, BLOCK), there = leaf_of_cut(b, first, BLOCK);
  return leaves_conflict(u, &here, &there, &side_a, &side_b);
}

/* ---- the public queries ---- */

static unf_status unknown(const unf_unfolding *u) {
  return unfi_fail(u->context, UNF_UNKNOWN, "event");
}

unf_status unf_event_precedes(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  /* Of handles, causes have the smaller ones. */
  if (a >= b) {
    if (!known_event(u, a)) return unknown(u);
    *out = a == b;
    return UNF_OK;
  }
  return known_event(u, b) ? precedes(u, a, b, out) : unknown(u);
}

unf_status unf_event_conflicts(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  return conflict(u, a, b, out);
}

unf_status unf_event_concurrent(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = !unfi_precedes(u, a, b) && !unfi_precedes(u, b, a) && !unfi_conflict(u, a, b);
  return UNF_OK;
}

/* Whether an event at the top of an entry is in conflict with b. */
static bool entry_conflicts(const unf_unfolding *u, uint32_t entry, uint32_t b) {
  if (!(entry & ROW_TAG)) return unfi_conflict(u, entry, b);
  const struct layer *layer = layer_at(u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (unfi_conflict(u, layer->members[i], b)) return true;
  return false;
}

/* Whether some immediate predecessor of a is in conflict with b. */
static bool past_conflicts(const unf_unfolding *u, uint32_t a, uint32_t b) {
  uint32_t count;
  const uint32_t *follows = event_follows(u, a, &count);
  if (unfi_conflict(u, event_at(u, a)->before, b)) return true;
  for (uint32_t i = 0; i < count; i++)
    if (entry_conflicts(u, follows[i], b)) return true;
  return false;
}

unf_status unf_event_conflicts_immediately(const unf_unfolding *u, unf_event a, unf_event b,
                                           bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = unfi_conflict(u, a, b) && !past_conflicts(u, a, b) && !past_conflicts(u, b, a);
  return UNF_OK;
}
