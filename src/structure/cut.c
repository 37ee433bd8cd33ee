/*
 * Cuts, and the entries of sites in them. The record of a new event is the elementwise maximum of
 * its causes' cuts, unless all its causes lie in the history of the event before it on its thread:
 * then it shares that event's record, because what it writes itself is answered by cut_entry()
 * before the record is looked at. An unlock after its lock costs no record.
 *
 * A layer holds one use for each thread, the last: those before it on the thread are its causes. It
 * is interned, so equal layers have equal entries, and the events after them equal names.
 */
#include <string.h>

#include "structure/unfolding.h"

static uint64_t tuple_hash_of(const uint32_t *words, uint32_t count) {
  uint64_t hash = count;
  for (uint32_t i = 0; i < count; i++)
    hash = mix(hash, words[i]);
  return hash;
}

static uint64_t tuple_hash(const void *unfolding, uint32_t entry) {
  const uint32_t *record = tuple_at(unfolding, entry);
  return tuple_hash_of(record + 1, record[0]);
}

bool unfi_tuple_intern(unf_unfolding *u, const uint32_t *words, uint32_t count, uint32_t *out) {
  uint64_t hash = tuple_hash_of(words, count);
  struct table *table = &u->reads_table;
  if (!unfi_table_reserve(u->context, table, tuple_hash, u)) return false;
  for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i] != 0; i = (i + 1) & table->mask) {
    const uint32_t *record = arena_at(&u->reads, table->slots[i]);
    uint32_t same = 0;
    while (record[0] == count && same < count && record[1 + same] == words[same])
      same++;
    if (same == count && record[0] == count) {
      *out = table->slots[i] | READS_TAG;
      return true;
    }
  }
  uint32_t index = unfi_arena_take(u->context, &u->reads, count + 1);
  if (index == 0 || index >= READS_TAG) return false;
  uint32_t *record = arena_at(&u->reads, index);
  record[0] = count;
  memcpy(record + 1, words, count * sizeof *words);
  table_put(table, hash, index);
  *out = index | READS_TAG;
  return true;
}

/* Room for a layer under construction; its members begin behind three words. */
static uint32_t *layer_room(unf_unfolding *u, uint64_t members) {
  if (!vector_reserve(u->context, &u->scratch_reads, members + 3)) return NULL;
  return u->scratch_reads.data + 3;
}

static bool keep_layer(unf_unfolding *u, uint32_t floor, enum access access, uint32_t count,
                       uint32_t *out) {
  uint32_t *words = u->scratch_reads.data;
  words[0] = entry_write(u, floor);
  words[1] = floor;
  words[2] = access;
  return unfi_tuple_intern(u, words, count + 3, out);
}

bool unfi_layer_intern(unf_unfolding *u, uint32_t floor, enum access access,
                       const uint32_t *members, uint32_t count, uint32_t *out) {
  if (count == 0) {
    *out = floor;
    return true;
  }
  uint32_t *room = layer_room(u, count);
  if (room == NULL) return false;
  memcpy(room, members, count * sizeof *members);
  return keep_layer(u, floor, access, count, out);
}

static uint32_t site_of(const unf_unfolding *u, uint32_t event) {
  return action_of(u, event)->site;
}

bool unfi_entry_add(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                    uint32_t thread_site, uint32_t *out) {
  const struct layer *top = entry & READS_TAG ? layer_at(u, entry) : NULL;
  if (top != NULL && top->access != (uint32_t)access) top = NULL;
  uint32_t floor = top != NULL ? top->floor : entry;
  uint32_t old = top != NULL ? layer_count(top) : 0;
  uint32_t *members = layer_room(u, (uint64_t)old + 1);
  if (members == NULL) return false;
  uint32_t count = 0, i = 0;
  while (i < old && site_of(u, top->members[i]) < thread_site)
    members[count++] = top->members[i++];
  if (i < old && site_of(u, top->members[i]) == thread_site) i++;
  members[count++] = event;
  while (i < old)
    members[count++] = top->members[i++];
  return keep_layer(u, floor, access, count, out);
}

