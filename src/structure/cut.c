/*
 * Cuts. An event has the record of its causes' histories together. What it writes itself, at the
 * site of its thread and one more, is answered by cut_entry() before the record is looked at, so
 *
 * - an event that follows nothing but what the event before it on its thread knows has the record
 * of that, with what that event wrote unless it is written again: an unlock has the one of its
 * lock;
 * - an event that follows another which knows all the rest has the record of that event's own
 *   history, as have all that follow it so: a thousand threads that wait for a mutex;
 * - else the records are merged.
 *
 * The record of an event's own history is made when the first event needs it, and kept.
 */
#include "structure/cut.h"

#include <string.h>

#include "structure/action.h"
#include "structure/block.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/gathering.h"
#include "structure/layer.h"

bool unfi_leaf_merge(unf_unfolding *u, uint32_t *entries, const uint32_t *others, uint32_t count) {
  uint32_t tags = 0;
  for (uint32_t i = 0; i < count; i++)
    tags |= entries[i] | others[i];
  if (tags & ROW_TAG) {
    for (uint32_t i = 0; i < count; i++)
      if (!merge_entry(u, &entries[i], others[i])) return false;
  } else {
    for (uint32_t i = 0; i < count; i++)
      entries[i] = entries[i] > others[i] ? entries[i] : others[i];
  }
  return true;
}

bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event) {
  struct leaf_walk walk;
  struct leaf_view leaf;
  if (event == 0) return true;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *words = block_at(u, e->cut);
  if (is_leaf(words)) {
    if (!unfi_leaf_merge(u, entries, words + 1, words[0])) return false;
  } else {
    unfi_leaves_begin(&walk, u, e->cut);
    while (unfi_leaves_next(&walk, &leaf))
      if (!unfi_leaf_merge(u, entries + leaf.first, leaf.entries, leaf.count)) return false;
  }
  /* What the event wrote itself is later than what the record has of the site. */
  return merge_entry(u, &entries[a->site], event) &&
         (a->written == NONE || merge_entry(u, &entries[a->written], event));
}

/* Merges the cut of everything at the top of an entry into an array by site. Returns false when
 * refused. */
static bool merge_top(unf_unfolding *u, uint32_t *entries, uint32_t entry) {
  if (!(entry & ROW_TAG)) return unfi_cut_merge(u, entries, entry);
  for (uint32_t i = 0; i < layer_count(layer_at(u, entry)); i++)
    if (!unfi_cut_merge(u, entries, layer_at(u, entry)->members[i])) return false;
  return true;
}

/* Every new entry is made before any is changed. */
static bool enter_several(unf_unfolding *u, uint32_t *entries, uint32_t event,
                          const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  if (!vector_reserve(u->context, &u->store.entry_room, count)) return false;
  uint32_t *after = u->store.entry_room.data;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t before = entries[uses[i].site];
    after[i] = uses[i].access == ACCESS_WRITE ? event : before;
    bool layered = uses[i].access == ACCESS_READ || uses[i].access == ACCESS_ADD;
    if (layered && !unfi_entry_add(u, before, uses[i].access, event, a->site, &after[i]))
      return false;
  }
  for (uint32_t i = 0; i < count; i++)
    entries[uses[i].site] = after[i];
  return true;
}

bool unfi_cut_enter_layered(unf_unfolding *u, uint32_t *entries, uint32_t event,
                            const struct action *a) {
  if (a->count > 1) return enter_several(u, entries, event, a);
  uint32_t *entry = &entries[a->first.site];
  return unfi_entry_add(u, *entry, a->first.access, event, a->site, entry);
}

bool unfi_follow_several(unf_unfolding *u, struct cut cut, const struct action *a,
                         uint32_t *follows) {
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  if (!vector_reserve(u->context, &u->store.row_room, count)) return false;
  for (uint32_t i = 0; i < count; i++)
    u->store.row_room.data[i] = unfi_followed(u, cut_at(cut, uses[i].site), uses[i].access);
  return unfi_row_intern(u, u->store.row_room.data, count, follows);
}

/* Set in the full record of an event that says what it ought to at the site of its thread too. */
#define WHOLE 0x80000000u

