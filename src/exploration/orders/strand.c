/* The strands of the exploration tree as records: made, linked, freed. What they mean stands
 * in strand.h. */
#include "exploration/orders/strand.h"

#include <string.h>

#include "exploration/orders/leaves.h"
#include "exploration/orders/tree_search.h"
#include "extension/adds.h"

/* Room for one more strand and leaf. Returns false when refused. */
static bool strand_reserve(unf_explorer *x) {
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

/* The first strand of the node before one in its parent's list, or NONE. */
static uint32_t group_before(const struct strand *all, uint32_t group) {
  return all[group].prev == NONE ? NONE : all[all[group].prev].group;
}

/* The group of a strand's list at a node, or else the one behind which it would stand, which is
 * deeper; NONE: at the front. Looked for from both ends. */
static uint32_t find_group(const struct strand *all, uint32_t strand, uint32_t node) {
  uint32_t front = all[strand].head, before = NONE;
  uint32_t back = all[strand].tail == NONE ? NONE : all[all[strand].tail].group;
  while (back != NONE && all[back].fork < node) {
    if (all[front].fork <= node) return all[front].fork == node ? front : before;
    before = front;
    front = all[all[front].last].next;
    back = group_before(all, back);
  }
  return back;
}

/* Puts a strand into its parent's list, behind those with a deeper fork or the same. */
static void link_strand(struct tree_search *tree, uint32_t strand) {
  struct strand *all = tree->strands.data, *s = &all[strand], *parent = &all[s->parent];
  uint32_t group = find_group(all, s->parent, s->fork);
  uint32_t before = group == NONE ? NONE : all[group].last;
  if (group == NONE || all[group].fork != s->fork) group = strand;
  s->place = group == strand ? 1 : all[before].place + 1;
  s->group = group;
  all[group].last = strand;
  if (all[group].undone == NONE) all[group].undone = strand;
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
  if (!strand_reserve(x)) return false;
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
  s->head = s->tail = s->next = s->prev = s->undone = NONE;
  s->group = strand;
  if (parent != NONE) link_strand(tree, strand);
  unfi_leaf_add(x, strand);
  return true;
}

void unfi_strand_empty(unf_explorer *x, uint32_t strand) {
  struct strand *s = &tree_of(x)->strands.data[strand];
  s->events = unfi_reallocate(x->u->context, s->events, s->count * sizeof *s->events, 0);
  s->count = 0;
}

uint32_t unfi_strand_fork(const unf_explorer *x, uint32_t strand, uint32_t node) {
  const struct strand *all = tree_of(x)->strands.data;
  uint32_t group = find_group(all, strand, node);
  return group != NONE && all[group].fork == node ? group : NONE;
}

void unfi_strand_remove(unf_explorer *x, uint32_t first) {
  struct tree_search *tree = tree_of(x);
  struct strand *all = tree->strands.data, *parent = &all[all[first].parent];
  uint32_t after = all[all[first].last].next;
  for (uint32_t i = first, next; i != after; i = next) {
    next = all[i].next;
    all[i].state = STRAND_FREE;
    all[i].next = tree->free;
    tree->free = i;
  }
  parent->head = after;
  if (after == NONE)
    parent->tail = NONE;
  else
    all[after].prev = NONE;
}
