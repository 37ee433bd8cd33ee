/*
 * Giving events back (line 13 of Algorithm 1, CAV 2018).
 *
 * Of U it is enough to keep what conflicts with an event of C ∪ D, where D is all of it: an
 * ancestor of the present node may need what conflicts with an event that is justified here. In
 * other orders than depth-first C ∪ D is that of all nodes of the tree that are left. Alternatives
 * look only at siblings (spikes.c), so of what conflicts only that is kept which does so
 * immediately, and its causes, which stay in U as well: a candidate stands for all that has it in
 * its history.
 *
 * For wakeup trees and suspended runs there is no U; what waits in them is kept.
 *
 * What could have been instead of an event is known (`extended`) as long as the event is in C ∪ D,
 * since it conflicts with one of its causes or itself. For an event that is kept for another reason
 * it may be lost, and is computed again in the next run that has the event. Reversal leaves out
 * races of the shared steps because of what it did before; it starts over too.
 *
 * Everything is made anew beside the old: the events by compaction.h, and the tables about them by
 * entering U and performing the path again. So a refusal leaves the explorer as it was, but for
 * candidates that are no longer parked, which costs time only.
 */
#include "exploration/collect.h"
#include "exploration/explorer.h"
#include "exploration/path.h"
#include "exploration/strategies/qpor/spikes.h"
#include "structure/compaction.h"

#include <string.h>

typedef void (*member_visitor)(void *user, uint32_t event);

/* C ∪ D of all nodes that are left. */
static void each_member(const unf_explorer *x, member_visitor visit, void *user) {
  const struct search *search = &x->search;
  for (uint32_t i = 0; i < x->path.count; i++)
    visit(user, x->path.data[i].event);
  for (uint32_t i = 0; i < x->D.count; i++)
    visit(user, x->D.data[i].event);
  for (uint32_t i = 0; i < search->strands.count; i++) {
    const struct strand *s = &search->strands.data[i];
    if (s->state == STRAND_FREE) continue;
    if (s->first != NONE) visit(user, s->first);
    for (uint32_t j = 0; j < s->count; j++)
      visit(user, s->events[j] & ~PREEMPTION_TAG);
  }
}

struct keeping {
  unf_explorer *x;
  struct compaction *c;
  uint8_t *walked; /* NULL: U is not used */
};

static void keep_member(void *user, uint32_t event) {
  struct keeping *k = user;
  compaction_keep(k->c, event);
  if (k->walked != NULL) unfi_siblings_keep(k->x, event, k->c, k->walked);
}

/* The lists of U are whole again. */
static void release_all(unf_explorer *x) {
  for (uint32_t i = 0; i < x->path.count; i++) {
    unfi_release(x, x->path.data[i].parked);
    x->path.data[i].parked = 0;
  }
  for (uint32_t i = 0; i < x->D.count; i++) {
    unfi_release(x, x->D.data[i].parked);
    x->D.data[i].parked = 0;
  }
}

static void keep_all(const handle_vector *events, struct compaction *c) {
  for (uint32_t i = 0; i < events->count; i++)
    compaction_keep(c, events->data[i]);
}

/* Says what is kept; false: refused. */
static bool keep(unf_explorer *x, struct compaction *c) {
  unf_context *context = x->u->context;
  struct keeping k = {x, c, NULL};
  size_t size = (size_t)x->u->store.count + x->places.count;
  if (!by_reversal(x)) {
    k.walked = unfi_reallocate(context, NULL, 0, size);
    if (k.walked == NULL) return false;
    memset(k.walked, 0, size);
    release_all(x);
  }
  each_member(x, keep_member, &k);
  keep_all(&x->clue, c);
  for (uint32_t i = 0; i < x->wakeup.nodes.count; i++)
    compaction_keep(c, x->wakeup.nodes.data[i].event);
  keep_all(&x->eager.held, c);
  keep_all(&x->eager.turns, c);
  compaction_keep(c, x->eager.last);
  for (uint32_t i = 0; i < x->eager.suspended.count; i++)
    compaction_keep(c, x->eager.suspended.data[i].turn);
  if (k.walked != NULL) unfi_reallocate(context, k.walked, size, 0);
  return true;
}

/* An explorer like x over the unfolding that was made, at the root and without a U. */
static unf_explorer beside(const unf_explorer *x, struct compaction *c) {
  unf_explorer y = *x;
  y.u = &c->made;
  memset(&y.C, 0, sizeof y.C);
  y.C.u = &c->made;
  memset(&y.path, 0, sizeof y.path);
  memset(&y.undo, 0, sizeof y.undo);
  memset(&y.replayed, 0, sizeof y.replayed);
  memset(&y.blocked, 0, sizeof y.blocked);
  memset(&y.D, 0, sizeof y.D);
  memset(&y.known, 0, sizeof y.known);
  memset(&y.chains, 0, sizeof y.chains);
  memset(&y.roots, 0, sizeof y.roots);
  memset(&y.places, 0, sizeof y.places);
  memset(&y.heads, 0, sizeof y.heads);
  memset(&y.head_table, 0, sizeof y.head_table);
  memset(&y.scratch, 0, sizeof y.scratch);
  y.first_sleeper = y.last_sleeper = NONE;
  return y;
}

