/*
 * Records of entries by site, as trees of blocks (radix trees): a leaf has the entries of BLOCK
 * sites, an inner block those of BLOCK blocks. Blocks are never changed, and records share them, so
 * that a record with one entry more costs the blocks on the way to it, and where two records have
 * one block they are equal without a look. Entries behind the last one that there is are left out;
 * a block has no levels above it that would have nothing but it. So in a program with up to BLOCK
 * sites a record is one leaf.
 *
 * Cost: O(levels · BLOCK) for one entry, O(blocks in which they differ · BLOCK) for a union.
 */
#include "structure/block.h"

#include <string.h>

#include "structure/layer.h"

/* Site of the first entry of a child, from that of the first child. */
static uint32_t site_of_child(uint32_t level, uint32_t child) {
  return child << BLOCK_BITS * level;
}

uint32_t unfi_block_search(const unf_unfolding *u, const uint32_t *words, uint32_t site) {
  while (!is_leaf(words)) {
    uint32_t level = words[1] >> LEVEL_SHIFT, child = site >> BLOCK_BITS * level;
    if (child >= (words[1] & COUNT_MASK) || words[2 + child] == 0) return 0;
    site -= site_of_child(level, child);
    words = block_at(u, words[2 + child]);
  }
  return site < words[0] ? words[1 + site] : 0;
}

uint32_t *unfi_block_refused(unf_unfolding *u, uint32_t block) {
  if (block >= BLOCKS_END) unfi_too_many(u->context, "words of cuts", block);
  return NULL;
}

bool unfi_blocks_begin(unf_unfolding *u) {
  uint32_t block;
  uint32_t *words = block_take(u, 2, &block);
  if (words == NULL) return false;
  words[0] = words[1] = 0;
  return block == NO_ENTRIES;
}

static bool make_leaf(unf_unfolding *u, const uint32_t *entries, uint32_t count, uint32_t *out) {
  uint32_t *room = leaf_take(u, count, out);
  if (room == NULL) return false;
  memcpy(room, entries, count * sizeof *entries);
  return true;
}

/* An inner block under construction. */
struct inner {
  uint32_t level, count;
  uint32_t children[BLOCK];
};

/* The children of a block as one of the given level, at least its own. */
static void open_block(const unf_unfolding *u, uint32_t block, uint32_t level, struct inner *out) {
  const uint32_t *words = block_at(u, block);
  out->level = level;
  if (block_level(words) < level) {
    out->count = block != NO_ENTRIES;
    out->children[0] = block;
  } else {
    out->count = words[1] & COUNT_MASK;
    memcpy(out->children, words + 2, out->count * sizeof *out->children);
  }
}

bool unfi_inner_make(unf_unfolding *u, uint32_t level, const uint32_t *children, uint32_t count,
                     uint32_t *out) {
  uint32_t *words = block_take(u, 2 + count, out);
  if (words == NULL) return false;
  words[0] = 0;
  words[1] = level << LEVEL_SHIFT | count;
  memcpy(words + 2, children, count * sizeof *words);
  return true;
}

static bool make_inner(unf_unfolding *u, const struct inner *inner, uint32_t *out) {
  return unfi_inner_make(u, inner->level, inner->children, inner->count, out);
}

/* A record with other entries at some sites, where the sites of a block begin at `first`. */
static bool set_from(unf_unfolding *u, uint32_t block, uint32_t first, const struct slot *slots,
                     uint32_t count, uint32_t *out);

static bool set_in_leaf(unf_unfolding *u, uint32_t block, uint32_t first, const struct slot *slots,
                        uint32_t count, uint32_t *out) {
  const uint32_t *words = block_at(u, block);
  uint32_t old = words[0], end = slots[count - 1].site - first + 1;
  if (end < old) end = old;
  uint32_t *entries = leaf_take(u, end, out);
  if (entries == NULL) return false;
  memcpy(entries, words + 1, old * sizeof *entries);
  memset(entries + old, 0, (end - old) * sizeof *entries);
  for (uint32_t i = 0; i < count; i++)
    entries[slots[i].site - first] = slots[i].entry;
  return true;
}

static bool set_in_children(unf_unfolding *u, struct inner *inner, uint32_t first,
                            const struct slot *slots, uint32_t count) {
  uint32_t shift = BLOCK_BITS * inner->level;
  for (uint32_t i = 0, end; i < count; i = end) {
    uint32_t child = (slots[i].site - first) >> shift;
    for (end = i + 1; end < count && (slots[end].site - first) >> shift == child;)
      end++;
    while (inner->count <= child)
      inner->children[inner->count++] = 0;
    uint32_t *below = &inner->children[child];
    if (!set_from(u, *below != 0 ? *below : NO_ENTRIES, first + (child << shift), slots + i,
                  end - i, below))
      return false;
  }
  return true;
}

static bool set_from(unf_unfolding *u, uint32_t block, uint32_t first, const struct slot *slots,
                     uint32_t count, uint32_t *out) {
  uint32_t level = block_level(block_at(u, block));
  uint32_t needed = block_level_for(slots[count - 1].site - first);
  if (level < needed) level = needed;
  if (level == 0) return set_in_leaf(u, block, first, slots, count, out);
  struct inner inner;
  open_block(u, block, level, &inner);
  return set_in_children(u, &inner, first, slots, count) && make_inner(u, &inner, out);
}

bool unfi_block_set(unf_unfolding *u, uint32_t block, const struct slot *slots, uint32_t count,
                    uint32_t *out) {
  return set_from(u, block, 0, slots, count, out);
}

