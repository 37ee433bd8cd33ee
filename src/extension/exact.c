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
 * Each leaf is an event of the unfolding, except where the action is impossible at it. Two shapes
 * would have too many such leaves. A notification can only be lost when nobody waits: to take the
 * beginning of a wait means to take the end of it too, which is the one event that follows it at
 * the waiter's place; where there is none, it cannot be taken. A semaphore at which a try fails is
 * at 0: once an event has been left, only those of one layer can still be taken, so the value no
 * longer falls. An await is given up where additions that are not left cannot satisfy it. Hence
 * O(events²) per extension for these, and in general for each set Q. Memory: a cut for each event
 * taken.
 */
#include <string.h>

#include "extension/effects.h"
#include "structure/action.h"
#include "structure/cells.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"

enum state { OPEN, TAKEN, LEFT };

/* An event that was taken, and what was so before. */
struct choice {
  uint32_t position, trail, left;
};

struct exact {
  unf_unfolding *u;
  struct cut C;
  uint32_t before, event, thread;
  const unf_operation *operation;
  const struct effect_family *family;
  const struct shape *shape;
  uint32_t site_count;
  handle_vector events; /* that the shape depends on, ascending */
  handle_vector states; /* of these */
  handle_vector trail;  /* positions of those that are not open any more, as they were decided */
  VECTOR(struct choice) choices; /* events that were taken and are still to be left */
  handle_vector cuts;            /* P after each depth, one below the other */
  handle_vector history;         /* of an event, by site */
  handle_vector outs;            /* events that are left, and the one that the operation became */
  uint32_t left;
  causes_visitor visit;
  void *user;
  unf_status status;
  bool more;
};

static bool stopped(const struct exact *x) {
  return x->status != UNF_OK || !x->more;
}

static struct cut cut_of_depth(const struct exact *x, uint32_t depth) {
  struct cut cut = {x->cuts.data + (size_t)depth * x->site_count, x->site_count};
  return cut;
}

static bool shape_depends(const struct exact *x, const struct action *shape,
                          const struct action *a) {
  if (x->shape->sites == NULL) return unfi_dependent(x->u, shape, a);
  for (uint32_t i = 0; i < x->shape->site_count; i++)
    if (unfi_access(x->u, a, x->shape->sites[i]) != ACCESS_NONE) return true;
  return false;
}

