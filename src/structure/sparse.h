/* Cuts as arrays by site of which few entries are there: which blocks of sites those are in, so
 * that emptying, copying and comparing them costs what they hold, however many sites there are. */
#ifndef STRUCTURE_SPARSE_H
#define STRUCTURE_SPARSE_H

#include "structure/cut.h"

/* The blocks of sites in which an array may have entries. */
struct held {
  VECTOR(uint32_t) blocks;
  VECTOR(uint8_t) marks; /* by block: it is one of them */
};

/* Room for the blocks of so many sites. Returns false when refused. */
bool unfi_held_reserve(unf_context *context, struct held *held, uint64_t sites);
void unfi_held_free(unf_context *context, struct held *held);

/* The array may have an entry at a site. */
static inline void held_add(struct held *held, uint32_t site) {
  uint32_t block = site / BLOCK;
  if (held->marks.data[block]) return;
  held->marks.data[block] = 1;
  vector_push(&held->blocks, block);
}

/* Takes the last block out. */
static inline uint32_t held_pop(struct held *held) {
  uint32_t block = held->blocks.data[--held->blocks.count];
  held->marks.data[block] = 0;
  return block;
}

/* What an array of `count` sites has in a block. */
static inline struct leaf_view held_leaf(const uint32_t *entries, uint32_t count, uint32_t block) {
  uint32_t first = block * BLOCK, rest = count > first ? count - first : 0;
  return (struct leaf_view){entries + first, rest < BLOCK ? rest : BLOCK, first};
}

/* A cut that is made again and again. All zero is empty. */
struct sparse {
  VECTOR(uint32_t) entries; /* by site; all others are 0 */
  struct held held;
};

/* An entry that was changed, and what it was before. */
typedef VECTOR(struct slot) undo_vector;

/* Room for all sites. Returns false when refused. */
RARE bool unfi_sparse_enlarge(const unf_unfolding *u, struct sparse *cut);
static inline bool sparse_reserve(const unf_unfolding *u, struct sparse *cut) {
  return cut->entries.count == u->sites.count || unfi_sparse_enlarge(u, cut);
}
void unfi_sparse_free(unf_context *context, struct sparse *cut);
void unfi_sparse_clear(struct sparse *cut);
static inline struct cut sparse_cut(const struct sparse *cut) {
  return (struct cut){cut->entries.data, cut->entries.count};
}

/* Merge the cut of an event, itself included, and that of everything at the top of an entry; enter
 * an event. Where there is room; return false when refused. */
bool unfi_sparse_merge(unf_unfolding *u, struct sparse *cut, uint32_t event);
bool unfi_sparse_merge_entry(unf_unfolding *u, struct sparse *cut, uint32_t entry);
bool unfi_sparse_enter(unf_unfolding *u, struct sparse *cut, uint32_t event);
/* unfi_sparse_merge() that can be taken back, to where `undo` had so many. */
bool unfi_sparse_merge_undo(unf_unfolding *u, struct sparse *cut, uint32_t event,
                            undo_vector *undo);
void unfi_sparse_back(struct sparse *cut, undo_vector *undo, uint32_t count);

/* Cuts one after the other: of each the number of its entries, and these with their sites. */
struct seen_cuts {
  VECTOR(uint32_t) words;
};

/* Whether a cut is among them; it is then remembered. Returns false when refused. */
bool unfi_sparse_seen(unf_context *context, const struct sparse *cut, struct seen_cuts *seen,
                      bool *out);
bool unfi_sparse_equal(const struct sparse *a, const struct sparse *b);

#endif