/* Oldest first, so that the newest stand at the front of their lists. */
static bool enter_known(const unf_explorer *x, unf_explorer *y, const struct compaction *c) {
  for (uint32_t event = 1; event < x->u->store.count; event++) {
    uint32_t now = c->now.data[event];
    if (now == 0) continue;
    const struct known *old = known_at(x, event);
    known_at(y, now)->executed = old->executed;
    if (!old->in_U) continue;
    if (!unfi_places_reserve(y, now)) return false;
    unfi_known_add(y, now);
  }
  return true;
}

static bool perform_path(const unf_explorer *x, unf_explorer *y, const struct compaction *c) {
  uint32_t sleeper = 0;
  for (uint32_t i = 0;; i++) {
    for (; sleeper < x->D.count && x->D.data[sleeper].depth == i; sleeper++) {
      if (!unfi_path_reserve(y)) return false;
      unfi_sleep(y, c->now.data[x->D.data[sleeper].event]);
    }
    if (i == x->path.count) return true;
    if (!unfi_path_reserve(y) || !unfi_path_push(y, c->now.data[x->path.data[i].event]))
      return false;
  }
}

struct extending {
  const unf_explorer *x;
  unf_explorer *y;
  const struct compaction *c;
};

static void keep_extended(void *user, uint32_t event) {
  struct extending *e = user;
  known_at(e->y, e->c->now.data[event])->extended = known_at(e->x, event)->extended;
}

static void rename_all(handle_vector *events, const struct compaction *c) {
  for (uint32_t i = 0; i < events->count; i++)
    events->data[i] = c->now.data[events->data[i]];
}

/* What else names events. Some of those of the last execution are gone. */
static void rename_rest(unf_explorer *x, const struct compaction *c) {
  struct search *search = &x->search;
  rename_all(&x->clue, c);
  x->last.count = 0;
  rename_all(&x->eager.held, c);
  rename_all(&x->eager.turns, c);
  x->eager.last = c->now.data[x->eager.last];
  for (uint32_t i = 0; i < x->eager.suspended.count; i++)
    x->eager.suspended.data[i].turn = c->now.data[x->eager.suspended.data[i].turn];
  x->eager.ranks.count = 0;
  for (uint32_t i = 0; i < x->wakeup.nodes.count; i++) {
    struct wakeup_node *node = &x->wakeup.nodes.data[i];
    node->event = c->now.data[node->event];
  }
  for (uint32_t i = 0; i < search->strands.count; i++) {
    struct strand *s = &search->strands.data[i];
    if (s->state == STRAND_FREE) continue;
    if (s->first != NONE) s->first = c->now.data[s->first];
    for (uint32_t j = 0; j < s->count; j++) {
      uint32_t tag = s->events[j] & PREEMPTION_TAG;
      s->events[j] = c->now.data[s->events[j] & ~PREEMPTION_TAG] | tag;
    }
  }
  unfi_reversals_free(x->u->context, &x->reversals);
  unfi_attempts_free(x->u->context, &x->attempts);
  x->reversed = 0;
}

static void commit(unf_explorer *x, unf_explorer *y, struct compaction *c) {
  unf_unfolding *u = x->u;
  struct extending e = {x, y, c};
  uint32_t count = u->store.count;
  each_member(x, keep_extended, &e);
  y->counts.extensions = x->counts.extensions;
  unfi_explorer_clear(x);
  unfi_compaction_commit(c);
  *x = *y;
  x->u = x->C.u = u;
  rename_rest(x, c);
  x->left = u->store.count;
  x->counts.collections++;
  x->counts.collected += count - u->store.count;
}

static bool due(const unf_explorer *x) {
  uint64_t fresh = x->u->store.count - x->left, left = x->left;
  return fresh >= x->collect && fresh * 100 >= left * x->collect_percent;
}

unf_status unfi_collect(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct compaction c;
  if (!due(x)) return UNF_OK;
  if (!unfi_path_reserve(x)) return unfi_refused(context);
  bool good = unfi_compaction_begin(&c, x->u) && keep(x, &c);
  unf_status status = good ? unfi_compaction_make(&c) : unfi_refused(context);
  if (status == UNF_OK) {
    unf_explorer y = beside(x, &c);
    good = unfi_path_reserve(&y) && enter_known(x, &y, &c) && perform_path(x, &y, &c);
    if (good)
      commit(x, &y, &c);
    else
      unfi_explorer_clear(&y);
    status = good ? UNF_OK : unfi_refused(context);
  }
  unfi_compaction_free(&c);
  return status;
}