/* The events of C that a shape depends on and that can be left. */
static bool list_events(struct exact *x) {
  unf_unfolding *u = x->u;
  struct cut nothing = {NULL, 0};
  uint32_t id = 0, kept = 0;
  x->events.count = 0;
  if (x->shape->sites == NULL) {
    x->status = unfi_action_intern(u, &x->shape->action, &id);
    if (x->status != UNF_OK) return false;
  }
  if (!unfi_cut_events(u, x->C, nothing, &x->events) ||
      !vector_reserve(u->context, &x->states, x->events.count) ||
      !vector_reserve(u->context, &x->trail, x->events.count)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  const struct action *shape = &u->actions.data[id];
  for (uint32_t i = 0; i < x->events.count; i++) {
    uint32_t e = x->events.data[i];
    bool fixed = unfi_precedes(u, e, x->before);
    bool after = x->event != NONE && unfi_precedes(u, x->event, e);
    if (!fixed && !after && shape_depends(x, shape, action_of(u, e))) x->events.data[kept++] = e;
  }
  x->events.count = kept;
  for (uint32_t i = 0; i < kept; i++)
    x->states.data[i] = OPEN;
  return true;
}

/* Whether P is nothing but the causes: an action of a family of the front-end's own need not depend
 * on everything that its operation concerns. */
static bool has_causes_only(struct exact *x, const struct causes *causes) {
  unf_unfolding *u = x->u;
  if (!vector_reserve_zero(u->context, &x->history, x->site_count)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  uint32_t *entries = x->history.data;
  memset(entries, 0, x->site_count * sizeof *entries);
  bool enough = unfi_cut_merge(u, entries, causes->before);
  uint32_t count;
  const uint32_t *follows = causes_follow(u, causes, &count);
  for (uint32_t i = 0; enough && i < count; i++)
    enough = unfi_cut_merge_entry(u, entries, follows[i]);
  if (!enough) x->status = unfi_refused(u->context);
  struct cut P = cut_of_depth(x, x->cuts.count);
  return enough && memcmp(entries, P.entries, x->site_count * sizeof *entries) == 0;
}

static bool give(void *user, const unf_action *action) {
  struct exact *x = user;
  const unf_action *wanted = &x->shape->action;
  struct causes causes;
  bool right = action->kind == wanted->kind &&
               (x->shape->sites != NULL ? action->value != 0 || action->kind == UNF_DID_CUSTOM
                                        : action->value == wanted->value);
  if (!right) return true;
  uint32_t depth = x->cuts.count;
  x->status = unfi_causes(x->u, cut_of_depth(x, depth), action, &causes);
  if (x->status != UNF_OK) return false;
  bool custom = action->kind == UNF_DID_CUSTOM;
  if (custom && !has_causes_only(x, &causes)) return !stopped(x);
  if (x->event == NONE || unfi_event_find(x->u, &causes) != x->event)
    x->more = x->visit(x->user, &causes);
  return !stopped(x);
}

/* Everything is decided. An operation that is still to be performed is enabled, not in conflict,
 * where nothing was left. */
static void leaf(struct exact *x) {
  if (x->event == NONE && x->left == 0) return;
  unf_status status =
      x->family->outcomes(x->u, cut_of_depth(x, x->cuts.count), x->thread, x->operation, give, x);
  if (x->status == UNF_OK) x->status = status;
}

/* There is room on the trail for every event. */
static void set_state(struct exact *x, uint32_t i, enum state state) {
  x->states.data[i] = state;
  vector_push(&x->trail, i);
}

static void leave(struct exact *x, uint32_t i) {
  set_state(x, i, LEFT);
  x->left++;
}

static bool follows_left(const struct exact *x, uint32_t i) {
  for (uint32_t j = 0; j < i; j++)
    if (x->states.data[j] == LEFT && unfi_precedes(x->u, x->events.data[j], x->events.data[i]))
      return true;
  return false;
}

/* The event of C that ends the wait which stands in P at a waiter's place; 0: none. */
static uint32_t end_of_wait(const struct exact *x, uint32_t site, uint32_t wait) {
  const unf_unfolding *u = x->u;
  uint32_t end = entry_write(u, cut_at(x->C, site)), next = 0;
  while (end > wait) {
    next = end;
    end = entry_write(u, unfi_entry_before(u, end, site));
  }
  return end == wait ? next : 0;
}

/* Takes an event with its causes into the cut at the present depth; false: one of them was left, or
 * is none that can be taken. */
static bool take(struct exact *x, uint32_t event) {
  unf_unfolding *u = x->u;
  for (uint32_t j = 0; j < x->events.count; j++) {
    if (!unfi_precedes(u, x->events.data[j], event)) continue;
    if (x->states.data[j] == LEFT) return false;
    if (x->states.data[j] == OPEN) set_state(x, j, TAKEN);
  }
  if (x->event != NONE && unfi_precedes(u, x->event, event)) return false;
  if (!unfi_cut_merge(u, x->cuts.data + (size_t)x->cuts.count * x->site_count, event))
    x->status = unfi_refused(u->context);
  return x->status == UNF_OK;
}

/* Takes what ends every wait that was taken. */
static bool settle(struct exact *x) {
  const unf_unfolding *u = x->u;
  const struct object *condition = &u->objects.data[x->operation->target];
  for (uint32_t i = condition->waiters; i != 0;) {
    uint32_t site = u->waiters.data[i - 1].site;
    uint32_t last = entry_write(u, cut_at(cut_of_depth(x, x->cuts.count), site));
    i = u->waiters.data[i - 1].next;
    if (last == 0 || action_of(u, last)->kind != UNF_DID_WAIT) continue;
    uint32_t end = end_of_wait(x, site, last);
    if (end == 0 || !take(x, end)) return false;
    i = condition->waiters; /* its history may have begun other waits */
  }
  return true;
}

/* Whether an await cannot be satisfied any more: no choice among additions does it, on the last
 * write that is taken, of those that were not left. */
static bool out_of_reach(struct exact *x) {
  unf_unfolding *u = x->u;
  const unf_operation *operation = x->operation;
  if (operation->kind != UNF_AWAIT && operation->kind != UNF_EXCHANGE_AWAIT) return false;
  const struct object *o = &u->objects.data[operation->target];
  if (has_several_cells(u, o)) return false;
  uint32_t entry = cut_at(x->C, o->site);
  if (!vector_reserve(u->context, &x->outs, (uint64_t)x->events.count + 1) ||
      !vector_reserve_zero(u->context, &x->history, x->site_count)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  x->outs.count = 0;
  if (x->event != NONE) vector_push(&x->outs, x->event);
  for (uint32_t i = 0; i < x->events.count; i++)
    if (x->states.data[i] == LEFT) vector_push(&x->outs, x->events.data[i]);
  if (!unfi_entry_without(u, &entry, o->site, x->outs.data, x->outs.count)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  uint32_t taken = entry_write(u, cut_at(cut_of_depth(x, x->cuts.count), o->site));
  if (entry_write(u, entry) != taken) return false;
  memset(x->history.data, 0, x->site_count * sizeof *x->history.data);
  x->history.data[o->site] = entry;
  struct cut rest = {x->history.data, x->site_count};
  return !x->family->adds_help(u, rest, operation, x->before);
}

static bool hopeless(struct exact *x) {
  if (x->family->adds_help != NULL && out_of_reach(x)) return true;
  if (!x->shape->rising || x->left == 0) return false;
  return x->family->possible(x->u, cut_of_depth(x, x->cuts.count), &x->shape->action) != UNF_OK;
}

/* Takes event i, in a cut of its own; false: that cannot be. */
static bool choose(struct exact *x, uint32_t i) {
  unf_unfolding *u = x->u;
  uint32_t depth = x->cuts.count;
  struct choice choice = {i, x->trail.count, x->left};
  if (!vector_reserve(u->context, &x->cuts, ((uint64_t)depth + 2) * x->site_count) ||
      !vector_reserve(u->context, &x->choices, (uint64_t)x->choices.count + 1)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  memcpy(x->cuts.data + ((size_t)depth + 1) * x->site_count,
         x->cuts.data + (size_t)depth * x->site_count, x->site_count * sizeof *x->cuts.data);
  vector_push(&x->choices, choice);
  x->cuts.count++;
  return take(x, x->events.data[i]) && (!x->shape->settled || settle(x));
}

/* Back to the last choice, which is left now; false: there is none. */
static bool choose_again(struct exact *x, uint32_t *next) {
  if (x->choices.count == 0) return false;
  struct choice choice = x->choices.data[--x->choices.count];
  while (x->trail.count > choice.trail)
    x->states.data[x->trail.data[--x->trail.count]] = OPEN;
  x->cuts.count--;
  x->left = choice.left;
  leave(x, choice.position);
  *next = choice.position + 1;
  return true;
}

/* Goes on from event i to the next that is to be chosen, leaving what follows one that was left;
 * false: all are decided, or nothing can come of it. */
static bool next_open(struct exact *x, uint32_t *i) {
  if (hopeless(x)) return false;
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
  unf_unfolding *u = x->u;
  x->shape = shape;
  if (!list_events(x)) return false;
  x->site_count = u->sites.count;
  x->cuts.count = x->left = x->trail.count = x->choices.count = 0;
  if (!vector_reserve(u->context, &x->cuts, x->site_count)) {
    x->status = unfi_refused(u->context);
    return false;
  }
  memset(x->cuts.data, 0, x->site_count * sizeof *x->cuts.data);
  if (!unfi_cut_merge(u, x->cuts.data, x->before))
    x->status = unfi_refused(u->context);
  else if (!shape->settled || settle(x))
    decide_all(x);
  return !stopped(x);
}

unf_status unfi_exact(unf_unfolding *u, struct cut cut, uint32_t thread, uint32_t before,
                      const unf_operation *operation, uint32_t event, causes_visitor visit,
                      void *user) {
  struct exact x = {.u = u,
                    .C = cut,
                    .before = before,
                    .event = event,
                    .thread = thread,
                    .operation = operation,
                    .family = u->effects->operations[operation->kind].family,
                    .visit = visit,
                    .user = user,
                    .status = UNF_OK,
                    .more = true};
  unf_status status = x.family->shapes(u, cut, thread, operation, enumerate, &x);
  vector_free(u->context, &x.events);
  vector_free(u->context, &x.states);
  vector_free(u->context, &x.trail);
  vector_free(u->context, &x.choices);
  vector_free(u->context, &x.cuts);
  vector_free(u->context, &x.history);
  vector_free(u->context, &x.outs);
  return status != UNF_OK ? status : x.status;
}
