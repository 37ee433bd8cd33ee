/* Cuts of few entries: O(blocks in which there are some) for what goes through them. */
#include "structure/sparse.h"

#include <string.h>

#include "structure/action.h"
#include "structure/layer.h"

bool unfi_held_reserve(unf_context *context, struct held *held, uint64_t sites) {
  uint64_t blocks = (sites + BLOCK - 1) / BLOCK;
  return vector_reserve_zero(context, &held->marks, blocks) &&
         vector_reserve(context, &held->blocks, blocks);
}

void unfi_held_free(unf_context *context, struct held *held) {
  vector_free(context, &held->blocks);
  vector_free(context, &held->marks);
}

bool unfi_sparse_enlarge(const unf_unfolding *u, struct sparse *cut) {
  /* Whole blocks, so that each can be emptied at once. */
  uint64_t sites = ((uint64_t)u->sites.count + BLOCK - 1) / BLOCK * BLOCK;
  if (!vector_reserve_zero(u->context, &cut->entries, sites) ||
      !unfi_held_reserve(u->context, &cut->held, sites))
    return false;
  cut->entries.count = u->sites.count;
  return true;
}

void unfi_sparse_free(unf_context *context, struct sparse *cut) {
  if (cut->entries.capacity == 0) return;
  vector_free(context, &cut->entries);
  unfi_held_free(context, &cut->held);
}

void unfi_sparse_clear(struct sparse *cut) {
  while (cut->held.blocks.count > 0)
    memset(cut->entries.data + (size_t)held_pop(&cut->held) * BLOCK, 0,
           BLOCK * sizeof *cut->entries.data);
}

bool unfi_sparse_merge(unf_unfolding *u, struct sparse *cut, uint32_t event) {
  if (event == 0) return true;
  const struct action *a = action_of(u, event);
  uint32_t *entries = cut->entries.data, own = a->site, written = a->written;
  struct leaf_walk walk;
  struct leaf_view leaf;
  unfi_leaves_begin(&walk, u, event_at(u, event)->cut);
  while (unfi_leaves_next(&walk, &leaf)) {
    if (leaf.count == 0) continue;
    held_add(&cut->held, leaf.first);
    if (!unfi_leaf_merge(u, entries + leaf.first, leaf.entries, leaf.count)) return false;
  }
  /* What the event wrote itself is later than what the record has of the site. */
  held_add(&cut->held, own);
  if (written != NONE) held_add(&cut->held, written);
  return merge_entry(u, &entries[own], event) &&
         (written == NONE || merge_entry(u, &entries[written], event));
}

bool unfi_sparse_merge_entry(unf_unfolding *u, struct sparse *cut, uint32_t entry) {
  if (!(entry & ROW_TAG)) return unfi_sparse_merge(u, cut, entry);
  for (uint32_t i = 0; i < layer_count(layer_at(u, entry)); i++)
    if (!unfi_sparse_merge(u, cut, layer_at(u, entry)->members[i])) return false;
  return true;
}

bool unfi_sparse_enter(unf_unfolding *u, struct sparse *cut, uint32_t event) {
  const struct action *a = action_of(u, event);
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  held_add(&cut->held, a->site);
  for (uint32_t i = 0; i < count; i++)
    held_add(&cut->held, uses[i].site);
  return cut_enter(u, cut->entries.data, event, a);
}

/* ---- taking back ---- */

static bool merge_slot(unf_unfolding *u, struct sparse *cut, uint32_t site, uint32_t entry,
                       undo_vector *undo) {
  struct slot old = {site, cut->entries.data[site]};
  uint32_t both = old.entry;
  if (!merge_entry(u, &both, entry)) return false;
  if (both == old.entry) return true;
  if (!vector_reserve(u->context, undo, (uint64_t)undo->count + 1)) return false;
  vector_push(undo, old);
  held_add(&cut->held, site);
  cut->entries.data[site] = both;
  return true;
}

bool unfi_sparse_merge_undo(unf_unfolding *u, struct sparse *cut, uint32_t event,
                            undo_vector *undo) {
  struct leaf_walk walk;
  struct leaf_view leaf;
  if (event == 0) return true;
  uint32_t own = action_of(u, event)->site, written = action_of(u, event)->written;
  unfi_leaves_begin(&walk, u, event_at(u, event)->cut);
  while (unfi_leaves_next(&walk, &leaf))
    for (uint32_t i = 0; i < leaf.count; i++)
      if (leaf.entries[i] != 0 && !merge_slot(u, cut, leaf.first + i, leaf.entries[i], undo))
        return false;
  return merge_slot(u, cut, own, event, undo) &&
         (written == NONE || merge_slot(u, cut, written, event, undo));
}

void unfi_sparse_back(struct sparse *cut, undo_vector *undo, uint32_t count) {
  while (undo->count > count) {
    struct slot old = undo->data[--undo->count];
    cut->entries.data[old.site] = old.entry;
  }
}

/* ---- comparing ---- */

/* Whether one has nothing but what the other has, in the blocks that it holds. */
static bool agrees(const struct sparse *a, const struct sparse *b) {
  for (uint32_t i = 0; i < a->held.blocks.count; i++) {
    size_t first = (size_t)a->held.blocks.data[i] * BLOCK;
    if (memcmp(a->entries.data + first, b->entries.data + first, BLOCK * sizeof *a->entries.data) !=
        0)
      return false;
  }
  return true;
}

bool unfi_sparse_equal(const struct sparse *a, const struct sparse *b) {
  return agrees(a, b) && agrees(b, a);
}

/* ---- remembering ---- */

static bool append_entries(unf_context *context, const struct sparse *cut, struct seen_cuts *seen) {
  uint32_t number = seen->words.count;
  if (!vector_reserve(context, &seen->words, (uint64_t)number + 1)) return false;
  vector_push(&seen->words, 0);
  for (uint32_t i = 0; i < cut->held.blocks.count; i++) {
    struct leaf_view leaf =
        held_leaf(cut->entries.data, cut->entries.count, cut->held.blocks.data[i]);
    if (!vector_reserve(context, &seen->words, (uint64_t)seen->words.count + 2 * leaf.count))
      return false;
    for (uint32_t j = 0; j < leaf.count; j++) {
      if (leaf.entries[j] == 0) continue;
      vector_push(&seen->words, leaf.first + j);
      vector_push(&seen->words, leaf.entries[j]);
      seen->words.data[number]++;
    }
  }
  return true;
}

static bool has_entries(const struct sparse *cut, const uint32_t *words, uint32_t count) {
  uint32_t i = 0;
  while (i < count && cut->entries.data[words[2 * i]] == words[2 * i + 1])
    i++;
  return i == count;
}

bool unfi_sparse_seen(unf_context *context, const struct sparse *cut, struct seen_cuts *seen,
                      bool *out) {
  uint32_t before = seen->words.count;
  bool enough = append_entries(context, cut, seen);
  const uint32_t *words = seen->words.data;
  *out = false;
  for (uint32_t i = 0; enough && !*out && i < before; i += 1 + 2 * words[i])
    *out = words[i] == words[before] && has_entries(cut, words + i + 1, words[i]);
  if (*out || !enough) seen->words.count = before;
  return enough;
}
