/*
 * The record of an event that follows many others: merged one by one, each of these n would leave
 * the blocks of a record behind that nobody needs. So their records are merged into an array by
 * site, of which blocks are made in the end.
 *
 * Nor are layers made of the first two, three and more of them: those that are to be one wait in
 * the pile of their site, until together they have as many members as the layer of the site has.
 * Of layers of one member each, n at a site, log n are made so, with 2n members.
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

/* Layers that are to be one with the entry of their site. */
struct pile {
  uint32_t site;
  uint32_t next;    /* number + 1 of another one of the same leaf, or 0 */
  uint32_t first;   /* number + 1 of its last layer in `piled`; 0: there is none */
  uint32_t members; /* of all of them */
};

struct piled {
  uint32_t entry, next;
};

struct gathering {
  struct sparse cut;
  VECTOR(uint32_t) first_piles; /* by leaf: number + 1, or 0 */
  VECTOR(struct pile) piles;
  VECTOR(struct piled) piled;
  VECTOR(uint32_t) layers; /* room for those of a pile */
  VECTOR(struct block_place) levels[MOST_LEVELS + 1];
  uint32_t level; /* the highest one */
  uint32_t stamp; /* of the gathering at hand */
};

void unfi_gathering_free(unf_context *context, struct gathering *g) {
  if (g == NULL) return;
  unfi_sparse_free(context, &g->cut);
  vector_free(context, &g->first_piles);
  vector_free(context, &g->piles);
  vector_free(context, &g->piled);
  vector_free(context, &g->layers);
  for (uint32_t level = 0; level <= MOST_LEVELS; level++)
    vector_free(context, &g->levels[level]);
  unfi_reallocate(context, g, sizeof *g, 0);
}

/* Those of the gathering before. */
static void clear_piles(struct gathering *g) {
  for (uint32_t i = 0; i < g->piles.count; i++)
    g->first_piles.data[g->piles.data[i].site / BLOCK] = 0;
  g->piles.count = g->piled.count = 0;
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
  if (!sparse_reserve(u, &g->cut) ||
      !vector_reserve_zero(u->context, &g->first_piles, u->sites.count / BLOCK + 1))
    return NULL;
  unfi_sparse_clear(&g->cut);
  clear_piles(g);
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

/* NULL: the site had none so far. */
static struct pile *pile_at(const struct gathering *g, uint32_t site) {
  uint32_t number = g->first_piles.data[site / BLOCK];
  while (number != 0 && g->piles.data[number - 1].site != site)
    number = g->piles.data[number - 1].next;
  return number != 0 ? &g->piles.data[number - 1] : NULL;
}

static void clear_pile(struct pile *pile) {
  pile->first = pile->members = 0;
}

/* Makes one layer of a pile and the entry of its site. Returns false when refused. */
static bool unite_pile(unf_unfolding *u, struct gathering *g, struct pile *pile) {
  uint32_t *entry = &g->cut.entries.data[pile->site];
  if (pile->first == 0) return true;
  g->layers.count = 0;
  if (!vector_reserve(u->context, &g->layers, (uint64_t)g->piled.count + 1)) return false;
  vector_push(&g->layers, *entry);
  for (uint32_t at = pile->first; at != 0; at = g->piled.data[at - 1].next)
    vector_push(&g->layers, g->piled.data[at - 1].entry);
  clear_pile(pile);
  return unfi_layers_unite(u, g->layers.data, g->layers.count, entry);
}

/* Adds a layer to the pile of a site. Returns false when refused. */
static bool pile_up(unf_unfolding *u, struct gathering *g, uint32_t site, uint32_t entry) {
  uint32_t *head = &g->first_piles.data[site / BLOCK];
  if (!vector_reserve(u->context, &g->piled, (uint64_t)g->piled.count + 1) ||
      !vector_reserve(u->context, &g->piles, (uint64_t)g->piles.count + 1))
    return false;
  struct pile *pile = pile_at(g, site);
  if (pile == NULL) {
    vector_push(&g->piles, ((struct pile){site, *head, 0, 0}));
    *head = g->piles.count;
    pile = &g->piles.data[g->piles.count - 1];
  }
  vector_push(&g->piled, ((struct piled){entry, pile->first}));
  pile->first = g->piled.count;
  pile->members += entry_size(u, entry);
  return pile->members < entry_size(u, g->cut.entries.data[site]) || unite_pile(u, g, pile);
}

/* Merges an entry into that of a held site. Returns false when refused. */
static bool merge_at(unf_unfolding *u, struct gathering *g, uint32_t site, uint32_t entry) {
  uint32_t *at = &g->cut.entries.data[site], old = *at;
  if (!unfi_entry_covers(u, old, entry, at)) return pile_up(u, g, site, entry);
  bool above = *at != old && old & ROW_TAG &&
               !(*at & ROW_TAG && are_of_one(layer_at(u, old), layer_at(u, *at)));
  struct pile *below = above ? pile_at(g, site) : NULL;
  if (below != NULL) clear_pile(below);
  return true;
}

/* Merges the entries of a leaf. Returns false when refused. */
static bool merge_leaf(unf_unfolding *u, struct gathering *g, uint32_t first,
                       const uint32_t *others, uint32_t count) {
  const uint32_t *entries = g->cut.entries.data + first;
  for (uint32_t i = 0; i < count; i++)
    if (others[i] != entries[i] && !merge_at(u, g, first + i, others[i])) return false;
  return true;
}

/* Merges a block, the leaves of which begin with this one. Returns false when refused. */
static bool merge_block(unf_unfolding *u, struct gathering *g, uint32_t block, uint32_t leaf) {
  const uint32_t *words = block_at(u, block);
  uint32_t level = block_level(words);
  struct block_place *place = place_at(g, level, leaf);
  if (block == NO_ENTRIES || (place->merged == block && place->merged_at == g->stamp)) return true;
  if (level == 0) {
    held_add(&g->cut.held, leaf * BLOCK);
    if (!merge_leaf(u, g, leaf * BLOCK, words + 1, words[0])) return false;
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
  return merge_at(u, g, site, entry);
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

struct gathering *unfi_gathering_begin(unf_unfolding *u, uint32_t record) {
  struct gathering *g = begin(u);
  return g != NULL && merge_block(u, g, record, 0) ? g : NULL;
}

bool unfi_gather(unf_unfolding *u, struct gathering *g, uint32_t site, uint32_t entry) {
  if (!(entry & ROW_TAG)) return entry == 0 || merge_event(u, g, entry);
  /* The layer first: it covers those that its members have in their records. */
  if (!merge_slot(u, g, site, entry)) return false;
  for (uint32_t i = 0; i < layer_count(layer_at(u, entry)); i++)
    if (!merge_event(u, g, layer_at(u, entry)->members[i])) return false;
  return true;
}

bool unfi_gathering_end(unf_unfolding *u, struct gathering *g, uint32_t *record) {
  for (uint32_t i = 0; i < g->piles.count; i++)
    if (!unite_pile(u, g, &g->piles.data[i])) return false;
  return make_record(u, g, record);
}
