/*
 * Natural loops: an edge to a block that dominates its source goes back, and all edges back to one
 * header make one loop, of the blocks from which the header can be reached again without passing
 * it. An edge against the order to a block that does not dominate its source is part of a cycle
 * that can be entered at two places. Such a cycle is listed as a loop of its own, at the block of
 * that edge, and every loop around the edge is marked: no order of its blocks is topological.
 */
#include "purity/loops.h"

#include "purity/graph.h"
#include "purity/purity.h"

static struct loop *add_loop(unf_purity *p, unf_block header) {
  unf_context *context = p->flow->context;
  for (uint32_t i = 0; i < p->loops.count; i++)
    if (p->loops.data[i].is.header == header) return &p->loops.data[i];
  if (!vector_reserve(context, &p->loops, (uint64_t)p->loops.count + 1)) return NULL;
  struct loop loop = {{0}, unfi_take(context, p->graph.blocks, 1)};
  if (loop.inside == NULL) return NULL;
  loop.is.header = header;
  loop.is.parent = UINT32_MAX;
  loop.inside[header] = 1;
  vector_push(&p->loops, loop);
  return &p->loops.data[p->loops.count - 1];
}

/* Whether an edge goes against the order. */
static bool retreats(const struct graph *g, unf_block from, unf_block to) {
  return g->order[to] <= g->order[from];
}

/* Adds the blocks from which a block can be reached without passing the header. */
static void add_body(const struct graph *g, struct loop *loop, unf_block from, uint32_t *stack) {
  uint32_t depth = 0;
  if (loop->inside[from]) return;
  loop->inside[from] = 1;
  stack[depth++] = from;
  while (depth > 0) {
    unf_block block = stack[--depth];
    for (uint32_t i = g->first[block]; i < g->first[block + 1]; i++) {
      if (loop->inside[g->from[i]]) continue;
      loop->inside[g->from[i]] = 1;
      stack[depth++] = g->from[i];
    }
  }
}

/* Adds the blocks from which a block can be reached along edges that do not go back: marks them
 * with 2, which becomes 1 for those that can also be reached from the header along such edges. */
static void add_cycle(const unf_flow *flow, const struct graph *g, struct loop *loop,
                      unf_block from, uint32_t *stack) {
  uint32_t depth = 0;
  if (loop->inside[from] == 0) loop->inside[from] = 2;
  stack[depth++] = from;
  while (depth > 0) {
    unf_block block = stack[--depth];
    for (uint32_t i = g->first[block]; i < g->first[block + 1]; i++) {
      unf_block source = g->from[i];
      if (loop->inside[source] != 0 || goes_back(g, source, block)) continue;
      loop->inside[source] = 2;
      stack[depth++] = source;
    }
  }
  stack[depth++] = loop->is.header;
  while (depth > 0) {
    unf_block block = stack[--depth];
    const struct block *b = &flow->blocks.data[block];
    for (uint32_t i = 0; i < b->edges.count; i++) {
      unf_block to = b->edges.data[i].to;
      if (loop->inside[to] != 2 || goes_back(g, block, to)) continue;
      loop->inside[to] = 1;
      stack[depth++] = to;
    }
  }
  for (uint32_t i = 0; i < g->blocks; i++)
    loop->inside[i] = loop->inside[i] == 1;
}

static bool find_bodies(unf_purity *p, uint32_t *stack) {
  const struct graph *g = &p->graph;
  for (uint32_t i = 0; i < g->reached; i++) {
    unf_block header = g->sequence[i];
    for (uint32_t j = g->first[header]; j < g->first[header + 1]; j++) {
      unf_block from = g->from[j];
      if (!retreats(g, from, header)) continue;
      struct loop *loop = add_loop(p, header);
      if (loop == NULL) return false;
      if (goes_back(g, from, header)) {
        add_body(g, loop, from, stack);
      } else {
        loop->is.irreducible = true;
        add_cycle(p->flow, g, loop, from, stack);
      }
    }
  }
  return true;
}

/* Marks the loops that contain an edge that retreats without going back. */
static void mark_irreducible(unf_purity *p) {
  const struct graph *g = &p->graph;
  for (uint32_t i = 0; i < g->reached; i++) {
    unf_block to = g->sequence[i];
    for (uint32_t j = g->first[to]; j < g->first[to + 1]; j++) {
      unf_block from = g->from[j];
      if (!retreats(g, from, to) || goes_back(g, from, to)) continue;
      for (uint32_t k = 0; k < p->loops.count; k++)
        if (p->loops.data[k].inside[from] && p->loops.data[k].inside[to])
          p->loops.data[k].is.irreducible = true;
    }
  }
}

/* Fills in parents and depths. Loops are in the order of their headers, so an outer loop comes
 * before its inner ones. */
static void nest(unf_purity *p) {
  for (uint32_t i = 0; i < p->loops.count; i++) {
    struct loop *loop = &p->loops.data[i];
    for (uint32_t b = 0; b < p->graph.blocks; b++)
      loop->is.blocks += loop->inside[b];
    loop->is.depth = 1;
    for (uint32_t j = 0; j < i; j++) {
      const struct loop *outer = &p->loops.data[j];
      if (!outer->inside[loop->is.header]) continue;
      loop->is.depth++;
      if (loop->is.parent == UINT32_MAX ||
          outer->is.blocks <= p->loops.data[loop->is.parent].is.blocks)
        loop->is.parent = j;
    }
  }
}

bool unfi_loops_find(unf_purity *p) {
  unf_context *context = p->flow->context;
  uint32_t *stack = unfi_take(context, p->graph.blocks, sizeof *stack);
  bool good = stack != NULL && find_bodies(p, stack);
  if (good) {
    mark_irreducible(p);
    nest(p);
  }
  if (stack != NULL)
    unfi_reallocate(context, stack, (p->graph.blocks + (size_t)1) * sizeof *stack, 0);
  return good;
}
