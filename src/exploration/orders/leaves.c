/*
 * The leaves that wait. The orders that go by a rank keep them in a heap, O(log leaves); the
 * caller's function costs what it costs.
 */
#include "exploration/orders/leaves.h"

#include "exploration/orders/strand.h"
#include "exploration/orders/tree_search.h"
#include "extension/adds.h"

bool unfi_leaf_was_found_first(const unf_leaf *a, const unf_leaf *b) {
  return a->number < b->number;
}

bool unfi_leaf_is_deeper(const unf_leaf *a, const unf_leaf *b) {
  return a->decided != b->decided ? a->decided > b->decided : a->number > b->number;
}

/* Whether a leaf comes before another one. */
static bool before(const unf_explorer *x, uint32_t a, uint32_t b) {
  const unf_leaf *leaves = tree_of(x)->leaves.data;
  return x->order->before(&leaves[a], &leaves[b]);
}

static void put(struct tree_search *tree, uint32_t at, unf_leaf leaf, uint32_t strand) {
  tree->leaves.data[at] = leaf;
  tree->waiting.data[at] = strand;
  tree->strands.data[strand].leaf = at;
}

static void swap(struct tree_search *tree, uint32_t a, uint32_t b) {
  unf_leaf leaf = tree->leaves.data[a];
  uint32_t strand = tree->waiting.data[a];
  put(tree, a, tree->leaves.data[b], tree->waiting.data[b]);
  put(tree, b, leaf, strand);
}

static void rise(unf_explorer *x, uint32_t at) {
  for (; at > 0 && before(x, at, (at - 1) / 2); at = (at - 1) / 2)
    swap(tree_of(x), at, (at - 1) / 2);
}

static void sink(unf_explorer *x, uint32_t at) {
  struct tree_search *tree = tree_of(x);
  for (;;) {
    uint32_t first = at;
    for (uint32_t child = 2 * at + 1; child <= 2 * at + 2; child++)
      if (child < tree->leaves.count && before(x, child, first)) first = child;
    if (first == at) return;
    swap(tree, at, first);
    at = first;
  }
}

void unfi_leaf_add(unf_explorer *x, uint32_t strand) {
  struct tree_search *tree = tree_of(x);
  const struct strand *s = &tree->strands.data[strand];
  uint64_t run = s->parent != NONE ? tree->strands.data[s->parent].run : 0;
  unf_leaf leaf = {tree->found++, run, s->fork, strand_end(s)};
  tree->leaves.count++;
  tree->waiting.count++;
  tree->strands.data[s->group].waiting++;
  put(tree, tree->leaves.count - 1, leaf, strand);
  if (x->order->before != NULL) rise(x, tree->leaves.count - 1);
}

static void take(unf_explorer *x, uint32_t at) {
  struct tree_search *tree = tree_of(x);
  uint32_t last = tree->leaves.count - 1;
  tree->strands.data[tree->strands.data[tree->waiting.data[at]].group].waiting--;
  if (at != last) swap(tree, at, last);
  tree->leaves.count--;
  tree->waiting.count--;
  if (at != last && x->order->before != NULL) {
    rise(x, at);
    sink(x, at);
  }
}

unf_status unfi_leaf_chosen(unf_explorer *x, uint32_t *leaf) {
  struct tree_search *tree = tree_of(x);
  uint32_t count = tree->leaves.count;
  tree->choosing = true;
  uint64_t chosen = tree->choose(tree->choose_user, tree->leaves.data, count);
  tree->choosing = false;
  *leaf = tree->waiting.data[chosen < count ? chosen : 0];
  return UNF_OK;
}

void unf_explorer_leaf_steps(const unf_explorer *x, uint64_t index, unf_event_visitor visit,
                             void *user) {
  if (x == NULL || visit == NULL || x->order->choose != unfi_leaf_chosen) return;
  const struct tree_search *tree = tree_of(x);
  if (!tree->choosing || index >= tree->waiting.count) return;
  const struct strand *s = &tree->strands.data[tree->waiting.data[index]];
  for (uint32_t i = 0; i < s->count; i++)
    if (!visit(user, s->events[i])) return;
}

unf_status unfi_leaf_choose(unf_explorer *x, uint32_t *leaf) {
  const struct tree_search *tree = tree_of(x);
  *leaf = tree->waiting.data[0];
  unf_status status = x->order->choose != NULL ? x->order->choose(x, leaf) : UNF_OK;
  if (status == UNF_OK) take(x, tree->strands.data[*leaf].leaf);
  return status;
}
