/*
 * The record of an event that follows a layer of many: merged one by one, each of its n members
 * would leave the blocks of a record behind that nobody needs. So their records are merged into an
 * array by site, of which blocks are made in the end.
 *
 * What records have in common is merged once: for each place in the tree of blocks the one that was
 * merged there last is known. And a block that is made is the one that was made last at its place,
 * if that is equal: of n loads and a store after all but one of them, the n records of the store
 * differ in one leaf.
 *
 * Cost: O(blocks of all records, without what a record has in common with the one before it), and
 * memory for the blocks that are new.
 */
#include "structure/gathering.h"

#include <string.h>

#include "structure/action.h"
#include "structure/block.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/sparse.h"

/* A place in the tree of blocks: at a level, by the number of blocks of that level before it. What
 * was merged or made there in an earlier gathering has another stamp. */
struct block_place {
  uint32_t merged, merged_at; /* block, and the gathering in which it was merged */
  uint32_t made, made_at;
};

struct gathering {
  struct sparse cut;
  VECTOR(struct block_place) levels[MOST_LEVELS + 1];
  uint32_t level; /* the highest one */
  uint32_t stamp; /* of the gathering at hand */
};

void unfi_gathering_free(unf_context *context, struct gathering *g) {
  if (g == NULL) return;
  unfi_sparse_free(context, &g->cut);
  for (uint32_t level = 0; level <= MOST_LEVELS; level++)
    vector_free(context, &g->levels[level]);
  unfi_reallocate(context, g, sizeof *g, 0);
}

/* Begins with nothing. Returns NULL when refused. */
static struct gathering *begin(unf_unfolding *u) {
  struct gathering *g = u->store.gathering;
  if (g == NULL) {
    g = unfi_reallocate(u->context, NULL, 0, sizeof *g);
    if (g == NULL) return NULL;
    memset(g, 0, sizeof *g);
    u->store.gathering = g;
  }
  if (!sparse_reserve(u, &g->cut)) return NULL;
  unfi_sparse_clear(&g->cut);
  g->level = block_level_for(u->sites.count - 1);
  uint64_t places = u->sites.count;
  for (uint32_t level = 0; level <= g->level; level++) {
    places = places / BLOCK + 1;
    if (!vector_reserve_zero(u->context, &g->levels[level], places)) return NULL;
  }
  g->stamp++;
  return g;
}

static struct block_place *place_at(const struct gathering *g, uint32_t level, uint32_t leaf) {
  return &g->levels[level].data[leaf >> BLOCK_BITS * level];
}

/* Merges a block, the leaves of which begin with this one. Returns false when refused. */
static bool merge_block(unf_unfolding *u, struct gathering *g, uint32_t block, uint32_t leaf) {
  const uint32_t *words = block_at(u, block);
  uint32_t level = block_level(words);
  struct block_place *place = place_at(g, level, leaf);
  if (block == NO_ENTRIES || (place->merged == block && place->merged_at == g->stamp)) return true;
  if (level == 0) {
    held_add(&g->cut.held, leaf * BLOCK);
    if (!unfi_leaf_merge(u, g->cut.entries.data + (size_t)leaf * BLOCK, words + 1, words[0]))
      return false;
  } else {
    uint32_t count = words[1] & COUNT_MASK;
    for (uint32_t i = 0; i < count; i++)
      if (words[2 + i] != 0 &&
          !merge_block(u, g, words[2 + i], leaf + (i << BLOCK_BITS * (level - 1))))
        return false;
  }
  place->merged = block;
  place->merged_at = g->stamp;
  return true;
}

static bool merge_slot(unf_unfolding *u, struct gathering *g, uint32_t site, uint32_t entry) {
  held_add(&g->cut.held, site);
  return merge_entry(u, &g->cut.entries.data[site], entry);
}

/* Merges the history of an event, itself included. Returns false when refused. */
static bool merge_event(unf_unfolding *u, struct gathering *g, uint32_t event) {
  const struct action *a = action_of(u, event);
  return merge_block(u, g, event_at(u, event)->cut, 0) && merge_slot(u, g, a->site, event) &&
         (a->written == NONE || merge_slot(u, g, a->written, event));
}

/* The leaf of the entries at a place; its place says which. Returns false when refused. */
static bool make_leaf(unf_unfolding *u, struct gathering *g, uint32_t leaf) {
  struct leaf_view view = held_leaf(g->cut.entries.data, g->cut.entries.count, leaf);
  struct block_place *place = place_at(g, 0, leaf);
  uint32_t count = view.count,
           same[] = {place->merged_at == g->stamp ? place->merged : 0, place->made};
  while (count > 0 && view.entries[count - 1] == 0)
    count--;
  place->made_at = g->stamp;
  for (unsigned i = 0; i < sizeof same / sizeof same[0]; i++) {
    place->made = same[i];
    const uint32_t *words = same[i] != 0 ? block_at(u, same[i]) : NULL;
    if (words != NULL && is_leaf(words) && words[0] == count &&
        memcmp(words + 1, view.entries, count * sizeof *words) == 0)
      return true;
  }
  uint32_t *entries = leaf_take(u, count, &place->made);
  if (entries == NULL) {
    place->made = 0;
    return false;
  }
  memcpy(entries, view.entries, count * sizeof *entries);
  return true;
}

/* The block of those that were made below a place. One that would have nothing but the first of
 * these is that. Returns false when refused. */
static bool make_inner(unf_unfolding *u, struct gathering *g, uint32_t level, uint32_t leaf) {
  struct block_place *place = place_at(g, level, leaf);
  uint32_t first = leaf >> BLOCK_BITS * level << BLOCK_BITS, children[BLOCK], count = 0;
  if (place->made_at == g->stamp) return true;
  for (uint32_t i = 0; i < BLOCK && first + i < g->levels[level - 1].capacity; i++) {
    const struct block_place *below = &g->levels[level - 1].data[first + i];
    children[i] = below->made_at == g->stamp ? below->made : 0;
    if (children[i] != 0) count = i + 1;
  }
  place->made_at = g->stamp;
  if (count == 1) {
    place->made = children[0];
    return true;
  }
  const uint32_t *words = place->made != 0 ? block_at(u, place->made) : NULL;
  if (words != NULL && words[0] == 0 && words[1] == (level << LEVEL_SHIFT | count) &&
      memcmp(words + 2, children, count * sizeof *words) == 0)
    return true;
  if (unfi_inner_make(u, level, children, count, &place->made)) return true;
  place->made = 0;
  return false;
}

/* Returns false when refused. */
static bool make_record(unf_unfolding *u, struct gathering *g, uint32_t *record) {
  const uint32_t *held = g->cut.held.blocks.data;
  uint32_t count = g->cut.held.blocks.count;
  for (uint32_t i = 0; i < count; i++)
    if (!make_leaf(u, g, held[i])) return false;
  for (uint32_t level = 1; level <= g->level; level++)
    for (uint32_t i = 0; i < count; i++)
      if (!make_inner(u, g, level, held[i])) return false;
  *record = place_at(g, g->level, 0)->made;
  return true;
}

bool unfi_gather(unf_unfolding *u, uint32_t site, uint32_t entry, uint32_t *record) {
  struct gathering *g = begin(u);
  if (g == NULL || !merge_block(u, g, *record, 0)) return false;
  /* The layer first: then none is made of the first two, three and more of its members. */
  if (!merge_slot(u, g, site, entry)) return false;
  for (uint32_t i = 0; i < entry_size(u, entry); i++)
    if (!merge_event(u, g, layer_at(u, entry)->members[i])) return false;
  return make_record(u, g, record);
}
