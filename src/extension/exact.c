/*
 * Conflicting extensions of an operation, exactly, from the definition, for any family.
 *
 * An event that the operation of a thread can become within a configuration C is a shape of it (an
 * action, or some with the same dependence) after a set Q of events of C that depend on the action,
 * closed under causes among these, where the action is possible after P = [before] ∪ [Q]; and each
 * such Q gives another event. So the sets Q are enumerated one by one, for each shape: every event
 * that is not in the history of the thread's event before, nor a successor of the event that the
 * operation became, is taken or left, in the order of causes; leaving one leaves its successors.
 *
 * Each leaf is an event of the unfolding, except where the action is impossible at it. A shape that
 * would have too many such leaves says what must be taken together, and where nothing can come any
 * more. Hence O(events²) per extension for these, and in general for each set Q. Memory: one cut,
 * and what each event that was taken changed in it.
 */
#include <string.h>

#include "base/sort.h"
#include "extension/exact.h"
#include "extension/extension.h"
#include "extension/site_history.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/sparse.h"

enum membership { OPEN, TAKEN, LEFT };

/* An event that was taken, and what was so before. */
struct taken_event {
  uint32_t position, trail, left, undo;
};

struct exact {
  struct enumeration e; /* the first field: see exact_of() */
  uint32_t event, thread;
  const struct effect_family *family;
  struct site_uses *uses; /* of C */
  handle_vector events;   /* that the shape depends on, ascending */
  handle_vector states;   /* of `events`, one each */
  handle_vector trail;    /* positions of those that are not open any more, as they were decided */
  VECTOR(struct taken_event) choices; /* events that were taken and are still to be left */
  undo_vector undo;                   /* what they changed in P */
  handle_vector outs; /* events that are left, and the one that the operation became */
  causes_visitor visit;
  void *user;
  bool more;
};

static struct exact *exact_of(struct enumeration *e) {
  return (struct exact *)e;
}

static bool stopped(const struct exact *x) {
  return x->e.status != UNF_OK || !x->more;
}

/* P, and room for another cut. */
static struct sparse *taken_of(const struct exact *x) {
  return &x->uses->room[0];
}

static struct sparse *history_of(const struct exact *x) {
  return &x->uses->room[1];
}

/* The events of C that a shape depends on by its use of a site (NULL: every use of it) and that can
 * be left. */
static bool list_at(struct exact *x, uint32_t site, const struct use *use) {
  bool writes = use == NULL || use->access == ACCESS_WRITE;
  struct between between = {site, writes ? ACCESS_NONE : use->access, x->e.before, x->event};
  return unfi_site_uses_between(x->e.u, x->e.C, x->uses, between, &x->events);
}

/* The events of C that a shape depends on and that can be left. */
static bool list_events(struct exact *x) {
  unf_unfolding *u = x->e.u;
  const struct shape *shape = x->e.shape;
  uint32_t id = 0, kept = 0, count = shape->site_count;
  const struct use *uses = NULL;
  x->events.count = 0;
  if (shape->sites == NULL) {
    x->e.status = unfi_action_intern(u, &shape->action, &id);
    if (x->e.status != UNF_OK) return false;
    uses = uses_of(u, &u->actions.data[id], &count);
  }
  bool enough = true;
  for (uint32_t i = 0; enough && i < count; i++)
    enough =
        list_at(x, uses != NULL ? uses[i].site : shape->sites[i], uses != NULL ? &uses[i] : NULL);
  if (!enough || !vector_reserve(u->context, &x->states, x->events.count) ||
      !vector_reserve(u->context, &x->trail, x->events.count)) {
    x->e.status = unfi_refused(u->context);
    return false;
  }
  /* In the order of causes, each once. */
  unfi_sort(x->events.data, x->events.count);
  for (uint32_t i = 0; i < x->events.count; i++)
    if (kept == 0 || x->events.data[kept - 1] != x->events.data[i])
      x->events.data[kept++] = x->events.data[i];
  x->events.count = kept;
  for (uint32_t i = 0; i < kept; i++)
    x->states.data[i] = OPEN;
  return true;
}

/* Whether P is nothing but the causes: an action of a family of the front-end's own need not depend
 * on everything that its operation concerns. */