/* Gives one of two blocks if it has just these entries, or else a new one. */
static bool merge_leaves(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  const uint32_t *x = block_at(u, a), *y = block_at(u, b);
  uint32_t entries[BLOCK], count = x[0] > y[0] ? x[0] : y[0];
  bool is_a = count == x[0], is_b = count == y[0];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t here = i < x[0] ? x[1 + i] : 0, there = i < y[0] ? y[1 + i] : 0;
    entries[i] = here;
    if (here != there && !merge_entry(u, &entries[i], there)) return false;
    is_a = is_a && entries[i] == here;
    is_b = is_b && entries[i] == there;
  }
  *out = is_a ? a : b;
  return is_a || is_b || make_leaf(u, entries, count, out);
}

bool unfi_block_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out) {
  if (a == b || a == NO_ENTRIES || b == NO_ENTRIES) {
    *out = a == NO_ENTRIES ? b : a;
    return true;
  }
  uint32_t level_a = block_level(block_at(u, a)), level_b = block_level(block_at(u, b));
  uint32_t level = level_a > level_b ? level_a : level_b;
  if (level == 0) return merge_leaves(u, a, b, out);
  struct inner x, y;
  open_block(u, a, level, &x);
  open_block(u, b, level, &y);
  bool is_a = level_a == level && x.count >= y.count, is_b = level_b == level && y.count >= x.count;
  for (uint32_t i = 0; i < x.count || i < y.count; i++) {
    uint32_t here = i < x.count ? x.children[i] : 0, there = i < y.count ? y.children[i] : 0;
    uint32_t both = here != 0 ? here : there;
    if (here != 0 && there != 0 && !unfi_block_merge(u, here, there, &both)) return false;
    x.children[i] = both;
    is_a = is_a && both == here;
    is_b = is_b && both == there;
  }
  if (x.count < y.count) x.count = y.count;
  *out = is_a ? a : b;
  return is_a || is_b || make_inner(u, &x, out);
}

/* ---- walks ---- */

static void begin(struct leaf_walk *walk, const unf_unfolding *u, uint32_t a, uint32_t b) {
  walk->u = u;
  walk->depth = 1;
  walk->at[0].a = a;
  walk->at[0].b = b;
  walk->at[0].next = walk->at[0].first = 0;
}

static void push(struct leaf_walk *walk, uint32_t a, uint32_t b, uint32_t first) {
  walk->at[walk->depth].a = a;
  walk->at[walk->depth].b = b;
  walk->at[walk->depth].next = 0;
  walk->at[walk->depth++].first = first;
}

/* The child of a block as one of a level; 0: none. */
static uint32_t child_of(const uint32_t *words, uint32_t block, uint32_t level, uint32_t child) {
  if (block_level(words) < level) return child == 0 ? block : 0;
  return child < (words[1] & COUNT_MASK) ? words[2 + child] : 0;
}

void unfi_leaves_begin(struct leaf_walk *walk, const unf_unfolding *u, uint32_t block) {
  begin(walk, u, block, 0);
}

bool unfi_leaves_next(struct leaf_walk *walk, struct leaf_view *out) {
  while (walk->depth > 0) {
    uint32_t block = walk->at[walk->depth - 1].a, first = walk->at[walk->depth - 1].first;
    const uint32_t *words = block_at(walk->u, block);
    if (is_leaf(words)) {
      walk->depth--;
      *out = (struct leaf_view){words + 1, words[0], first};
      return true;
    }
    uint32_t child = walk->at[walk->depth - 1].next++;
    if (child >= (words[1] & COUNT_MASK))
      walk->depth--;
    else if (words[2 + child] != 0)
      push(walk, words[2 + child], 0, first + site_of_child(words[1] >> LEVEL_SHIFT, child));
  }
  return false;
}

void unfi_differences_begin(struct leaf_walk *walk, const unf_unfolding *u, uint32_t a,
                            uint32_t b) {
  begin(walk, u, a, b);
}

/* The first child from one on that both blocks have, and not the same one; BLOCK if there is none.
 * Blocks of different levels have the first child in common at most. */
static uint32_t next_difference(const uint32_t *here, const uint32_t *there, uint32_t child) {
  if (block_level(here) != block_level(there)) return child == 0 ? 0 : BLOCK;
  uint32_t mine = here[1] & COUNT_MASK, others = there[1] & COUNT_MASK;
  uint32_t count = mine < others ? mine : others;
  for (; child < count; child++) {
    uint32_t x = here[2 + child], y = there[2 + child];
    if (x != y && x != 0 && y != 0) return child;
  }
  return BLOCK;
}

bool unfi_differences_next(struct leaf_walk *walk, struct leaf_view *a, struct leaf_view *b) {
  while (walk->depth > 0) {
    uint32_t x = walk->at[walk->depth - 1].a, y = walk->at[walk->depth - 1].b;
    uint32_t first = walk->at[walk->depth - 1].first;
    const uint32_t *here = block_at(walk->u, x), *there = block_at(walk->u, y);
    if (x != y && is_leaf(here) && is_leaf(there)) {
      walk->depth--;
      *a = (struct leaf_view){here + 1, here[0], first};
      *b = (struct leaf_view){there + 1, there[0], first};
      return true;
    }
    uint32_t child = x == y ? BLOCK : next_difference(here, there, walk->at[walk->depth - 1].next);
    if (child == BLOCK) {
      walk->depth--;
      continue;
    }
    walk->at[walk->depth - 1].next = child + 1;
    uint32_t level =
        block_level(here) > block_level(there) ? block_level(here) : block_level(there);
    uint32_t below = child_of(here, x, level, child), other = child_of(there, y, level, child);
    if (below != 0 && other != 0) push(walk, below, other, first + site_of_child(level, child));
  }
  return false;
}
