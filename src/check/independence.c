/*
 * Whether actions that do not depend on each other commute at a configuration: for every action a
 * that is possible there and every other thread, the actions of that thread which do not depend on
 * a are the same before a and after it. That the same can follow after both orders is checked when
 * the next configuration is. A family that a front-end registered must also have the same outcomes
 * when commuting events of the history are in another order.
 */
#include "base/null.h"
#include "check/check.h"
#include "configuration/offer.h"
#include "extension/custom.h"
#include "extension/extension.h"
#include "extension/siblings.h"
#include "structure/action.h"
#include "structure/cut.h"

struct listed {
  unf_context *context;
  bool one; /* the first stands for all: they differ in what data chose */
  VECTOR(unf_action) actions;
  bool refused;
};

static bool list(void *user, const unf_action *action) {
  struct listed *l = user;
  l->refused = !vector_reserve(l->context, &l->actions, (uint64_t)l->actions.count + 1);
  if (l->refused) return false;
  vector_push(&l->actions, *action);
  return !l->one;
}

static unf_status list_outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                                struct listed *out) {
  uint32_t last = cut_last(u, cut, thread);
  out->actions.count = 0;
  if (last == NONE) return UNF_OK;
  uint32_t next = next_after(u, thread, last);
  if (next == 0) return unfi_missing(u, thread);
  struct siblings siblings;
  out->one = unfi_siblings(u, &u->operations.data[next], &siblings);
  unf_status status = unfi_outcomes(u, cut, thread, next, list, out);
  return out->refused ? unfi_refused(u->context) : status;
}

static bool same(const unf_action *a, const unf_action *b) {
  return a->kind == b->kind && a->thread == b->thread && a->target == b->target &&
         a->second == b->second && a->value == b->value;
}

/* Checks that every action of `one` that does not depend on `a` (NULL: every action)
 * is in `other`. */
static unf_status contained(unf_unfolding *u, const unf_action *a, const struct listed *one,
                            const struct listed *other, uint32_t event, const char *what) {
  for (uint32_t i = 0; i < one->actions.count; i++) {
    bool dependent = false, found = false;
    if (a != NULL) {
      unf_status status = unf_actions_dependent(u, a, &one->actions.data[i], &dependent);
      if (status != UNF_OK) return status;
    }
    for (uint32_t j = 0; !found && j < other->actions.count; j++)
      found = same(&one->actions.data[i], &other->actions.data[j]);
    if (found || dependent) continue;
    unf_status status = unfi_broken(u, event, what, one->actions.data[i].thread);
    unf_action_text(u, &one->actions.data[i], u->context->detail.expected,
                    sizeof u->context->detail.expected);
    return status;
  }
  return UNF_OK;
}

struct pairs {
  unf_unfolding *u;
  unf_configuration *after;
  struct listed here, there; /* actions of one thread, before and after another's */
};

/* Checks one action against everything that other threads can do. */
static unf_status against_others(struct pairs *p, const unf_configuration *c, const unf_action *a) {
  unf_unfolding *u = p->u;
  unf_event event = NONE;
  unf_status status = unf_configuration_assign(p->after, c);
  if (status == UNF_OK) status = unf_configuration_perform(p->after, a, &event);
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    if (t == a->thread || cut_last(u, configuration_cut(c), t) == NONE) continue;
    status = list_outcomes(u, configuration_cut(c), t, &p->here);
    if (status == UNF_OK) status = list_outcomes(u, configuration_cut(p->after), t, &p->there);
    if (status == UNF_OK)
      status = contained(u, a, &p->here, &p->there, event,
                         "it disables an action that does not depend on it, of thread");
    if (status == UNF_OK)
      status = contained(u, a, &p->there, &p->here, event,
                         "it enables an action that does not depend on it, of thread");
  }
  return status;
}

/* Checks that the outcomes of a thread are the same with the history in another order. */
static unf_status backwards(struct pairs *p, struct cut cut, uint32_t thread,
                            const struct listed *mine) {
  unf_unfolding *u = p->u;
  unf_operation operation = u->operations.data[next_after(u, thread, cut_last(u, cut, thread))];
  if (!u->effects->operations[operation.kind].family->foreign) return UNF_OK;
  p->there.actions.count = 0;
  p->there.one = false;
  unf_status status = unfi_custom_outcomes(u, cut, true, thread, &operation, list, &p->there);
  if (p->there.refused) status = unfi_refused(u->context);
  const char *what = "commuting events of the history in another order change an action of thread";
  if (status == UNF_OK) status = contained(u, NULL, mine, &p->there, NONE, what);
  return status == UNF_OK ? contained(u, NULL, &p->there, mine, NONE, what) : status;
}

unf_status unf_check_independence(const unf_configuration *c) {
  RETURN_IF_NULL(c->u->context, c);
  unf_unfolding *u = c->u;
  struct pairs p = {.u = u, .here = {.context = u->context}, .there = {.context = u->context}};
  struct listed mine = {.context = u->context};
  unf_status status = unf_configuration_new(u, &p.after);
  for (uint32_t t = 0; status == UNF_OK && t < u->threads.count; t++) {
    if (cut_last(u, configuration_cut(c), t) == NONE) continue;
    status = list_outcomes(u, configuration_cut(c), t, &mine);
    if (status == UNF_OK) status = backwards(&p, configuration_cut(c), t, &mine);
    for (uint32_t i = 0; status == UNF_OK && i < mine.actions.count; i++)
      status = against_others(&p, c, &mine.actions.data[i]);
  }
  unf_configuration_free(p.after);
  vector_free(u->context, &p.here.actions);
  vector_free(u->context, &p.there.actions);
  vector_free(u->context, &mine.actions);
  return status;
}