static bool has_causes_only(struct exact *x, const struct causes *causes) {
  unf_unfolding *u = x->e.u;
  struct sparse *history = history_of(x);
  bool enough = sparse_reserve(u, history);
  unfi_sparse_clear(history);
  enough = enough && unfi_sparse_merge(u, history, causes->before);
  uint32_t count;
  const uint32_t *follows = causes_follow(u, causes, &count);
  for (uint32_t i = 0; enough && i < count; i++)
    enough = unfi_sparse_merge_entry(u, history, follows[i]);
  if (!enough) x->e.status = unfi_refused(u->context);
  return enough && unfi_sparse_equal(history, taken_of(x));
}

/* Whether something was left on which an action depends: else its event is enabled, not in
 * conflict. That something was left is not enough where an operation concerns more than its action
 * uses, or uses it in a mode that commutes. */
static bool left_any(const struct exact *x, const struct causes *causes) {
  const unf_unfolding *u = x->e.u;
  const struct action *a = &u->actions.data[causes->action];
  for (uint32_t i = 0; i < x->events.count; i++)
    if (x->states.data[i] == LEFT && unfi_dependent(u, a, action_of(u, x->events.data[i])))
      return true;
  return false;
}

/* Whether an action is of the shape at hand. */
static bool has_shape(const struct shape *shape, const unf_action *action) {
  if (action->kind != shape->action.kind) return false;
  if (shape->sites != NULL && !shape->other_values) return true;
  return (action->value == shape->action.value) != shape->other_values;
}

static bool give(void *user, const unf_action *action) {
  struct exact *x = user;
  struct causes causes;
  if (!has_shape(x->e.shape, action)) return true;
  x->e.status = unfi_causes(x->e.u, sparse_cut(taken_of(x)), action, &causes);
  if (x->e.status != UNF_OK) return false;
  if (x->family->foreign && !has_causes_only(x, &causes)) return !stopped(x);
  if (x->family->foreign && x->event == NONE && !left_any(x, &causes)) return true;
  if (x->event == NONE || unfi_event_find(x->e.u, &causes) != x->event)
    x->more = x->visit(x->user, &causes);
  return !stopped(x);
}

/* Everything is decided. An operation that is still to be performed is enabled, not in conflict,
 * where nothing was left. */
static void leaf(struct exact *x) {
  if (x->event == NONE && x->e.left == 0) return;
  unf_status status =
      x->family->outcomes(x->e.u, sparse_cut(taken_of(x)), x->thread, x->e.operation, give, x);
  if (x->e.status == UNF_OK) x->e.status = status;
}

/* There is room on the trail for every event. */
static void set_state(struct exact *x, uint32_t i, enum membership state) {
  x->states.data[i] = state;
  vector_push(&x->trail, i);
}

static void leave(struct exact *x, uint32_t i) {
  set_state(x, i, LEFT);
  x->e.left++;
}

static bool follows_left(const struct exact *x, uint32_t i) {
  for (uint32_t j = 0; j < i; j++)
    if (x->states.data[j] == LEFT && unfi_precedes(x->e.u, x->events.data[j], x->events.data[i]))
      return true;
  return false;
}

struct cut unfi_exact_taken(const struct enumeration *e) {
  return sparse_cut(taken_of((const struct exact *)e));
}

bool unfi_exact_take(struct enumeration *e, uint32_t event) {
  struct exact *x = exact_of(e);
  unf_unfolding *u = e->u;
  for (uint32_t j = 0; j < x->events.count; j++) {
    if (!unfi_precedes(u, x->events.data[j], event)) continue;
    if (x->states.data[j] == LEFT) return false;
    if (x->states.data[j] == OPEN) set_state(x, j, TAKEN);
  }
  if (x->event != NONE && unfi_precedes(u, x->event, event)) return false;
  if (!unfi_sparse_merge_undo(u, taken_of(x), event, &x->undo))
    e->status = unfi_refused(u->context);
  return e->status == UNF_OK;
}

