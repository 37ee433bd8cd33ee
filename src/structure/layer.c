/*
 * Entries of sites in cuts, and the layers that they name. A layer holds one use for each thread,
 * the last: those before it on the thread are its causes. It is interned, so equal layers have
 * equal entries, and the events after them equal names.
 *
 * Most layers are what the newest of their members found and added itself to. If that has one use,
 * the layer stands in its record and nowhere else, and is found there; only others are in a table.
 */
#include "structure/layer.h"

#include <string.h>

#include "base/sort.h"
#include "structure/action.h"
#include "structure/block.h"
#include "structure/event.h"

/* Members that are copied in an elementary step. */
#define MEMBERS_OF_STEP 16u

static uint64_t row_hash_of(const uint32_t *words, uint32_t count) {
  uint64_t hash = count;
  uint32_t i = 0;
  for (; i + 1 < count; i += 2)
    hash = mix(hash, (uint64_t)words[i] << 32 | words[i + 1]);
  return i < count ? mix(hash, words[i]) : hash;
}

/* Of a row by its number. */
static uint64_t row_hash(const void *unfolding, uint32_t number) {
  const unf_unfolding *u = unfolding;
  const uint32_t *row = row_at(u, u->store.row_list.data[number - 1]);
  return row_hash_of(row + 1, row[0]);
}

static bool is_row(const unf_unfolding *u, uint32_t index, const uint32_t *words, uint32_t count) {
  const uint32_t *record = arena_at(&u->store.rows, index);
  uint32_t same = 0;
  if (record[0] != count) return false;
  while (same < count && record[1 + same] == words[same])
    same++;
  return same == count;
}

/* Room for a row of so many words behind its length. Returns NULL when refused, and then `out` is
 * as it was: the entry that is added to can stand there. */
static inline uint32_t *take_row(unf_unfolding *u, uint32_t count, uint32_t *out) {
  uint32_t index = unfi_arena_take(u->context, &u->store.rows, count + 1);
  if (index >= ROW_TAG) unfi_too_many(u->context, "words of layers", index);
  if (index == 0 || index >= ROW_TAG) return NULL;
  uint32_t *record = arena_at(&u->store.rows, index);
  *record = count;
  *out = index | ROW_TAG;
  return record + 1;
}

static bool make_row(unf_unfolding *u, const uint32_t *words, uint32_t count, uint32_t *out) {
  uint32_t *row = take_row(u, count, out);
  if (row == NULL) return false;
  memcpy(row, words, count * sizeof *words);
  return true;
}

/* The table has the numbers of rows, so that its slots have room for bits of the hash. */
bool unfi_row_intern(unf_unfolding *u, const uint32_t *words, uint32_t count, uint32_t *out) {
  uint64_t hash = row_hash_of(words, count);
  struct store *s = &u->store;
  table_each(&s->row_table, hash, number) {
    if (!is_row(u, s->row_list.data[number - 1], words, count)) continue;
    *out = s->row_list.data[number - 1] | ROW_TAG;
    return true;
  }
  if (!unfi_table_reserve_dense(u->context, &s->row_table, row_hash, u) ||
      !vector_reserve(u->context, &s->row_list, (uint64_t)s->row_list.count + 1))
    return false;
  if (!make_row(u, words, count, out)) return false;
  vector_push(&s->row_list, *out & ~ROW_TAG);
  table_put(&s->row_table, hash, s->row_list.count);
  return true;
}

/* Room for a layer under construction; its members begin behind its head. */
static uint32_t *layer_room(unf_unfolding *u, uint64_t members) {
  if (!vector_reserve(u->context, &u->store.row_room, members + LAYER_HEAD)) return NULL;
  return u->store.row_room.data + LAYER_HEAD;
}

static uint32_t newest_of(const uint32_t *members, uint32_t count) {
  uint32_t newest = members[0];
  for (uint32_t i = 1; i < count; i++)
    newest = members[i] > newest ? members[i] : newest;
  return newest;
}

/* The entry of the only use of an event, in its own record. */
static uint32_t own_entry(const unf_unfolding *u, uint32_t event, const struct action *a) {
  return block_entry(u, block_at(u, event_at(u, event)->cut), a->first.site);
}