/* A leaf with one or two other entries, at sites that ascend, in a program of few sites. */
static bool set_in_few(unf_unfolding *u, const uint32_t *leaf, const struct slot *slots,
                       uint32_t count, uint32_t *out) {
  uint32_t old = leaf[0], end = slots[count - 1].site + 1, i = 0;
  if (end < old) end = old;
  uint32_t *entries = leaf_take(u, end, out);
  if (entries == NULL) return false;
  for (; i < old; i++)
    entries[i] = leaf[1 + i];
  for (; i < end; i++)
    entries[i] = 0;
  entries[slots[0].site] = slots[0].entry;
  entries[slots[count - 1].site] = slots[count - 1].entry;
  return true;
}

/* The record of an event's history, itself included: at all sites, or, if not `whole`, at all
 * but that of its thread. Kept with the event, for what follows it. Returns false when refused. */
APART bool full_record(unf_unfolding *u, uint32_t event, bool whole, uint32_t *out) {
  struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  struct slot slots[2];
  uint32_t count = 0;
  *out = (e->full != 0 ? e->full : e->cut) & ~WHOLE;
  if (e->full & WHOLE || (e->full != 0 && !whole)) return true;
  const uint32_t *words = block_at(u, *out);
  if (a->written != NONE && block_entry(u, words, a->written) != event)
    slots[count++] = (struct slot){a->written, event};
  if (whole && block_entry(u, words, a->site) != event) {
    slots[count++] = (struct slot){a->site, event};
    if (count == 2 && a->site < a->written) {
      slots[1] = slots[0];
      slots[0].site = a->site;
    }
  }
  bool good = count == 0 || (is_leaf(words) && u->sites.count <= BLOCK
                                 ? set_in_few(u, words, slots, count, out)
                                 : unfi_block_set(u, *out, slots, count, out));
  if (!good) return false;
  e->full = *out | (whole ? WHOLE : 0);
  return true;
}

/* The record of the history of the event before an event, at all sites that the event does not
 * write itself. */
static inline bool record_before(unf_unfolding *u, uint32_t before, const struct action *a,
                                 uint32_t *out) {
  *out = NO_ENTRIES;
  if (before == 0) return true;
  const struct event *b = event_at(u, before);
  const struct action *c = &u->actions.data[b->action];
  *out = b->cut;
  if (c->site != a->site) return full_record(u, before, true, out);
  if (c->written == NONE || c->written == a->written) return true;
  return full_record(u, before, false, out);
}

/* Whether an entry that an event follows is all in the history of the event before it. */
static inline bool is_known(const unf_unfolding *u, uint32_t before, const struct use *use,
                            uint32_t follows) {
  uint32_t seen = cut_entry(u, before, use->site);
  return unfi_followed(u, seen, use->access) == follows;
}

/* How many entries there are at least with what an event writes itself; NONE is behind them. */
static inline uint32_t end_with(uint32_t count, const struct action *a) {
  uint32_t own = a->site + 1, other = a->written + 1;
  if (count < own) count = own;
  return count < other ? other : count;
}

