/*
 * Giving events back (line 13 of Algorithm 1, CAV 2018).
 *
 * Of U it is enough to keep what conflicts with an event of C ∪ D, where D is all of it: an
 * ancestor of the present node may need what conflicts with an event that is justified here. In
 * other orders than depth-first C ∪ D is that of all nodes of the tree that are left. What else is
 * needed the strategy says.
 *
 * Everything is made anew beside the old: the events by compaction.h, and the tables about them by
 * discovering what is left and performing the path again. So a refusal leaves the explorer as it
 * was, but for what the strategy attached to steps, which it may have taken back.
 */
#include "exploration/collect.h"

#include "exploration/explorer.h"
#include "extension/adds.h"

void unfi_each_member(unf_explorer *x, handle_visitor visit, void *user) {
  for (uint32_t i = 0; i < x->path.steps.count; i++)
    visit(user, &x->path.steps.data[i].event);
  for (uint32_t i = 0; i < x->path.D.entries.count; i++)
    visit(user, &x->path.D.entries.data[i].event);
  for (uint32_t i = 0; i < x->path.D.siblings.count; i++)
    visit(user, &x->path.D.siblings.data[i].event);
  if (x->order->visit != NULL) x->order->visit(x, visit, user);
}

/* The handles that are held beside the path, by whoever holds some. */
static void visit_held(unf_explorer *x, handle_visitor visit, void *user) {
  for (uint32_t i = 0; i < x->run.clue.count; i++)
    visit(user, &x->run.clue.data[i]);
  if (x->order->visit != NULL) x->order->visit(x, visit, user);
  if (x->strategy->visit != NULL) x->strategy->visit(x, visit, user);
}

static void keep_one(void *user, uint32_t *event) {
  compaction_keep(user, *event);
}

/* Says what is kept. Returns false when refused. */
static bool keep(unf_explorer *x, struct compaction *c) {
  unfi_each_member(x, keep_one, c);
  visit_held(x, keep_one, c);
  return x->strategy->keep == NULL || x->strategy->keep(x, c);
}

/* ---- beside the old ---- */

/* An explorer like x over the unfolding that was made, at the root. What its strategy holds in
 * lists of handles is that of x; else it has a state of its own. Returns false when refused. */
static bool begin_beside(const unf_explorer *x, unf_explorer *y, struct compaction *c) {
  *y = *x;
  y->u = &c->made;
  y->path = unfi_path_begin(&c->made);
  y->counts.extensions = 0;
  if (x->strategy->keep == NULL) return true;
  y->strategy_state = NULL;
  return unfi_strategy_state(y);
}

static void end_beside(unf_explorer *y) {
  if (y->strategy->keep != NULL) unfi_strategy_end(y);
  unfi_path_end(&y->path);
}

/* Oldest first, so that what is newer stays newer. */
static unf_status discover_again(const unf_explorer *x, unf_explorer *y,
                                 const struct compaction *c) {
  unf_context *context = x->u->context;
  for (uint32_t event = 1; event < x->u->store.count; event++) {
    uint32_t now = c->now.data[event];
    if (now == 0) continue;
    const struct mark *old = mark_at(&x->path, event);
    unf_status status = unfi_work(context, 1);
    if (status != UNF_OK) return status;
    if (!unfi_discover_reserve(y, now)) return unfi_refused(context);
    mark_at(&y->path, now)->word |= old->word & MARK_EXECUTED;
    if (old->word & MARK_DISCOVERED) unfi_discover(y, now);
  }
  return UNF_OK;
}

/* Heads before their siblings. */
static bool sleep_again(const unf_explorer *x, unf_explorer *y, const struct compaction *c,
                        uint32_t *entry, uint32_t *sibling) {
  const struct sleepers *D = &x->path.D;
  uint32_t node = y->path.steps.count;
  for (; *entry < D->entries.count && D->entries.data[*entry].depth == node; ++*entry) {
    if (!unfi_path_reserve(y)) return false;
    unfi_sleep(y, c->now.data[D->entries.data[*entry].event]);
  }
  for (; *sibling < D->siblings.count && D->siblings.data[*sibling].depth == node; ++*sibling) {
    if (!unfi_path_reserve(y)) return false;
    unfi_sleep(y, c->now.data[D->siblings.data[*sibling].event]);
  }
  return true;
}

static unf_status perform_again(const unf_explorer *x, unf_explorer *y,
                                const struct compaction *c) {
  unf_context *context = x->u->context;
  uint32_t entry = 0, sibling = 0;
  for (uint32_t i = 0;; i++) {
    unf_status status = unfi_work(context, 1);
    if (status != UNF_OK) return status;
    if (!sleep_again(x, y, c, &entry, &sibling)) return unfi_refused(context);
    if (i == x->path.steps.count) return UNF_OK;
    if (!unfi_path_reserve(y) || !unfi_path_push(y, c->now.data[x->path.steps.data[i].event]))
      return unfi_refused(context);
  }
}

static unf_status make_beside(unf_explorer *x, unf_explorer *y, struct compaction *c) {
  bool good = begin_beside(x, y, c) && unfi_path_reserve(y);
  unf_status status = good ? discover_again(x, y, c) : unfi_refused(x->u->context);
  if (status == UNF_OK) status = perform_again(x, y, c);
  if (status != UNF_OK)
    end_beside(y);
  else if (x->strategy->inherit != NULL)
    x->strategy->inherit(x, y, c);
  return status;
}

/* ---- in its place ---- */

static void rename_one(void *user, uint32_t *event) {
  const struct compaction *c = user;
  *event = c->now.data[*event];
}

/* Cannot fail. */
static void commit(unf_explorer *x, unf_explorer *y, struct compaction *c) {
  uint32_t count = x->u->store.count;
  end_beside(x);
  unfi_compaction_commit(c);
  x->path = y->path;
  x->path.C.u = x->u;
  x->strategy_state = y->strategy_state;
  visit_held(x, rename_one, c);
  x->last.events.count = x->last.same = 0;
  unfi_consistent_cut(&x->consistent, 0);
  if (x->strategy->renamed != NULL) x->strategy->renamed(x);
  x->collecting.left = x->u->store.count;
  x->counts.collections++;
  x->counts.collected += count - x->u->store.count;
}

static bool is_due(const unf_explorer *x) {
  const struct collecting *collecting = &x->collecting;
  uint64_t fresh = x->u->store.count - collecting->left, left = collecting->left;
  return collecting->every > 0 && fresh >= collecting->every &&
         fresh * 100 >= left * collecting->percent;
}

static NOINLINE unf_status collect(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct compaction c;
  if (!unfi_path_reserve(x)) return unfi_refused(context);
  bool good = unfi_compaction_begin(&c, x->u) && keep(x, &c);
  unf_status status = good ? unfi_compaction_make(&c) : unfi_refused(context);
  if (status == UNF_OK) {
    unf_explorer y;
    status = make_beside(x, &y, &c);
    if (status == UNF_OK) commit(x, &y, &c);
  }
  if (status == UNF_OK) unfi_done(context);
  unfi_compaction_free(&c);
  return status;
}

unf_status unfi_collect(unf_explorer *x) {
  bool again = x->collecting.dropped;
  x->collecting.dropped = false;
  return again || !is_due(x) ? UNF_OK : collect(x);
}