/* Two layers over the same floor. */
static bool unite_layers(unf_unfolding *u, const struct layer *a, const struct layer *b,
                         uint32_t *out) {
  uint32_t count_a = layer_count(a), count_b = layer_count(b), count = 0, i = 0, j = 0;
  uint32_t *members = layer_room(u, (uint64_t)count_a + count_b);
  if (members == NULL) return false;
  while (i < count_a && j < count_b) {
    uint32_t x = a->members[i], y = b->members[j];
    uint32_t site_x = site_of(u, x), site_y = site_of(u, y);
    members[count++] = site_x == site_y ? (x > y ? x : y) : (site_x < site_y ? x : y);
    i += site_x <= site_y;
    j += site_y <= site_x;
  }
  while (i < count_a)
    members[count++] = a->members[i++];
  while (j < count_b)
    members[count++] = b->members[j++];
  return keep_layer(u, a->floor, (enum access)a->access, count, out);
}

bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  uint32_t write_a = entry_write(u, a), write_b = entry_write(u, b);
  if (a == b || write_a != write_b || !(a & b & READS_TAG)) {
    /* What is above the earlier write is in the history of the later one. */
    *out = write_a != write_b ? (write_a > write_b ? a : b) : (a & READS_TAG ? a : b);
    return true;
  }
  const struct layer *x = layer_at(u, a), *y = layer_at(u, b);
  if (x->floor == y->floor && x->access == y->access) return unite_layers(u, x, y, out);
  /* One lies above the other, and each of its members above all of the other's. */
  *out = x->members[0] > y->members[0] ? a : b;
  return true;
}

uint32_t unfi_followed(const unf_unfolding *u, uint32_t entry, enum access access) {
  if (access == ACCESS_WRITE || !(entry & READS_TAG)) return entry;
  const struct layer *top = layer_at(u, entry);
  return top->access == (uint32_t)access ? top->floor : entry;
}

static bool merge_slot(unf_unfolding *u, uint32_t *entry, uint32_t other) {
  if ((*entry | other) & READS_TAG) return unfi_entry_merge(u, *entry, other, entry);
  if (other > *entry) *entry = other;
  return true;
}

bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event) {
  if (event == 0) return true;
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  uint32_t count = record[0], tags = 0;
  record++;
  for (uint32_t i = 0; i < count; i++)
    tags |= entries[i] | record[i];
  if (tags & READS_TAG) {
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
  if (!(entry & READS_TAG)) return unfi_cut_merge(u, entries, entry);
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
  if (!vector_reserve(u->context, &u->scratch_entries, count)) return false;
  uint32_t *after = u->scratch_entries.data;
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
  if (!vector_reserve(u->context, &u->scratch_reads, count)) return false;
  for (uint32_t i = 0; i < count; i++)
    u->scratch_reads.data[i] = unfi_followed(u, cut_at(cut, uses[i].site), uses[i].access);
  return unfi_tuple_intern(u, u->scratch_reads.data, count, follows);
}

uint32_t unfi_entry_before(const unf_unfolding *u, uint32_t event, uint32_t site) {
  uint32_t count, i = 0;
  const struct use *uses = uses_of(u, action_of(u, event), &count);
  while (uses[i].site != site)
    i++;
  return event_follows(u, event, &count)[i];
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
    const uint32_t *record = arena_at(&u->cuts, b->cut);
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
  const uint32_t *record = event != 0 ? arena_at(&u->cuts, e->cut) : NULL;
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
  uint32_t *entries = u->scratch.data;
  copy_cut(u, entries, causes->before);
  if (!merge_followed(u, entries, causes) || !unfi_cut_enter(u, entries, event, a)) return false;
  uint32_t count = u->sites.count;
  while (count > 0 && entries[count - 1] == 0)
    count--;
  uint32_t index = unfi_arena_take(u->context, &u->cuts, count + 1);
  if (index == 0) return false;
  uint32_t *record = arena_at(&u->cuts, index);
  record[0] = count;
  memcpy(record + 1, entries, count * sizeof *entries);
  *out = index;
  return true;
}
