/* Records of entries by site, in blocks that records share. */
#ifndef STRUCTURE_BLOCK_H
#define STRUCTURE_BLOCK_H

#include "structure/unfolding.h"

/* Entries of a leaf, and children of an inner block. A layer of so many members is entered into a
 * record as a whole; and in one with so many times the members of another these are looked for. */
#ifdef UNF_PLAIN_ARENAS
#define BLOCK_BITS    2
#define MANY_IN_LAYER 2u
#else
#define BLOCK_BITS    5
#define MANY_IN_LAYER 8u
#endif
#define BLOCK (1u << BLOCK_BITS)
/* Of site numbers; so many bits have room in as many levels of inner blocks above the leaves. */
#define SITE_BITS   31
#define MOST_LEVELS (SITE_BITS / BLOCK_BITS)

/* The record of nothing. All are below the end, so that a bit is free where one is kept. */
#define NO_ENTRIES 1u
#define BLOCKS_END 0x80000000u

static inline const uint32_t *block_at(const unf_unfolding *u, uint32_t block) {
  return arena_at(&u->store.cuts, block);
}

/* A leaf has the number of its entries in the first word, and they follow. That of an inner block
 * is 0, so that an entry which a leaf has is found with one comparison. */
static inline bool is_leaf(const uint32_t *words) {
  return words[0] != 0 || words[1] == 0;
}

/* Of the second word of an inner block: its level, above the number of its children. */
#define LEVEL_SHIFT 8
#define COUNT_MASK  ((1u << LEVEL_SHIFT) - 1)

static inline uint32_t block_level(const uint32_t *words) {
  return words[0] != 0 ? 0 : words[1] >> LEVEL_SHIFT;
}

/* Level of the least block that has a place for a site. */
static inline uint32_t block_level_for(uint32_t site) {
  uint32_t level = 0;
  while (site >= BLOCK) {
    site >>= BLOCK_BITS;
    level++;
  }
  return level;
}

uint32_t unfi_block_search(const unf_unfolding *u, const uint32_t *words, uint32_t site);

/* The entry of a site, 0 if there is none. */
static inline uint32_t block_entry(const unf_unfolding *u, const uint32_t *words, uint32_t site) {
  if (site < words[0]) return words[1 + site];
  return is_leaf(words) ? 0 : unfi_block_search(u, words, site);
}

/* Makes the record NO_ENTRIES. Returns false when refused. */
bool unfi_blocks_begin(unf_unfolding *u);
/* A record with other entries at some sites, which ascend. Returns false when refused. */
struct slot {
  uint32_t site, entry;
};
bool unfi_block_set(unf_unfolding *u, uint32_t block, const struct slot *slots, uint32_t count,
                    uint32_t *out);
/* The record of the union of two histories. Returns false when refused. */
bool unfi_block_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out);
/* Because there is no room, or the words are too many to be numbered: NULL. */
RARE uint32_t *unfi_block_refused(unf_unfolding *u, uint32_t block);
/* Room for a block of so many words. Returns NULL when refused. */
static inline uint32_t *block_take(unf_unfolding *u, uint32_t words, uint32_t *out) {
  *out = unfi_arena_take(u->context, &u->store.cuts, words);
  if (*out - 1 >= BLOCKS_END - 1) return unfi_block_refused(u, *out);
  return arena_at(&u->store.cuts, *out);
}
/* Room for a leaf of so many entries, of which the last is to be another than 0. Returns NULL
 * when refused. */
static inline uint32_t *leaf_take(unf_unfolding *u, uint32_t count, uint32_t *out) {
  uint32_t *words = block_take(u, 1 + count, out);
  if (words == NULL) return NULL;
  words[0] = count;
  return words + 1;
}

/* A new inner block of these children; 0 is none. Returns false when refused. */
bool unfi_inner_make(unf_unfolding *u, uint32_t level, const uint32_t *children, uint32_t count,
                     uint32_t *out);

/* A leaf of a record: `count` entries, of the sites from `first` on. */
struct leaf_view {
  const uint32_t *entries;
  uint32_t count, first;
};

/* A walk over the leaves of one record, or the pairs of leaves in which two of them differ, by
 * ascending sites. */
struct leaf_walk {
  const unf_unfolding *u;
  uint32_t depth;
  struct {
    uint32_t a, b, next, first;
  } at[MOST_LEVELS + 1];
};

void unfi_leaves_begin(struct leaf_walk *walk, const unf_unfolding *u, uint32_t block);
bool unfi_leaves_next(struct leaf_walk *walk, struct leaf_view *out);
void unfi_differences_begin(struct leaf_walk *walk, const unf_unfolding *u, uint32_t a, uint32_t b);
/* Leaves of which both have some entry; they begin at the same site. */
bool unfi_differences_next(struct leaf_walk *walk, struct leaf_view *a, struct leaf_view *b);

#endif