/* Enters what an event writes itself among entries of which none is a layer. */
static void enter_plain(uint32_t *entries, const struct action *a, uint32_t event) {
  if (entries[a->site] < event) entries[a->site] = event;
  if (a->written != NONE && entries[a->written] < event) entries[a->written] = event;
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t four_signs __attribute__((vector_size(16)));

/* The greater ones of entries that are no layers. */
static inline four greater_of(four x, four y) {
  four larger = (four)((four_signs)x > (four_signs)y);
  return (x & larger) | (y & ~larger);
}

static void greater_entries(uint32_t *to, const uint32_t *x, const uint32_t *y, uint32_t count) {
  if (count < 4) {
    for (uint32_t i = 0; i < count; i++)
      to[i] = x[i] > y[i] ? x[i] : y[i];
    return;
  }
  /* The last four may be some that were done. */
  for (uint32_t i = 0;; i += 4) {
    if (i > count - 4) i = count - 4;
    *(four *)(to + i) = greater_of(*(const four *)(x + i), *(const four *)(y + i));
    if (i == count - 4) break;
  }
}

static bool has_layer(const uint32_t *leaf) {
  uint32_t tags = 0;
  for (uint32_t i = 1; i <= leaf[0]; i++)
    tags |= leaf[i];
  return tags & ROW_TAG;
}

/* Whether the leaf of one of two events has a layer; in a program of few sites. */
static bool layers_among(const unf_unfolding *u, uint32_t a, uint32_t b) {
  if (u->store.rows.chunks.count == 0) return false;
  return has_layer(block_at(u, event_at(u, a)->cut)) || has_layer(block_at(u, event_at(u, b)->cut));
}

/* Makes the leaf of an event that follows two others, in a program of few sites, where neither it
 * nor they have layers. */
static bool merge_two(unf_unfolding *u, uint32_t event, const struct causes *causes,
                      uint32_t *out) {
  const struct action *a = &u->actions.data[causes->action];
  const struct event *b = event_at(u, causes->before), *f = event_at(u, causes->follows);
  const struct action *ab = &u->actions.data[b->action], *af = &u->actions.data[f->action];
  const uint32_t *x = block_at(u, b->cut), *y = block_at(u, f->cut);
  if (x[0] < y[0]) {
    const uint32_t *swap = x;
    x = y;
    y = swap;
  }
  uint32_t longer = *x++, shorter = *y++;
  uint32_t count = end_with(end_with(end_with(longer, ab), af), a);
  uint32_t *entries = leaf_take(u, count, out);
  if (entries == NULL) return false;
  greater_entries(entries, x, y, shorter);
  for (uint32_t i = shorter; i < longer; i++)
    entries[i] = x[i];
  for (uint32_t i = longer; i < count; i++)
    entries[i] = 0;
  enter_plain(entries, ab, causes->before);
  enter_plain(entries, af, causes->follows);
  entries[a->site] = event;
  if (a->written != NONE) entries[a->written] = event;
  return true;
}

/* The cut of an event as an array of all sites, of which there are few. */
static void copy_few(const unf_unfolding *u, uint32_t event, uint32_t *entries) {
  const struct action *a = action_of(u, event);
  const uint32_t *leaf = block_at(u, event_at(u, event)->cut);
  memset(entries, 0, u->sites.count * sizeof *entries);
  if (event == 0) return;
  memcpy(entries, leaf + 1, leaf[0] * sizeof *entries);
  entries[a->site] = event;
  if (a->written != NONE) entries[a->written] = event;
}

/* Makes the leaf of an event with one use, which adds itself to what the event before it on its
 * thread knows there, in a program of few sites. */
static bool add_to_known(unf_unfolding *u, uint32_t event, const struct causes *causes,
                         const struct action *a, uint32_t seen, uint32_t *out) {
  uint32_t before = causes->before, site = a->first.site, entry, i = 0;
  if (!unfi_entry_add_own(u, seen, causes->follows, a, event, &entry)) return false;
  const struct event *e = event_at(u, before);
  const struct action *b = &u->actions.data[e->action];
  const uint32_t cut = e->cut;
  uint32_t known = block_at(u, cut)[0];
  uint32_t count = end_with(site >= known ? site + 1 : known, a);
  if (before != 0) count = end_with(count, b);
  uint32_t *entries = leaf_take(u, count, out);
  if (entries == NULL) return false;
  const uint32_t *leaf = block_at(u, cut) + 1;
  for (; i < known; i++)
    entries[i] = leaf[i];
  for (; i < count; i++)
    entries[i] = 0;
  if (before != 0) entries[b->site] = before;
  if (b->written != NONE) entries[b->written] = before;
  entries[site] = entry;
  entries[a->site] = event;
  return true;
}

/* What an event writes itself is later than what its record has. */
static inline bool merge_own(unf_unfolding *u, uint32_t *entries, const struct action *a,
                             uint32_t event) {
  return event == 0 || (merge_entry(u, &entries[a->site], event) &&
                        (a->written == NONE || merge_entry(u, &entries[a->written], event)));
}

/* Makes the leaf of an event with one use, which follows the event before it on its thread and
 * another one, in a program of few sites. */
static bool merge_with(unf_unfolding *u, uint32_t event, const struct causes *causes,
                       uint32_t other, uint32_t *out) {
  const struct action *a = &u->actions.data[causes->action];
  const struct event *b = event_at(u, causes->before), *f = event_at(u, other);
  const struct action *ab = &u->actions.data[b->action], *af = &u->actions.data[f->action];
  const uint32_t *x = block_at(u, b->cut), *y = block_at(u, f->cut);
  uint32_t known = *x++, others = *y++, i = 0, end = a->layered ? a->first.site + 1 : 0;
  if (end < known) end = known;
  uint32_t count = end_with(end_with(end_with(end < others ? others : end, ab), af), a);
  uint32_t *entries = leaf_take(u, count, out);
  if (entries == NULL) return false;
  for (; i < known; i++)
    entries[i] = x[i];
  for (; i < count; i++)
    entries[i] = 0;
  for (i = 0; i < others; i++)
    if (entries[i] != y[i] && !merge_entry(u, &entries[i], y[i])) return false;
  return merge_own(u, entries, ab, causes->before) && merge_own(u, entries, af, other) &&
         cut_enter(u, entries, event, a);
}

/* In a program of few sites a record is made in an array of all of them. */
static bool merge_few(unf_unfolding *u, uint32_t event, const struct causes *causes,
                      uint32_t *out) {
  uint32_t entries[BLOCK], count, last = u->sites.count;
  const uint32_t *follows = causes_follow(u, causes, &count);
  if (count == 1 && entry_size(u, *follows) == 1) {
    bool layer = *follows & ROW_TAG;
    return merge_with(u, event, causes, layer ? layer_at(u, *follows)->members[0] : *follows, out);
  }
  copy_few(u, causes->before, entries);
  for (uint32_t i = 0; i < count; i++)
    if (!merge_top(u, entries, follows[i])) return false;
  if (!cut_enter(u, entries, event, &u->actions.data[causes->action])) return false;
  while (entries[last - 1] == 0)
    last--;
  uint32_t *leaf = leaf_take(u, last, out);
  if (leaf == NULL) return false;
  memcpy(leaf, entries, last * sizeof *leaf);
  return true;
}

/* What the thread of an addition has added in its layer, which the layer is then made of; `seen` is
 * the entry that the thread knows. */
static inline void carry_sum(unf_unfolding *u, uint32_t event, const struct causes *causes,
                             const struct action *a, uint32_t seen) {
  int64_t sum = u->effects->actions[a->kind].family->amount(u, event);
  if (seen & ROW_TAG) {
    const struct layer *layer = layer_at(u, seen);
    bool same = layer->access == ACCESS_ADD && layer->floor == causes->follows;
    bool alone = same && layer_count(layer) == 1 && layer->members[0] == causes->before;
    uint32_t last = alone ? causes->before : same ? unfi_layer_member(u, layer, a->site) : 0;
    if (last != 0) sum = (int64_t)((uint64_t)sum + (uint64_t)carried_sum(u, last));
  }
  memcpy(carried_sum_at(u, event), &sum, sizeof sum);
}

/* Makes the leaf of an event that has entries of its own there, in a program of few sites; `seen`
 * is the entry of its first use that the thread knows. */
static bool add_to_few(unf_unfolding *u, uint32_t event, const struct causes *causes,
                       const struct action *a, uint32_t seen, uint32_t *out) {
  if (a->count > 1) return merge_few(u, event, causes, out);
  if (unfi_followed(u, seen, a->first.access) != causes->follows)
    return merge_few(u, event, causes, out);
  return add_to_known(u, event, causes, a, seen, out);
}

/* Merges the histories of the events at the top of entries of sites, which are many. */
static bool gather(unf_unfolding *u, const struct slot *slots, uint32_t count, uint32_t *record) {
  struct gathering *g = unfi_gathering_begin(u, *record);
  if (g == NULL) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!unfi_gather(u, g, slots[i].site, slots[i].entry)) return false;
  return unfi_gathering_end(u, g, record);
}