static bool keep_layer(unf_unfolding *u, uint32_t floor, enum access access, int64_t sum,
                       uint32_t count, uint32_t *out) {
  uint32_t *words = u->store.row_room.data;
  words[0] = entry_write(u, floor);
  words[1] = floor;
  words[2] = access;
  words[3] = (uint32_t)(uint64_t)sum;
  words[4] = (uint32_t)((uint64_t)sum >> 32);
  uint32_t newest = newest_of(words + LAYER_HEAD, count);
  const struct action *a = action_of(u, newest);
  if (a->count > 1) return unfi_row_intern(u, words, LAYER_HEAD + count, out);
  /* The event that is being made, so the layer is new. */
  if (newest == u->store.count) return make_row(u, words, LAYER_HEAD + count, out);
  uint32_t own = own_entry(u, newest, a);
  if (!is_row(u, own & ~ROW_TAG, words, LAYER_HEAD + count))
    return unfi_row_intern(u, words, LAYER_HEAD + count, out);
  *out = own;
  return true;
}

/* What the thread of an event has added in its layer up to there. */
static uint64_t added(const unf_unfolding *u, enum access access, uint32_t event) {
  const struct action *a = action_of(u, event);
  bool counts = access == ACCESS_ADD && a->first.access == ACCESS_ADD && a->carries;
  return counts ? (uint64_t)carried_sum(u, event) : 0;
}

/* The sum of a layer under construction. */
static int64_t sum_of(const unf_unfolding *u, uint32_t floor, enum access access, uint32_t count) {
  const uint32_t *members = u->store.row_room.data + LAYER_HEAD;
  uint64_t sum = (uint64_t)entry_sum(u, floor);
  for (uint32_t i = 0; i < count; i++)
    sum += added(u, access, members[i]);
  return (int64_t)sum;
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
  return keep_layer(u, floor, access, sum_of(u, floor, access, count), count, out);
}

static uint32_t site_of(const unf_unfolding *u, uint32_t event) {
  return action_of(u, event)->site;
}

uint32_t unfi_layer_member(const unf_unfolding *u, const struct layer *layer,
                           uint32_t thread_site) {
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (site_of(u, layer->members[i]) == thread_site) return layer->members[i];
  return 0;
}

static bool add_use(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                    uint32_t thread_site, uint32_t *out) {
  const struct layer *top = entry & ROW_TAG ? layer_at(u, entry) : NULL;
  if (top != NULL && top->access != (uint32_t)access) top = NULL;
  uint32_t floor = top != NULL ? top->floor : entry;
  uint32_t old = top != NULL ? layer_count(top) : 0;
  uint32_t *members = layer_room(u, (uint64_t)old + 1);
  if (members == NULL) return false;
  unfi_count(u->context, old / MEMBERS_OF_STEP);
  uint32_t count = 0, i = 0;
  uint64_t sum = (uint64_t)(top != NULL ? layer_sum(top) : entry_sum(u, floor));
  while (i < old && site_of(u, top->members[i]) < thread_site)
    members[count++] = top->members[i++];
  if (i < old && site_of(u, top->members[i]) == thread_site)
    sum -= added(u, access, top->members[i++]);
  members[count++] = event;
  while (i < old)
    members[count++] = top->members[i++];
  sum += added(u, access, event);
  return keep_layer(u, floor, access, (int64_t)sum, count, out);
}

/* An event that is made is most often performed next, and enters what it entered in its record; one
 * that is performed again mostly comes upon what it came upon before. */
static void remember_use(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                         uint32_t after) {
  *recent_layer(u, event, entry, access) = (struct recent_layer){event, entry, access, after};
}

bool unfi_entry_add_new(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                        uint32_t thread_site, uint32_t *out) {
  if (!add_use(u, entry, access, event, thread_site, out)) return false;
  remember_use(u, entry, access, event, *out);
  return true;
}

