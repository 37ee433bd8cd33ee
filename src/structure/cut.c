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
#include "structure/event.h"
#include "structure/layer.h"

static bool merge_leaf(unf_unfolding *u, uint32_t *entries, const uint32_t *others,
                       uint32_t count) {
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
  unfi_leaves_begin(&walk, u, e->cut);
  while (unfi_leaves_next(&walk, &leaf))
    if (!merge_leaf(u, entries + leaf.first, leaf.entries, leaf.count)) return false;
  /* What the event wrote itself is later than what the record has of the site. */
  return merge_entry(u, &entries[a->site], event) &&
         (a->written == NONE || merge_entry(u, &entries[a->written], event));
}

bool unfi_cut_merge_entry(unf_unfolding *u, uint32_t *entries, uint32_t entry) {
  if (!(entry & ROW_TAG)) return unfi_cut_merge(u, entries, entry);
  for (uint32_t i = 0; i < layer_count(layer_at(u, entry)); i++)
    if (!unfi_cut_merge(u, entries, layer_at(u, entry)->members[i])) return false;
  return true;
}

static bool enter_one(unf_unfolding *u, uint32_t *entry, uint32_t event, const struct action *a) {
  enum access access = a->first.access;
  if (access == ACCESS_READ || access == ACCESS_ADD)
    return unfi_entry_add(u, *entry, access, event, a->site, entry);
  if (access == ACCESS_WRITE) *entry = event;
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

bool unfi_cut_enter(unf_unfolding *u, uint32_t *entries, uint32_t event, const struct action *a) {
  if (a->count == 1 && !enter_one(u, &entries[a->first.site], event, a)) return false;
  if (a->count > 1 && !enter_several(u, entries, event, a)) return false;
  entries[a->site] = event;
  return true;
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

/* Whether the action has its own entries in the record of its event: of several uses, and in
 * layers. */
static bool enters_record(const struct action *a) {
  return a->count > 1 || a->first.access == ACCESS_READ || a->first.access == ACCESS_ADD;
}

/* Set in the full record of an event that says what it ought to at the site of its thread too. */
#define WHOLE 0x80000000u

/* The record of an event's history, itself included: at all sites, or, if not `whole`, at all
 * but that of its thread. Kept with the event, for what follows it. Returns false when refused. */
static bool full_record(unf_unfolding *u, uint32_t event, bool whole, uint32_t *out) {
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
  if (count > 0 && !unfi_block_set(u, *out, slots, count, out)) return false;
  e->full = *out | (whole ? WHOLE : 0);
  return true;
}

/* The record of the history of the event before an event, at all sites that the event does not
 * write itself. */
static bool record_before(unf_unfolding *u, uint32_t before, const struct action *a,
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
static bool is_known(const unf_unfolding *u, uint32_t before, const struct use *use,
                     uint32_t follows) {
  uint32_t seen = before == 0 ? 0 : cut_entry(u, before, use->site);
  return unfi_followed(u, seen, use->access) == follows;
}

/* How many entries there are at least with what an event writes itself. */
static uint32_t end_with(uint32_t count, const struct action *a) {
  if (a->site >= count) count = a->site + 1;
  return a->written != NONE && a->written >= count ? a->written + 1 : count;
}

/* Enters what an event writes itself among entries of which none is a layer. */
static void enter_plain(uint32_t *entries, const struct action *a, uint32_t event) {
  if (entries[a->site] < event) entries[a->site] = event;
  if (a->written != NONE && entries[a->written] < event) entries[a->written] = event;
}

/* Makes the leaf of an event that follows two others and has no entries of its own in its record,
 * in a program of few sites; *done: there are no layers in it, so it is made. */
static bool merge_two(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out,
                      bool *done) {
  const struct action *a = &u->actions.data[causes->action];
  const struct event *b = event_at(u, causes->before), *f = event_at(u, causes->follows);
  const uint32_t *x = block_at(u, b->cut), *y = block_at(u, f->cut);
  if (x[0] < y[0]) {
    const uint32_t *swap = x;
    x = y;
    y = swap;
  }
  uint32_t tags = 0, longer = *x++, shorter = *y++;
  const struct action *ab = &u->actions.data[b->action], *af = &u->actions.data[f->action];
  for (uint32_t i = 0; i < longer; i++)
    tags |= x[i];
  for (uint32_t i = 0; i < shorter; i++)
    tags |= y[i];
  *done = !(tags & ROW_TAG);
  if (!*done) return true;
  uint32_t count = end_with(end_with(end_with(longer, ab), af), a);
  uint32_t *entries = unfi_leaf_take(u, count, out);
  if (entries == NULL) return false;
  for (uint32_t i = 0; i < shorter; i++)
    entries[i] = x[i] > y[i] ? x[i] : y[i];
  for (uint32_t i = shorter; i < longer; i++)
    entries[i] = x[i];
  for (uint32_t i = longer; i < count; i++)
    entries[i] = 0;
  enter_plain(entries, ab, causes->before);
  enter_plain(entries, af, causes->follows);
  enter_plain(entries, a, event);
  return true;
}

/* In a program of few sites a record is made in an array of all of them. */
static bool merge_few(unf_unfolding *u, uint32_t event, const struct causes *causes,
                      uint32_t *out) {
  uint32_t entries[BLOCK] = {0}, count, last = u->sites.count;
  const uint32_t *follows = causes_follow(u, causes, &count);
  if (!unfi_cut_merge(u, entries, causes->before)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!unfi_cut_merge_entry(u, entries, follows[i])) return false;
  if (!unfi_cut_enter(u, entries, event, &u->actions.data[causes->action])) return false;
  while (entries[last - 1] == 0)
    last--;
  uint32_t *leaf = unfi_leaf_take(u, last, out);
  if (leaf == NULL) return false;
  memcpy(leaf, entries, last * sizeof *leaf);
  return true;
}

/* Merges the full records of the events at the top of an entry into a record. */
static bool merge_full(unf_unfolding *u, uint32_t entry, uint32_t *record) {
  uint32_t count = entry_size(u, entry), full;
  for (uint32_t i = 0; i < count && entry != 0; i++) {
    uint32_t event = entry & ROW_TAG ? layer_at(u, entry)->members[i] : entry;
    if (!full_record(u, event, true, &full) || !unfi_block_merge(u, *record, full, record))
      return false;
  }
  return true;
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

bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out) {
  const struct action *a = &u->actions.data[causes->action];
  uint32_t count, unknown = 0, before = causes->before, last = 0;
  const struct use *uses = uses_of(u, a, &count);
  const uint32_t *follows = causes_follow(u, causes, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (is_known(u, before, &uses[i], follows[i])) continue;
    unknown += entry_size(u, follows[i]);
    last = follows[i];
  }
  bool enters = enters_record(a);
  if (!enters && unknown == 0) return record_before(u, before, a, out);
  /* One event that has all the rest in its history. */
  if (!enters && unknown == 1 && !(last & ROW_TAG) &&
      (before == 0 || cut_entry(u, last, a->site) == before))
    return full_record(u, last, true, out);
  if (u->sites.count <= BLOCK) {
    bool done = false;
    if (!enters && count == 1 && before != 0 && !(last & ROW_TAG) &&
        !merge_two(u, event, causes, out, &done))
      return false;
    return done || merge_few(u, event, causes, out);
  }
  if (!record_before(u, before, a, out)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!is_known(u, before, &uses[i], follows[i]) && !merge_full(u, follows[i], out)) return false;
  return !enters || enter_uses(u, event, a, out);
}