/* Merges the full records of the events at the top of entries of sites into a record. */
static bool merge_full(unf_unfolding *u, const struct slot *slots, uint32_t count,
                       uint32_t *record) {
  uint64_t events = 0;
  uint32_t full;
  for (uint32_t i = 0; i < count; i++)
    events += entry_size(u, slots[i].entry);
  if (events >= MANY_IN_LAYER) return gather(u, slots, count, record);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t entry = slots[i].entry, size = entry == 0 ? 0 : entry_size(u, entry);
    for (uint32_t j = 0; j < size; j++) {
      uint32_t event = entry & ROW_TAG ? layer_at(u, entry)->members[j] : entry;
      if (!full_record(u, event, true, &full) || !unfi_block_merge(u, *record, full, record))
        return false;
    }
  }
  return true;
}

/* Merges what the uses of an event follow and the event before it on its thread does not know. */
static bool merge_unknown(unf_unfolding *u, uint32_t before, const struct use *uses,
                          const uint32_t *follows, uint32_t count, uint32_t *record) {
  uint32_t unknown = 0;
  if (!vector_reserve(u->context, &u->store.slot_room, count)) return false;
  struct slot *slots = u->store.slot_room.data;
  for (uint32_t i = 0; i < count; i++)
    if (!is_known(u, before, &uses[i], follows[i]))
      slots[unknown++] = (struct slot){uses[i].site, follows[i]};
  return merge_full(u, slots, unknown, record);
}