bool unfi_entry_add_own(unf_unfolding *u, uint32_t entry, uint32_t floor, const struct action *a,
                        uint32_t event, uint32_t *out) {
  enum access access = a->first.access;
  const struct layer *top = entry == floor ? NULL : layer_at(u, entry);
  bool own =
      top == NULL || (layer_count(top) == 1 && (top->members[0] == event_at(u, event)->before ||
                                                site_of(u, top->members[0]) == a->site));
  if (!own) return unfi_entry_add(u, entry, access, event, a->site, out);
  uint64_t sum = (uint64_t)entry_sum(u, floor);
  if (access == ACCESS_ADD && a->carries) sum += (uint64_t)carried_sum(u, event);
  uint32_t *row = take_row(u, LAYER_HEAD + 1, out);
  if (row == NULL) return false;
  row[0] = entry_write(u, floor);
  row[1] = floor;
  row[2] = access;
  row[3] = (uint32_t)sum;
  row[4] = (uint32_t)(sum >> 32);
  row[LAYER_HEAD] = event;
  remember_use(u, entry, access, event, *out);
  return true;
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
  enum access access = (enum access)a->access;
  return keep_layer(u, a->floor, access, sum_of(u, a->floor, access, count), count, out);
}

/* Whether all of a layer is in one over the same floor, which has many more members: those of each
 * layer stand in the order of their threads. */
static bool is_among(const unf_unfolding *u, const struct layer *few, const struct layer *many) {
  uint32_t count = layer_count(few), all = layer_count(many), low = 0;
  if ((uint64_t)MANY_IN_LAYER * count > all) return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t site = site_of(u, few->members[i]), high = all;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (site_of(u, many->members[middle]) < site)
        low = middle + 1;
      else
        high = middle;
    }
    bool there = low < all && site_of(u, many->members[low]) == site;
    if (!there || many->members[low] < few->members[i]) return false;
  }
  return true;
}

bool unfi_entry_covers(const unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  uint32_t write_a = entry_write(u, a), write_b = entry_write(u, b);
  if (a == b || write_a != write_b || !(a & b & ROW_TAG)) {
    /* What is above the earlier write is in the history of the later one. */
    *out = write_a != write_b ? (write_a > write_b ? a : b) : (a & ROW_TAG ? a : b);
    return true;
  }
  const struct layer *x = layer_at(u, a), *y = layer_at(u, b);
  if (are_of_one(x, y)) {
    bool all = is_among(u, y, x), other = !all && is_among(u, x, y);
    *out = all ? a : other ? b : *out;
    return all || other;
  }
  /* One lies above the other, and each of its members above all of the other's. */
  *out = x->members[0] > y->members[0] ? a : b;
  return true;
}

bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  return unfi_entry_covers(u, a, b, out) || unite_layers(u, layer_at(u, a), layer_at(u, b), out);
}

/* By thread, and of one thread the last first. */
static int before_in_layer(const void *unfolding, uint32_t a, uint32_t b) {
  const unf_unfolding *u = unfolding;
  uint32_t site_a = site_of(u, a), site_b = site_of(u, b);
  if (site_a != site_b) return site_a < site_b ? -1 : 1;
  return a == b ? 0 : a > b ? -1 : 1;
}

bool unfi_layers_unite(unf_unfolding *u, const uint32_t *entries, uint32_t count, uint32_t *out) {
  const struct layer *first = layer_at(u, entries[0]);
  uint64_t all = 0;
  uint32_t held = 0, kept = 0;
  for (uint32_t i = 0; i < count; i++)
    all += entry_size(u, entries[i]);
  uint32_t *members = layer_room(u, all);
  if (members == NULL) return false;
  for (uint32_t i = 0; i < count; i++)
    held += unfi_entry_events(u, entries[i], members + held);
  unfi_count(u->context, held / MEMBERS_OF_STEP);
  unfi_sort_by(members, held, before_in_layer, u);
  for (uint32_t i = 0; i < held; i++)
    if (kept == 0 || site_of(u, members[i]) != site_of(u, members[kept - 1]))
      members[kept++] = members[i];
  enum access access = (enum access)first->access;
  return keep_layer(u, first->floor, access, sum_of(u, first->floor, access, kept), kept, out);
}

uint32_t unfi_entry_events(const unf_unfolding *u, uint32_t entry, uint32_t *out) {
  if (!(entry & ROW_TAG)) {
    *out = entry;
    return 1;
  }
  const struct layer *layer = layer_at(u, entry);
  memcpy(out, layer->members, layer_count(layer) * sizeof *out);
  return layer_count(layer);
}
