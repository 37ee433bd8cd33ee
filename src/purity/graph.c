/*
 * Blocks that can be reached, in reverse postorder, and their dominators by the iteration of
 * Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001): quadratic at worst, and
 * two rounds where no cycle can be entered at two places.
 */
#include "purity/graph.h"

#include <string.h>

#include "purity/purity.h"

void *unfi_take(unf_context *context, size_t count, size_t size) {
  void *block = unfi_reallocate(context, NULL, 0, (count + 1) * size);
  if (block != NULL) memset(block, 0, (count + 1) * size);
  return block;
}

static void drop(unf_context *context, uint32_t *array, size_t count) {
  if (array != NULL) unfi_reallocate(context, array, (count + 1) * sizeof *array, 0);
}

void unfi_graph_free(unf_context *context, struct graph *g) {
  drop(context, g->order, g->blocks);
  drop(context, g->sequence, g->blocks);
  drop(context, g->above, g->blocks);
  drop(context, g->first, g->blocks);
  drop(context, g->from, g->edges);
  *g = (struct graph){0};
}

/* Fills in order and sequence, depth-first without recursion: `next` counts the edges followed from
 * each block, and `above` is the stack. */
static void number_blocks(const unf_flow *flow, struct graph *g, uint32_t *next) {
  uint32_t depth = 1, left = g->blocks;
  memset(g->order, 0xFF, g->blocks * sizeof *g->order);
  g->above[0] = 0;
  g->order[0] = 0;
  while (depth > 0) {
    unf_block block = g->above[depth - 1];
    if (next[block] < flow->blocks.data[block].edges.count) {
      unf_block to = flow->blocks.data[block].edges.data[next[block]++].to;
      if (g->order[to] != UINT32_MAX) continue;
      g->order[to] = 0;
      g->above[depth++] = to;
    } else {
      depth--;
      g->sequence[--left] = block;
    }
  }
  g->reached = g->blocks - left;
  memmove(g->sequence, g->sequence + left, g->reached * sizeof *g->sequence);
  for (uint32_t i = 0; i < g->reached; i++)
    g->order[g->sequence[i]] = i;
}

/* The edges that arrive at each block. */
static void list_edges(const unf_flow *flow, struct graph *g, uint32_t *next) {
  memset(next, 0, g->blocks * sizeof *next);
  for (uint32_t i = 0; i < g->reached; i++) {
    const struct block *block = &flow->blocks.data[g->sequence[i]];
    for (uint32_t j = 0; j < block->edges.count; j++)
      g->first[block->edges.data[j].to + 1]++;
  }
  for (uint32_t b = 0; b < g->blocks; b++)
    g->first[b + 1] += g->first[b];
  for (uint32_t i = 0; i < g->reached; i++) {
    const struct block *block = &flow->blocks.data[g->sequence[i]];
    for (uint32_t j = 0; j < block->edges.count; j++) {
      unf_block to = block->edges.data[j].to;
      g->from[g->first[to] + next[to]++] = g->sequence[i];
    }
  }
}

static uint32_t common(const struct graph *g, uint32_t a, uint32_t b) {
  while (a != b)
    if (g->order[a] > g->order[b])
      a = g->above[a];
    else
      b = g->above[b];
  return a;
}

static void find_dominators(struct graph *g) {
  bool changed = true;
  memset(g->above, 0xFF, g->blocks * sizeof *g->above);
  g->above[0] = 0;
  while (changed) {
    changed = false;
    for (uint32_t i = 1; i < g->reached; i++) {
      unf_block block = g->sequence[i];
      uint32_t above = UINT32_MAX;
      for (uint32_t j = g->first[block]; j < g->first[block + 1]; j++)
        if (g->above[g->from[j]] != UINT32_MAX)
          above = above == UINT32_MAX ? g->from[j] : common(g, above, g->from[j]);
      changed |= g->above[block] != above;
      g->above[block] = above;
    }
  }
}

bool unfi_graph_make(const unf_flow *flow, struct graph *g) {
  unf_context *context = flow->context;
  uint32_t blocks = flow->blocks.count;
  *g = (struct graph){.blocks = blocks};
  uint32_t *next = unfi_take(context, blocks, sizeof *next);
  g->order = unfi_take(context, blocks, sizeof *g->order);
  g->sequence = unfi_take(context, blocks, sizeof *g->sequence);
  g->above = unfi_take(context, blocks, sizeof *g->above);
  g->first = unfi_take(context, blocks, sizeof *g->first);
  bool good = next != NULL && g->order != NULL && g->sequence != NULL && g->above != NULL &&
              g->first != NULL;
  if (good) {
    number_blocks(flow, g, next);
    for (uint32_t i = 0; i < g->reached; i++)
      g->edges += flow->blocks.data[g->sequence[i]].edges.count;
    g->from = unfi_take(context, g->edges, sizeof *g->from);
    good = g->from != NULL;
  }
  if (good) {
    list_edges(flow, g, next);
    find_dominators(g);
  }
  drop(context, next, blocks);
  if (!good) unfi_graph_free(context, g);
  return good;
}

bool unfi_dominates(const struct graph *g, unf_block above, unf_block block) {
  while (g->order[block] > g->order[above])
    block = g->above[block];
  return block == above;
}
