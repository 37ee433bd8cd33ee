/*
 * Which leaf comes next. The orders that go by a rank keep the leaves in a heap, O(log leaves); a
 * random descent costs O(nodes on its way + forks there), the caller's function what it costs.
 */
#include "exploration/explorer.h"
#include "exploration/orders/leaves.h"
#include "exploration/orders/search.h"
#include "structure/unfolding.h"

#define DESCENTS_BEFORE_A_DRAW 2

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

/*
 * The branch that a descent takes from a node: the strand itself, whose part below has `own`
 * strands, or one that forks there, from `last` backwards. The probabilities are as the sizes known
 * so far, so that no part of the tree waits long; a leaf counts as the mean of the other branches.
 */
static uint32_t branch(struct search *search, uint32_t strand, uint32_t last, uint64_t own) {
  const struct strand *all = search->strands.data;
  uint32_t fork = all[last].fork, explored = 1, waiting = 0, next = strand;
  uint64_t sizes = own;
  for (uint32_t i = last; i != NONE && all[i].fork == fork; i = all[i].prev) {
    bool waits = all[i].state == STRAND_WAITS;
    waiting += waits;
    explored += !waits;
    sizes += waits ? 0 : all[i].size;
  }
  /* In parts of a leaf's weight, so that the mean is a whole number. */
  uint64_t total = sizes * (explored + waiting), chosen = own * explored;
  uint64_t drawn = draw(search, total);
  for (uint32_t i = last; drawn >= chosen; i = all[i].prev) {
    drawn -= chosen;
    chosen = all[i].state == STRAND_WAITS ? sizes : all[i].size * explored;
    next = i;
  }
  return next;
}

/* Follows the descent along a strand to the first strand that it turns to; the strand itself when
 * it comes to the end. O(forks from the strand). */
static uint32_t follow(struct search *search, uint32_t strand) {
  const struct strand *all = search->strands.data;
  uint64_t own = all[strand].size;
  for (uint32_t last = all[strand].tail; last != NONE;) {
    uint32_t fork = all[last].fork, i = last;
    for (; i != NONE && all[i].fork == fork; i = all[i].prev)
      own -= all[i].size;
    uint32_t next = fork < search->descent_node ? strand : branch(search, strand, last, own);
    if (next != strand) return next;
    last = i;
  }
  return strand;
}

/* Goes on with the descent at hand to its end, or to a leaf that waits. Strands
 * on the way are asked for further branches when U has doubled since they were asked last. */
static unf_status descend(unf_explorer *x, uint32_t *leaf) {
  struct search *search = &x->search;
  for (;;) {
    uint32_t strand = search->descent;
    const struct strand *s = &search->strands.data[strand];
    *leaf = s->state == STRAND_WAITS ? strand : NONE;
    if (s->state == STRAND_WAITS) return UNF_OK;
    if (s->state == STRAND_LEFT) break;
    if (x->counts.extensions / 2 > s->known) {
      unf_status status = unfi_search_ask_again(x, strand);
      if (status != UNF_OK) return status;
    }
    search->descent = follow(search, strand);
    if (search->descent == strand) break;
    search->descent_node = search->strands.data[search->descent].fork + 1;
  }
  search->descent = NONE;
  return UNF_OK;
}

/* A leaf that waits, by descents, of which each ends there or at what was explored. */
static unf_status choose_at_random(unf_explorer *x, uint32_t *leaf) {
  struct search *search = &x->search;
  *leaf = NONE;
  for (; *leaf == NONE && search->descents < DESCENTS_BEFORE_A_DRAW; search->descents++) {
    if (search->descent == NONE) {
      search->descent = 0;
      search->descent_node = x->floor;
    }
    unf_status status = descend(x, leaf);
    if (status != UNF_OK) return status;
  }
  if (*leaf == NONE) *leaf = search->waiting.data[draw(search, search->leaves.count)];
  search->descents = 0;
  return UNF_OK;
}

unf_status unfi_leaf_choose(unf_explorer *x, uint32_t *leaf) {
  struct search *search = &x->search;
  uint32_t at = 0, count = search->leaves.count;
  if (search->order == UNF_ORDER_RANDOM) {
    unf_status status = choose_at_random(x, leaf);
    if (status != UNF_OK) return status;
    at = search->strands.data[*leaf].leaf;
  } else if (search->order == UNF_ORDER_CHOSEN) {
    uint64_t chosen = search->choose(search->choose_user, search->leaves.data, count);
    if (chosen < count) at = (uint32_t)chosen;
  }
  *leaf = take(search, at);
  return UNF_OK;
}