/* Puts an event's own entries into its record, where that has them. */
static bool enter_uses(unf_unfolding *u, uint32_t event, const struct action *a, uint32_t *record) {
  uint32_t count, entered = 0;
  const struct use *uses = uses_of(u, a, &count);
  if (!vector_reserve(u->context, &u->store.slot_room, count)) return false;
  struct slot *slots = u->store.slot_room.data;
  for (uint32_t i = 0; i < count; i++) {
    struct slot slot = {uses[i].site, event};
    enum access access = uses[i].access;
    if (access == ACCESS_END) continue;
    uint32_t seen = block_entry(u, block_at(u, *record), slot.site), at = entered++;
    if (access != ACCESS_WRITE && !unfi_entry_add(u, seen, access, event, a->site, &slot.entry))
      return false;
    for (; at > 0 && slots[at - 1].site > slot.site; at--)
      slots[at] = slots[at - 1];
    slots[at] = slot;
  }
  return unfi_block_set(u, *record, slots, entered, record);
}

/* The record of an event that follows one other beside that before it on its thread, and has no
 * entries of its own there. */
APART bool record_of_two(unf_unfolding *u, uint32_t event, const struct causes *causes,
                         const struct action *a, uint32_t *out) {
  uint32_t before = causes->before, follows = causes->follows;
  if (!(follows & ROW_TAG)) {
    /* It has all the rest in its history. */
    if (before == 0 || cut_entry(u, follows, a->site) == before)
      return full_record(u, follows, true, out);
    if (u->sites.count <= BLOCK && !layers_among(u, before, follows))
      return merge_two(u, event, causes, out);
  }
  if (u->sites.count <= BLOCK) return merge_few(u, event, causes, out);
  const struct slot slot = {a->first.site, follows};
  return record_before(u, before, a, out) && merge_full(u, &slot, 1, out);
}

/* The record of an event that has entries of its own there. */
APART bool record_of_layered(unf_unfolding *u, uint32_t event, const struct causes *causes,
                             const struct action *a, uint32_t *out) {
  uint32_t count, before = causes->before;
  uint32_t seen = cut_entry(u, before, a->first.site);
  layers_forget(u, event);
  if (a->carries && a->first.access == ACCESS_ADD) carry_sum(u, event, causes, a, seen);
  if (u->sites.count <= BLOCK) return add_to_few(u, event, causes, a, seen, out);
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = causes_follow(u, causes, &count);
  return record_before(u, before, a, out) && merge_unknown(u, before, uses, follows, count, out) &&
         enter_uses(u, event, a, out);
}

bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out) {
  const struct action *a = &u->actions.data[causes->action];
  if (a->layered) return record_of_layered(u, event, causes, a, out);
  const struct event *b = event_at(u, causes->before);
  const struct action *c = &u->actions.data[b->action];
  bool follows_it = a->count == 0 || causes->follows == causes->before;
  if (follows_it && c->site == a->site && c->written == a->written) {
    *out = b->cut;
    return true;
  }
  if (a->count == 0 || is_known(u, causes->before, &a->first, causes->follows))
    return record_before(u, causes->before, a, out);
  return record_of_two(u, event, causes, a, out);
}
