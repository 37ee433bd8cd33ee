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
  if (last < a) return false;
  return ancestor(u, *own_node(u, a), *own_node(u, last));
}

bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event) {
  if (event == 0) return true;
  uint32_t last = cut_at(cut, action_of(u, event)->site);
  if (last < event) return false;
  return ancestor(u, *own_node(u, event), *own_node(u, last));
}

bool unfi_diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y) {
  if (x > y) {
    uint32_t swap = x;
    x = y;
    y = swap;
  }
  return !ancestor(u, node_in(u, x, site), node_in(u, y, site));
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

static inline struct view view_cut(struct cut cut) {
  struct view view = {cut.entries, cut.count, NONE, NONE, 0};
  return view;
}

/*
 * The compared sites from the one at position i on. Entries that differ are looked at some at a
 * time: their events are all over memory, and asking for them together costs one wait instead of
 * many.
 */
static bool views_conflict(const unf_unfolding *u, const struct view *a, const struct view *b,
                           const struct side *side_a, const struct side *side_b, uint32_t i) {
  enum { TOGETHER = 8 };
  uint32_t sites[TOGETHER], x[TOGETHER], y[TOGETHER];
  while (i < u->store.compared.count) {
    uint32_t count = 0;
    for (; i < u->store.compared.count && count < TOGETHER; i++) {
      uint32_t site = u->store.compared.data[i];
      uint32_t here = view_at(a, site), there = view_at(b, site);
      if (here == there || here == 0 || there == 0) continue;
      if (!((here | there) & ROW_TAG)) {
        __builtin_prefetch(other_node(u, here));
        __builtin_prefetch(other_node(u, there));
      }
      sites[count] = site;
      x[count] = here;
      y[count++] = there;
    }
    for (uint32_t j = 0; j < count; j++)
      if (entries_conflict(u, sites[j], x[j], y[j], side_a, side_b)) return true;
  }
  return false;
}

bool unfi_conflict(const unf_unfolding *u, uint32_t a, uint32_t b) {
  if (a == 0 || b == 0 || a == b) return false;
  struct side side_a = {a, {0}}, side_b = {b, {0}};
  struct view view_a = view_event(u, a), view_b = view_event(u, b);
  /* Events of different executions are mostly in conflict, which the first site with different
     entries tells; events of one execution are mostly ordered, which is cheaper to ask than the
     other sites. */
  uint32_t i = 0;
  for (bool differ = false; i < u->store.compared.count && !differ; i++) {
    uint32_t site = u->store.compared.data[i];
    uint32_t x = view_at(&view_a, site), y = view_at(&view_b, site);
    differ = x != y && x != 0 && y != 0;
    if (differ && entries_conflict(u, site, x, y, &side_a, &side_b)) return true;
  }
  if (i == u->store.compared.count) return false;
  if (a < b ? unfi_precedes(u, a, b) : unfi_precedes(u, b, a)) return false;
  return views_conflict(u, &view_a, &view_b, &side_a, &side_b, i);
}

bool unfi_conflict_cut(const unf_unfolding *u, struct cut cut, uint32_t event) {
  if (event == 0) return false;
  struct side side_cut = {NONE, cut}, side_event = {event, {0}};
  struct view view_a = view_cut(cut), view_b = view_event(u, event);
  return views_conflict(u, &view_a, &view_b, &side_cut, &side_event, 0);
}

bool unfi_conflict_cuts(const unf_unfolding *u, struct cut a, struct cut b) {
  struct side side_a = {NONE, a}, side_b = {NONE, b};
  struct view view_a = view_cut(a), view_b = view_cut(b);
  return views_conflict(u, &view_a, &view_b, &side_a, &side_b, 0);
}