bool unfi_exact_rest(struct enumeration *e, uint32_t site, uint32_t *entry) {
  struct exact *x = exact_of(e);
  *entry = cut_at(e->C, site);
  bool enough = vector_reserve(e->u->context, &x->outs, (uint64_t)x->events.count + 1);
  x->outs.count = 0;
  if (enough && x->event != NONE) vector_push(&x->outs, x->event);
  for (uint32_t i = 0; enough && i < x->events.count; i++)
    if (x->states.data[i] == LEFT) vector_push(&x->outs, x->events.data[i]);
  enough = enough && unfi_entry_without(e->u, entry, site, x->outs.data, x->outs.count);
  if (!enough) e->status = unfi_refused(e->u->context);
  return enough;
}

static bool complete(struct exact *x) {
  return x->e.shape->complete == NULL || x->e.shape->complete(&x->e);
}

static bool hopeless(struct exact *x) {
  return x->e.shape->hopeless != NULL && x->e.shape->hopeless(&x->e);
}

/* Takes event i; false: that cannot be. */
static bool choose(struct exact *x, uint32_t i) {
  unf_unfolding *u = x->e.u;
  struct taken_event taken = {i, x->trail.count, x->e.left, x->undo.count};
  if (!vector_reserve(u->context, &x->choices, (uint64_t)x->choices.count + 1)) {
    x->e.status = unfi_refused(u->context);
    return false;
  }
  vector_push(&x->choices, taken);
  return unfi_exact_take(&x->e, x->events.data[i]) && complete(x);
}

/* Back to the last choice, which is left now; false: there is none. */
static bool choose_again(struct exact *x, uint32_t *next) {
  if (x->choices.count == 0) return false;
  struct taken_event taken = x->choices.data[--x->choices.count];
  while (x->trail.count > taken.trail)
    x->states.data[x->trail.data[--x->trail.count]] = OPEN;
  unfi_sparse_back(taken_of(x), &x->undo, taken.undo);
  x->e.left = taken.left;
  leave(x, taken.position);
  *next = taken.position + 1;
  return true;
}

/* Goes on from event i to the next that is to be chosen, leaving what follows one that was left;
 * false: all are decided, or nothing can come of it. */
static bool next_open(struct exact *x, uint32_t *i) {
  x->e.status = unfi_work(x->e.u->context, 1 + x->events.count);
  if (x->e.status != UNF_OK || hopeless(x)) return false;
  for (; *i < x->events.count; ++*i) {
    if (x->states.data[*i] != OPEN) continue;
    if (!follows_left(x, *i)) return true;
    leave(x, *i);
  }
  leaf(x);
  return false;
}

static void decide_all(struct exact *x) {
  uint32_t i = 0;
  do {
    while (!stopped(x) && next_open(x, &i) && choose(x, i))
      i++;
  } while (!stopped(x) && choose_again(x, &i));
}

static bool enumerate(void *user, const struct shape *shape) {
  struct exact *x = user;
  unf_unfolding *u = x->e.u;
  x->e.shape = shape;
  if (!list_events(x)) return false;
  x->e.left = x->trail.count = x->choices.count = x->undo.count = 0;
  bool enough = sparse_reserve(u, taken_of(x));
  unfi_sparse_clear(taken_of(x));
  if (!enough || !unfi_sparse_merge(u, taken_of(x), x->e.before))
    x->e.status = unfi_refused(u->context);
  else if (complete(x))
    decide_all(x);
  return !stopped(x);
}

unf_status unfi_exact(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                      const unf_operation *operation, uint32_t event, struct site_uses *uses,
                      causes_visitor visit, void *user) {
  struct exact x = {
      .e = {.u = u, .C = cut, .operation = operation, .before = before, .status = UNF_OK},
      .event = event,
      .thread = thread,
      .uses = uses,
      .family = u->effects->operations[operation->kind].family,
      .visit = visit,
      .user = user,
      .more = true};
  unf_status status = x.family->shapes(u, cut, thread, operation, enumerate, &x);
  vector_free(u->context, &x.events);
  vector_free(u->context, &x.states);
  vector_free(u->context, &x.trail);
  vector_free(u->context, &x.choices);
  vector_free(u->context, &x.undo);
  vector_free(u->context, &x.outs);
  return status != UNF_OK ? status : x.e.status;
}
