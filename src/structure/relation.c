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
 */
#include "structure/relation.h"

#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/tree.h"

bool unfi_precedes(const unf_unfolding *u, uint32_t a, uint32_t b) {
  if (a >= b) return a == b;
  if (a == 0) return true;
  uint32_t last = cut_entry(u, b, action_of(u, a)->site);
  if (last <= a) return last == a;
  return ancestor(u, *own_node(u, a), *own_node(u, last));
}

bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event) {
  if (event == 0) return true;
  uint32_t last = cut_at(cut, action_of(u, event)->site);
  if (last <= event) return last == event;
  return ancestor(u, *own_node(u, event), *own_node(u, last));
}

bool unfi_diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y) {
  if (x > y) {
    uint32_t swap = x;
    x = y;
    y = swap;
  }
  return !ancestor(u, *node_in(u, x, site), *node_in(u, y, site));
}

/* One side of a conflict: a single event's history, or a cut. */
struct side {
  uint32_t event;
  struct cut cut;
};

static bool side_has(const unf_unfolding *u, const struct side *side, uint32_t event) {
  return side->event != NONE ? unfi_precedes(u, event, side->event)
                             : unfi_in_cut(u, side->cut, event);
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
  return unfi_diverge(u, site, x, y);
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

bool unfi_conflict(const unf_unfolding *u, uint32_t a, uint32_t b) {
  if (a == 0 || b == 0 || a == b) return false;
  struct side side_a = {a, {0}}, side_b = {b, {0}};
  struct view x = view_event(u, a), y = view_event(u, b);
  /* Events of different executions are mostly in conflict, as what they wrote last shows; events
   * of one execution are mostly ordered, which is cheaper to ask than the other sites. */
  if (x.written != NONE &&
      own_conflict(u, x.written, a, view_at(u, &y, x.written), &side_a, &side_b))
    return true;
  if (a < b ? unfi_precedes(u, a, b) : unfi_precedes(u, b, a)) return false;
  if ((y.written != NONE &&
       own_conflict(u, y.written, b, view_at(u, &x, y.written), &side_b, &side_a)) ||
      own_conflict(u, x.own, a, view_at(u, &y, x.own), &side_a, &side_b) ||
      own_conflict(u, y.own, b, view_at(u, &x, y.own), &side_b, &side_a))
    return true;
  struct leaf_walk walk;
  struct leaf_view here, there;
  unfi_differences_begin(&walk, u, event_at(u, a)->cut, event_at(u, b)->cut);
  while (unfi_differences_next(&walk, &here, &there))
    if (leaves_conflict(u, &here, &there, &side_a, &side_b)) return true;
  return false;
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
  struct side side_cut = {NONE, cut}, side_event = {event, {0}};
  struct view view = view_event(u, event);
  if (own_conflict(u, view.own, event, cut_at(cut, view.own), &side_event, &side_cut) ||
      (view.written != NONE &&
       own_conflict(u, view.written, event, cut_at(cut, view.written), &side_event, &side_cut)))
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

bool unfi_conflict_cuts(const unf_unfolding *u, struct cut a, struct cut b) {
  struct side side_a = {NONE, a}, side_b = {NONE, b};
  for (uint32_t first = 0; first < a.count && first < u->sites.count; first += BLOCK) {
    struct leaf_view here = leaf_of_cut(a, first, BLOCK), there = leaf_of_cut(b, first, BLOCK);
    if (leaves_conflict(u, &here, &there, &side_a, &side_b)) return true;
  }
  return false;
}
