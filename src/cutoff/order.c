/*
 * Orders of local configurations.
 *
 * Size alone is McMillan's order. The total one is that of Esparza, Römer and Vogler: size;
 * then the numbers of actions, where at the least action that occurs more often in one than in
 * the other the configuration that has more of it is the smaller one; then the Foata normal
 * form, layer by layer in the same way. Actions are ordered by their canonical names as text,
 * never by handles, which depend on the search. Rounds of a barrier are omitted from the names:
 * an engine may identify two states that differ only in rounds that are over, and what comes
 * after them is then the same except for the rounds. Which barrier a thread arrives at follows
 * from what it did before.
 *
 * The total order is adequate. It refines ⊂ and is well-founded because sizes come first; and if C1
 * < C2 have the same state, this remains so when both are extended by an action a. For sizes and
 * numbers of actions that is obvious. Where these are equal, let i be the first layer that differs.
 * The layers above i are the same, so the same actions remain for the layers from i on. Hence
 * either a depends on one of these actions in both configurations, and comes below layer i in both;
 * or it does so in neither, and then it enters the same layer of both, at most the i-th. In the
 * last case it matters that layers are compared by numbers of actions, and not as sequences of
 * which the shorter is smaller.
 *
 * What both configurations have in common cancels, so only the events in one of them are compared.
 */
#include "cutoff/order.h"

#include <string.h>

#include "base/sort.h"
#include "configuration/walk.h"
#include "cutoff/cutoff.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

/* Cuts a name after its first two words, thread and kind. */
static void drop_target(char *name) {
  for (int spaces = 0; *name != '\0'; name++)
    if (*name == ' ' && ++spaces == 2) *name = '\0';
}

static bool name_actions(unf_cutoffs *c) {
  const unf_unfolding *u = c->u;
  if (!vector_reserve(u->context, &c->name_of, u->actions.count)) return false;
  while (c->name_of.count < u->actions.count) {
    unf_action action = unfi_action(u, c->name_of.count);
    size_t length = unf_action_text(u, &action, NULL, 0) + 1;
    if (!vector_reserve(u->context, &c->names, c->names.count + (uint64_t)length)) return false;
    char *name = c->names.data + c->names.count;
    unf_action_text(u, &action, name, length);
    if (u->effects->actions[action.kind].family->once) drop_target(name);
    vector_push(&c->name_of, c->names.count);
    c->names.count += (uint32_t)length;
  }
  return true;
}

bool unfi_compare_reserve(unf_cutoffs *c, uint32_t size) {
  unf_context *context = c->u->context;
  uint32_t sites = c->u->sites.count;
  if (c->order != UNF_CUTOFFS_ERV) return true;
  return name_actions(c) && vector_reserve_zero(context, &c->here, sites) &&
         vector_reserve_zero(context, &c->there, sites) &&
         vector_reserve(context, &c->left, size) && vector_reserve(context, &c->right, size);
}

void unfi_compare_free(unf_cutoffs *c) {
  unf_context *context = c->u->context;
  vector_free(context, &c->name_of);
  vector_free(context, &c->names);
  vector_free(context, &c->here);
  vector_free(context, &c->there);
  vector_free(context, &c->left);
  vector_free(context, &c->right);
}

struct comparing {
  const unf_cutoffs *cutoffs;
  bool layers;
};

/* Compares by layer, if layers count, and then by name; 0: the same action (in the same layer). */
static int compare_events(const void *user, uint32_t a, uint32_t b) {
  const struct comparing *comparing = user;
  const unf_cutoffs *c = comparing->cutoffs;
  if (comparing->layers) {
    uint32_t x = c->records.data[c->record_of.data[a]].layer;
    uint32_t y = c->records.data[c->record_of.data[b]].layer;
    if (x != y) return x < y ? -1 : 1;
  }
  uint32_t first = event_at(c->u, a)->action, second = event_at(c->u, b)->action;
  if (first == second) return 0;
  const char *names = c->names.data;
  return strcmp(names + c->name_of.data[first], names + c->name_of.data[second]);
}

/* Negative if the left list is smaller: it has more of the least action that the lists do not
 * have equally often. */
static int compare_lists(unf_cutoffs *c, bool layers) {
  struct comparing comparing = {c, layers};
  unfi_sort_by(c->left.data, c->left.count, compare_events, &comparing);
  unfi_sort_by(c->right.data, c->right.count, compare_events, &comparing);
  for (uint32_t i = 0; i < c->left.count; i++) {
    int order = compare_events(&comparing, c->left.data[i], c->right.data[i]);
    if (order != 0) return order;
  }
  return 0;
}

static struct cut thread_cut(const unf_unfolding *u, uint32_t event, handle_vector *entries) {
  for (uint32_t t = 0; t < u->threads.count; t++) {
    uint32_t site = u->threads.data[t].site;
    entries->data[site] = cut_entry(u, event, site);
  }
  return (struct cut){entries->data, u->sites.count};
}

int unfi_compare(unf_cutoffs *c, uint32_t a, uint32_t b) {
  const struct record *x = &c->records.data[a], *y = &c->records.data[b];
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  if (c->order == UNF_CUTOFFS_SIZE || a == b) return 0;
  struct cut here = thread_cut(c->u, x->event, &c->here);
  struct cut there = thread_cut(c->u, y->event, &c->there);
  c->left.count = c->right.count = 0;
  unfi_cut_events(c->u, here, there, &c->left);
  unfi_cut_events(c->u, there, here, &c->right);
  int order = compare_lists(c, false);
  return order != 0 ? order : compare_lists(c, true);
}
