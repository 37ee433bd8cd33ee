/*
 * Cuts. The record of a new event is the elementwise maximum of its causes' cuts, unless all its
 * causes lie in the history of the event before it on its thread: then it shares that event's
 * record, because what it writes itself is answered by cut_entry() before the record is looked at.
 * An unlock after its lock costs no record.
 */
#include "structure/cut.h"

#include <string.h>

#include "structure/action.h"
#include "structure/event.h"
#include "structure/layer.h"

static bool merge_slot(unf_unfolding *u, uint32_t *entry, uint32_t other) {
  if ((*entry | other) & ROW_TAG) return unfi_entry_merge(u, *entry, other, entry);
  if (other > *entry) *entry = other;
  return true;
}

bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event) {
  if (event == 0) return true;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *record = arena_at(&u->store.cuts, e->cut);
  uint32_t count = record[0], tags = 0;
  record++;
  for (uint32_t i = 0; i < count; i++)
    tags |= entries[i] | record[i];
  if (tags & ROW_TAG) {
    for (uint32_t i = 0; i < count; i++) {
      bool own = i == a->site || i == a->written;
      if (!own && !merge_slot(u, &entries[i], record[i])) return false;
    }
  } else {
    /* What the event wrote itself is larger than the record's older entry for the site. */
    for (uint32_t i = 0; i < count; i++)
      entries[i] = entries[i] > record[i] ? entries[i] : record[i];
  }
  if (!merge_slot(u, &entries[a->site], event)) return false;
  return a->written == NONE || merge_slot(u, &entries[a->written], event);
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

/* Whether the record of the event before, as it stands, gives the right answers for the new event.
 */
static bool can_share(const unf_unfolding *u, const struct causes *causes) {
  const struct action *a = &u->actions.data[causes->action];
  /* Of several uses, and in a layer, its own entries stand in the record. */
  if (a->count > 1 || a->first.access == ACCESS_READ || a->first.access == ACCESS_ADD) return false;
  if (causes->before != 0) {
    const struct event *b = event_at(u, causes->before);
    const struct action *c = &u->actions.data[b->action];
    const uint32_t *record = arena_at(&u->store.cuts, b->cut);
    uint32_t written[2] = {c->site, c->written};
    for (unsigned i = 0; i < 2; i++) {
      uint32_t site = written[i];
      if (site == NONE || site == a->site || site == a->written) continue;
      if (site >= record[0] || record[1 + site] != causes->before) return false;
    }
  }
  if (a->count == 0) return true;
  uint32_t seen = causes->before == 0 ? 0 : cut_entry(u, causes->before, a->first.site);
  return seen == causes->follows;
}

/* Everything that an event follows beside its thread. */
static bool merge_followed(unf_unfolding *u, uint32_t *entries, const struct causes *causes) {
  uint32_t count;
  const uint32_t *follows = causes_follow(u, causes, &count);
  for (uint32_t i = 0; i < count; i++)
    if (!unfi_cut_merge_entry(u, entries, follows[i])) return false;
  return true;
}

/* The cut of an event, itself included. */
static void copy_cut(const unf_unfolding *u, uint32_t *entries, uint32_t event) {
  const struct event *e = event_at(u, event);
  const uint32_t *record = event != 0 ? arena_at(&u->store.cuts, e->cut) : NULL;
  uint32_t count = event != 0 ? record[0] : 0;
  if (count > 0) memcpy(entries, record + 1, count * sizeof *entries);
  memset(entries + count, 0, (u->sites.count - count) * sizeof *entries);
  if (event == 0) return;
  const struct action *a = &u->actions.data[e->action];
  entries[a->site] = event;
  if (a->written != NONE) entries[a->written] = event;
}

bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out) {
  if (can_share(u, causes)) {
    *out = event_at(u, causes->before)->cut;
    return true;
  }
  const struct action *a = &u->actions.data[causes->action];
  uint32_t *entries = u->store.cut_room.data;
  copy_cut(u, entries, causes->before);
  if (!merge_followed(u, entries, causes) || !unfi_cut_enter(u, entries, event, a)) return false;
  uint32_t count = u->sites.count;
  while (count > 0 && entries[count - 1] == 0)
    count--;
  uint32_t index = unfi_arena_take(u->context, &u->store.cuts, count + 1);
  if (index == 0) return false;
  uint32_t *record = arena_at(&u->store.cuts, index);
  record[0] = count;
  memcpy(record + 1, entries, count * sizeof *entries);
  *out = index;
  return true;
}
