/*
 * Which leaf comes next. The orders that go by a rank keep the leaves in a heap, O(log leaves); a
 * random descent costs O(nodes on its way + forks there), the caller's function what it costs.
 */
#include "exploration/explorer.h"

#define DESCENTS_BEFORE_A_DRAW 16

/* splitmix64 */
static uint64_t draw(struct search *search, uint64_t below) {
  uint64_t z = search->seed += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return (z ^ z >> 31) % below;
}

static bool ranked(const struct search *search) {
  return search->order == UNF_ORDER_BREADTH_FIRST || search->order == UNF_ORDER_DEEPEST;
}

/* Whether a leaf comes before another one. */
static bool before(const struct search *search, uint32_t a, uint32_t b) {
  const unf_leaf *x = &search->leaves.data[a], *y = &search->leaves.data[b];
  if (search->order == UNF_ORDER_BREADTH_FIRST) return x->number < y->number;
  return x->decided != y->decided ? x->decided > y->decided : x->number > y->number;
}

static void put(struct search *search, uint32_t at, unf_leaf leaf, uint32_t strand) {
  search->leaves.data[at] = leaf;
  search->waiting.data[at] = strand;
  search->strands.data[strand].leaf = at;
}

static void swap(struct search *search, uint32_t a, uint32_t b) {
  unf_leaf leaf = search->leaves.data[a];
  uint32_t strand = search->waiting.data[a];
  put(search, a, search->leaves.data[b], search->waiting.data[b]);
  put(search, b, leaf, strand);
}

static void rise(struct search *search, uint32_t at) {
  for (; at > 0 && before(search, at, (at - 1) / 2); at = (at - 1) / 2)
    swap(search, at, (at - 1) / 2);
}

static void sink(struct search *search, uint32_t at) {
  for (;;) {
    uint32_t first = at;
    for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
      if (child < search->leaves.count && before(search, child, first)) first = child;
    if (first == at) return;
    swap(search, at, first);
    at = first;
  }
}

void unfi_leaf_add(unf_explorer *x, uint32_t strand) {
  struct search *search = &x->search;
  const struct strand *s = &search->strands.data[strand];
  uint64_t run = s->parent != NONE ? search->strands.data[s->parent].run : 0;
  unf_leaf leaf = {search->found++, run, s->fork, strand_end(s)};
  search->leaves.count++;
  search->waiting.count++;
  put(search, search->leaves.count - 1, leaf, strand);
  if (ranked(search)) rise(search, search->leaves.count - 1);
}

static uint32_t take(struct search *search, uint32_t at) {
  uint32_t strand = search->waiting.data[at], last = search->leaves.count - 1;
  if (at != last) swap(search, at, last);
  search->leaves.count--;
  search->waiting.count--;
  if (at != last && ranked(search)) {
    rise(search, at);
    sink(search, at);
  }
  return strand;
}

/* Where a descent goes on from the node: the strand that forks there, the strand itself when it is
 * its own branch. The strands with the fork end at `last` of the parent's list. */
static uint32_t branch(struct search *search, uint32_t strand, uint32_t last, double *weight) {
  const struct strand *all = search->strands.data;
  uint32_t count = 1, fork = last;
  for (uint32_t i = last; i != NONE && all[i].fork == all[last].fork; i = all[i].prev)
    count++;
  *weight *= count;
  uint64_t drawn = draw(search, count);
  if (drawn == 0) return strand;
  while (--drawn > 0)
    fork = all[fork].prev;
  return fork;
}

/* Goes on with the descent at hand to its end, which is counted, or to a leaf that waits. */
static uint32_t descend(unf_explorer *x) {
  struct search *search = &x->search;
  const struct strand *all = search->strands.data;
  uint32_t strand = search->probe, last = all[strand].tail;
  while (last != NONE && all[last].fork < search->probe_node)
    last = all[last].prev;
  for (;;) {
    const struct strand *s = &all[strand];
    if (s->state == STRAND_WAITS) return strand;
    if (last == NONE || s->state == STRAND_LEFT) break;
    uint32_t next = branch(search, strand, last, &search->weight);
    if (next == strand) {
      uint32_t node = all[last].fork;
      while (last != NONE && all[last].fork == node)
        last = all[last].prev;
    } else {
      strand = next;
      last = all[strand].tail;
    }
  }
  unfi_estimate_sample(x, search->weight * (double)all[strand].traces);
  search->probe = NONE;
  return NONE;
}

static uint32_t descend_to_leaf(unf_explorer *x) {
  struct search *search = &x->search;
  for (int i = 0; i < DESCENTS_BEFORE_A_DRAW; i++) {
    if (search->probe == NONE) {
      search->probe = search->probe_node = 0;
      search->weight = 1;
    }
    uint32_t strand = descend(x);
    if (strand == NONE) continue;
    /* It goes on behind the clue's first node when the execution is done. */
    search->probe = strand;
    search->probe_node = search->strands.data[strand].fork + 1;
    return strand;
  }
  return search->waiting.data[draw(search, search->leaves.count)];
}

uint32_t unfi_leaf_choose(unf_explorer *x) {
  struct search *search = &x->search;
  uint32_t at = 0, count = search->leaves.count;
  if (count == 0) return NONE;
  if (search->order == UNF_ORDER_RANDOM && count > 0) {
    at = search->strands.data[descend_to_leaf(x)].leaf;
  } else if (search->order == UNF_ORDER_CHOSEN) {
    uint64_t chosen = search->choose(search->choose_user, search->leaves.data, count);
    if (chosen < count) at = (uint32_t)chosen;
  }
  return take(search, at);
}
