/* The strands of the exploration tree as records: made, linked, given back. What they mean stands
 * in strand.h. */
#include "exploration/orders/strand.h"

#include <string.h>

#include "exploration/orders/leaves.h"
#include "exploration/orders/tree_search.h"
#include "extension/adds.h"

bool unfi_strand_reserve(unf_explorer *x) {
  struct tree_search *tree = tree_of(x);
  unf_context *context = x->u->context;
  uint64_t leaves = (uint64_t)tree->leaves.count + 1;
  return (tree->free != NONE ||
          vector_reserve(context, &tree->strands, (uint64_t)tree->strands.count + 1)) &&
         vector_reserve(context, &tree->leaves, leaves) &&
         vector_reserve(context, &tree->waiting, leaves);
}

static uint32_t take_record(struct tree_search *tree) {
  uint32_t strand = tree->free;
  if (strand == NONE) return tree->strands.count++;
  tree->free = tree->strands.data[strand].next;
  return strand;
}

/* Puts a strand into its parent's list, behind those with a deeper fork or the same. */
static void link_strand(struct tree_search *tree, uint32_t strand) {
  struct strand *all = tree->strands.data, *s = &all[strand], *parent = &all[s->parent];
  uint32_t before = parent->tail;
  while (before != NONE && all[before].fork < s->fork)
    before = all[before].prev;
  s->prev = before;
  s->next = before == NONE ? parent->head : all[before].next;
  if (before == NONE)
    parent->head = strand;
  else
    all[before].next = strand;
  if (s->next == NONE)
    parent->tail = strand;
  else
    all[s->next].prev = strand;
}

bool unfi_strand_add(unf_explorer *x, uint32_t parent, uint32_t fork, const uint32_t *clue,
                     uint32_t count) {
  struct tree_search *tree = tree_of(x);
  uint32_t *events = NULL;
  if (!unfi_strand_reserve(x)) return false;
  if (count > 0) {
    events = unfi_reallocate(x->u->context, NULL, 0, count * sizeof *events);
    if (events == NULL) return false;
    memcpy(events, clue, count * sizeof *events);
  }
  uint32_t strand = take_record(tree);
  struct strand *s = &tree->strands.data[strand];
  memset(s, 0, sizeof *s);
  s->state = STRAND_WAITS;
  s->parent = parent;
  s->fork = fork;
  s->level = parent == NONE ? 0 : tree->strands.data[parent].level + 1;
  s->first = count > 0 ? clue[0] : NONE;
  s->events = events;
  s->count = count;
  s->head = s->tail = s->next = s->prev = NONE;
  if (parent != NONE) link_strand(tree, strand);
  for (uint32_t i = strand; i != NONE; i = tree->strands.data[i].parent)
    tree->strands.data[i].size++;
  unfi_leaf_add(x, strand);
  return true;
}

void unfi_strand_empty(unf_explorer *x, uint32_t strand) {
  struct strand *s = &tree_of(x)->strands.data[strand];
  s->events = unfi_reallocate(x->u->context, s->events, s->count * sizeof *s->events, 0);
  s->count = 0;
}

void unfi_strand_remove(unf_explorer *x, uint32_t strand) {
  struct strand *all = tree_of(x)->strands.data, *s = &all[strand], *parent = &all[s->parent];
  if (s->prev == NONE)
    parent->head = s->next;
  else
    all[s->prev].next = s->next;
  if (s->next == NONE)
    parent->tail = s->prev;
  else
    all[s->next].prev = s->prev;
  s->state = STRAND_FREE;
  s->next = tree_of(x)->free;
  tree_of(x)->free = strand;
}

uint32_t unfi_strand_fork(const unf_explorer *x, uint32_t strand, uint32_t node) {
  const struct strand *all = tree_of(x)->strands.data;
  uint32_t fork = all[strand].head;
  while (fork != NONE && all[fork].fork > node)
    fork = all[fork].next;
  return fork != NONE && all[fork].fork == node ? fork : NONE;
}
