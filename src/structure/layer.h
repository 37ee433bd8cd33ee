/* Entries of sites in cuts: the last write, or a layer above it. */
#ifndef STRUCTURE_LAYER_H
#define STRUCTURE_LAYER_H

#include "structure/action.h"

/* Set in an entry that is a layer, and in what an event follows if that is a layer or a tuple. */
#define ROW_TAG 0x80000000u

/* What is above the last write of a site, seen from the top. */
struct layer {
  uint32_t length; /* words after this one */
  uint32_t write;  /* the last write below */
  uint32_t floor;  /* entry that its members follow: the write, or a layer of another mode */
  uint32_t access;
  uint32_t sum[2];    /* what was added since the write, in this layer and below; see layer_sum() */
  uint32_t members[]; /* by ascending site of their threads */
};

/* Words of a layer before its members. */
#define LAYER_HEAD 5u

/* An interned row of words behind its length. */
static inline const uint32_t *row_at(const unf_unfolding *u, uint32_t entry) {
  return arena_at(&u->store.rows, entry & ~ROW_TAG);
}

static inline const struct layer *layer_at(const unf_unfolding *u, uint32_t entry) {
  return (const struct layer *)row_at(u, entry);
}

static inline uint32_t layer_count(const struct layer *layer) {
  return layer->length - LAYER_HEAD;
}

static inline int64_t layer_sum(const struct layer *layer) {
  return (int64_t)((uint64_t)layer->sum[1] << 32 | layer->sum[0]);
}

/* What was added since the last write of an entry, of families that count it. */
static inline int64_t entry_sum(const unf_unfolding *u, uint32_t entry) {
  return entry & ROW_TAG ? layer_sum(layer_at(u, entry)) : 0;
}

/* The event of a thread in a layer; 0: none. O(members). */
uint32_t unfi_layer_member(const unf_unfolding *u, const struct layer *layer, uint32_t thread_site);

/* The last write of an entry. */
static inline uint32_t entry_write(const unf_unfolding *u, uint32_t entry) {
  return entry & ROW_TAG ? layer_at(u, entry)->write : entry;
}

/* The place where it is remembered what came of an entry with an event: `how` is the mode in which
 * the event was entered, or, with LEFT_OUT, the site from which it was taken. */
#define LEFT_OUT 0x80000000u
static inline struct recent_layer *recent_layer(unf_unfolding *u, uint32_t event, uint32_t entry,
                                                uint32_t how) {
  uint32_t first = event * RECENT_PLACES % RECENT_LAYERS;
  return &u->store.recent_layers[first + ((entry >> 2) + how) % RECENT_PLACES];
}
static inline bool is_recent(const struct recent_layer *r, uint32_t event, uint32_t entry,
                             uint32_t how) {
  return r->event == event && r->entry == entry && r->how == how;
}
/* Forgets what came of an event that is about to be made: one that was refused can have had its
 * number. */
static inline void layers_forget(unf_unfolding *u, uint32_t event) {
  struct recent_layer *first = &u->store.recent_layers[event * RECENT_PLACES % RECENT_LAYERS];
  for (uint32_t i = 0; i < RECENT_PLACES; i++)
    first[i].event = 0;
}

/* Whether two layers are of one mode over the same floor, so that together they are one. */
static inline bool are_of_one(const struct layer *a, const struct layer *b) {
  return a->floor == b->floor && a->access == b->access;
}
/* Of two entries that are compatible, the one that has all of the other in its history; false:
 * they are layers of one that must be united. */
bool unfi_entry_covers(const unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out);
/* Several such layers as one. O(m log m) for m members of all; returns false when refused. */
bool unfi_layers_unite(unf_unfolding *u, const uint32_t *entries, uint32_t count, uint32_t *out);
/* The entry of both, for two that are compatible. Returns false when refused. */
bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out);
/* Merges another entry of the site into one. Returns false when refused. */
static inline bool merge_entry(unf_unfolding *u, uint32_t *entry, uint32_t other) {
  if ((*entry | other) & ROW_TAG) return unfi_entry_merge(u, *entry, other, entry);
  if (other > *entry) *entry = other;
  return true;
}

/* The entry after one more use of the site, which replaces an earlier one of its thread in the
 * same layer. Returns false when refused. */
bool unfi_entry_add_new(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                        uint32_t thread_site, uint32_t *out);
static inline bool unfi_entry_add(unf_unfolding *u, uint32_t entry, enum access access,
                                  uint32_t event, uint32_t thread_site, uint32_t *out) {
  const struct recent_layer *recent = recent_layer(u, event, entry, access);
  if (is_recent(recent, event, entry, access)) {
    *out = recent->after;
    return true;
  }
  return unfi_entry_add_new(u, entry, access, event, thread_site, out);
}
/* That entry for an event with one use that is being made, if its thread knows the entry, and the
 * event follows `floor` there. */
bool unfi_entry_add_own(unf_unfolding *u, uint32_t entry, uint32_t floor, const struct action *a,
                        uint32_t event, uint32_t *out);
/* The layer of members by ascending site over a floor; no members give the floor itself. Returns
 * false when refused. */
bool unfi_layer_intern(unf_unfolding *u, uint32_t floor, enum access access,
                       const uint32_t *members, uint32_t count, uint32_t *out);
/* The interned row of these words, tagged. Returns false when refused. */
bool unfi_row_intern(unf_unfolding *u, const uint32_t *words, uint32_t count, uint32_t *out);
/* Appends the events at the top of an entry; returns their number. */
uint32_t unfi_entry_events(const unf_unfolding *u, uint32_t entry, uint32_t *out);
static inline uint32_t entry_size(const unf_unfolding *u, uint32_t entry) {
  return entry & ROW_TAG ? layer_count(layer_at(u, entry)) : 1;
}
/* What a use follows of the entry of its site. */
static inline uint32_t unfi_followed(const unf_unfolding *u, uint32_t entry, enum access access) {
  if (access == ACCESS_WRITE || !(entry & ROW_TAG)) return entry;
  const struct layer *top = layer_at(u, entry);
  return top->access == (uint32_t)access ? top->floor : entry;
}

#endif
