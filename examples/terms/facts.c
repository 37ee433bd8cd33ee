#include "facts.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

/* A smaller set is kept as a whole. */
enum { WHOLE_MOST = 32, WRITTEN = 8, NONE = UINT32_MAX };

struct facts_written {
  struct {
    term *list;
    uint32_t set;
    uint64_t used; /* when it was last asked for */
  } items[WRITTEN];
  uint32_t room; /* of each list */
  unsigned last; /* the one that was asked for last */
  uint64_t time;
};

bool facts_make(struct facts *f) {
  memset(f, 0, sizeof *f);
  f->written = calloc(1, sizeof *f->written);
  for (unsigned i = 0; f->written != NULL && i < WRITTEN; i++)
    f->written->items[i].set = NONE;
  return f->written != NULL;
}

void facts_free(struct facts *f) {
  for (unsigned i = 0; f->written != NULL && i < WRITTEN; i++)
    free(f->written->items[i].list);
  free(f->written);
  free(f->items);
  free(f->own);
  free(f->table);
}

uint64_t facts_bytes(const struct facts *f) {
  return f->room * sizeof *f->items + f->own_room * sizeof *f->own +
         f->table_room * sizeof *f->table + WRITTEN * (uint64_t)f->written->room * sizeof(term);
}

/* A set's hash is the sum of those of its facts, so that one without a fact is found, too. */
static uint64_t hash_of(term fact) {
  uint64_t hash = (fact + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return hash ^ hash >> 32;
}

static uint32_t *head_of(const struct facts *f, uint64_t hash) {
  return &f->table[hash >> 32 & (f->table_room - 1)];
}

static int compare(const void *a, const void *b) {
  const term x = *(const term *)a, y = *(const term *)b;
  return (x > y) - (x < y);
}

const term *facts_write_out(const struct facts *f, uint32_t set) {
  struct facts_written *w = f->written;
  unsigned place = 0;
  if (w->items[w->last].set == set) return w->items[w->last].list;
  w->time++;
  for (unsigned i = 0; i < WRITTEN; i++) {
    if (w->items[i].set == set) {
      w->items[i].used = w->time;
      w->last = i;
      return w->items[i].list;
    }
    if (w->items[i].used < w->items[place].used) place = i;
  }
  term *list = w->items[place].list;
  uint32_t at = f->items[set].count;
  bool ascends = true;
  for (uint32_t s = set; s != NONE; s = f->items[s].base) {
    const struct fact_set *part = &f->items[s];
    at -= part->own;
    memcpy(list + at, f->own + part->first, part->own * sizeof *list);
    const uint32_t behind = at + part->own;
    if (part->own > 0 && behind < f->items[set].count) ascends &= list[behind - 1] < list[behind];
  }
  if (!ascends) qsort(list, f->items[set].count, sizeof *list, compare);
  w->items[place].set = set;
  w->items[place].used = w->time;
  w->last = place;
  return list;
}

/* ---- a new set ---- */

static bool grow_written(struct facts *f, uint32_t count) {
  struct facts_written *w = f->written;
  if (count <= w->room) return true;
  for (unsigned i = 0; i < WRITTEN; i++) {
    term *list = realloc(w->items[i].list, 2 * (size_t)count * sizeof *list);
    if (list == NULL) return false;
    w->items[i].list = list;
  }
  w->room = 2 * count;
  return true;
}

/* The table is as large as the list, a power of two. */
static bool make_room(struct facts *f, uint32_t count) {
  if (!room_for((void **)&f->own, &f->own_room, (uint64_t)f->own_count + count, sizeof *f->own) ||
      !room_for((void **)&f->items, &f->room, (uint64_t)f->count + 1, sizeof *f->items) ||
      !grow_written(f, count))
    return false;
  if (f->count < f->table_room) return true;
  const uint32_t room = f->table_room > 0 ? 2 * f->table_room : 64;
  uint32_t *table = calloc(room, sizeof *table);
  if (table == NULL) return false;
  free(f->table);
  f->table = table;
  f->table_room = room;
  for (uint32_t i = 0; i < f->count; i++) {
    uint32_t *head = head_of(f, f->items[i].hash);
    f->items[i].next = *head;
    *head = i + 1;
  }
  return true;
}

/* Whether the facts of a set are all in a list, with these between them. */
static bool is_within(const struct facts *f, uint32_t set, const term *list, uint32_t count) {
  const uint32_t part = f->items[set].count;
  if (part > count) return false;
  const term *mine = facts_of(f, set);
  uint32_t at = 0;
  for (uint32_t i = 0; i < part; i++, at++) {
    while (at < count && list[at] < mine[i])
      at++;
    if (at == count || list[at] != mine[i]) return false;
  }
  return true;
}

static uint32_t find(const struct facts *f, uint64_t hash, const term *list, uint32_t count,
                     uint32_t size) {
  for (uint32_t at = *head_of(f, hash); at != 0; at = f->items[at - 1].next)
    if (f->items[at - 1].hash == hash && f->items[at - 1].count == size &&
        is_within(f, at - 1, list, count))
      return at - 1;
  return NONE;
}

/* A set that a large one contains: it without one fact, or a likely one; NONE: no good one. */
static uint32_t find_base(const struct facts *f, uint64_t hash, const term *list, uint32_t count,
                          uint32_t likely) {
  uint32_t base = NONE;
  if (count <= WHOLE_MOST) return NONE;
  for (uint32_t i = count; i > 0 && base == NONE; i--)
    base = find(f, hash - hash_of(list[i - 1]), list, count, count - 1);
  if (base != NONE || likely >= f->count) return base;
  return f->items[likely].count > count / 2 && is_within(f, likely, list, count) ? likely : NONE;
}

/* Those of the list that are not in the base. */
static void add_own(struct facts *f, uint32_t base, const term *list, uint32_t count) {
  const term *known = base != NONE ? facts_of(f, base) : NULL;
  const uint32_t known_count = base != NONE ? f->items[base].count : 0;
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (at < known_count && known[at] == list[i])
      at++;
    else
      f->own[f->own_count++] = list[i];
  }
}

uint32_t facts_intern(struct facts *f, const term *list, uint32_t count, uint32_t likely) {
  uint64_t hash = 0;
  if (!make_room(f, count)) return UINT32_MAX;
  for (uint32_t i = 0; i < count; i++)
    hash += hash_of(list[i]);
  const uint32_t known = find(f, hash, list, count, count);
  if (known != NONE) return known;
  const uint32_t base = find_base(f, hash, list, count, likely), first = f->own_count;
  add_own(f, base, list, count);
  uint32_t *head = head_of(f, hash);
  f->items[f->count] = (struct fact_set){.hash = hash,
                                         .base = base,
                                         .first = first,
                                         .own = f->own_count - first,
                                         .count = count,
                                         .next = *head};
  *head = ++f->count;
  return f->count - 1;
}
