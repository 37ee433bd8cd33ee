/* Families of the front-end's own. What they say goes through the same table as the library's:
 * sites and modes from `uses`, actions from `outcomes`. An operation that is blocked gives no hint
 * as to what blocks it, so reversal tries everything that it concerns. */
#include <stddef.h>
#include <string.h>

#include "base/null.h"
#include "configuration/offer.h"
#include "extension/custom.h"
#include "extension/reversing.h"
#include "extension/site_history.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/relation.h"

struct unf_view {
  unf_unfolding *u;
  struct cut cut;
  bool backwards; /* commuting events in the other order */
};

unf_status unf_effect_register(unf_unfolding *u, const unf_effect *effect, uint32_t *out) {
  RETURN_IF_NULL(u->context, u, effect, out);
  bool sized = effect->size == sizeof *effect ||
               effect->size == offsetof(struct unf_effect, hinders) ||
               effect->size == offsetof(struct unf_effect, label);
  bool whole = sized && effect->uses != NULL && effect->outcomes != NULL && effect->name != NULL;
  size_t length = whole ? strspn(effect->name, "abcdefghijklmnopqrstuvwxyz") : 0;
  if (length == 0 || length >= FAMILY_NAME || effect->name[length] != '\0')
    return unfi_fail(u->context, UNF_INVALID, "family of effects");
  for (uint32_t i = 0; i < u->customs.count; i++)
    if (strcmp(u->customs.data[i].name, effect->name) == 0)
      return unfi_fail(u->context, UNF_INVALID, "a family of this name is registered");
  if (!vector_reserve(u->context, &u->customs, (uint64_t)u->customs.count + 1))
    return unfi_refused(u->context);
  struct custom custom = {.name = {0}};
  memcpy(&custom.effect, effect, effect->size);
  memcpy(custom.name, effect->name, length + 1);
  *out = u->customs.count;
  vector_push(&u->customs, custom);
  return UNF_OK;
}

unf_status unf_effect_refuse(const unf_unfolding *u, uint32_t family, const char *why) {
  RETURN_IF_NULL(u->context, u, why);
  if (family >= u->customs.count) return unfi_fail(u->context, UNF_UNKNOWN, "family of effects");
  return unfi_fail(u->context, UNF_INVALID, "family ", u->customs.data[family].name, ": ", why);
}

const unf_unfolding *unf_view_unfolding(const unf_view *view) {
  return view == NULL ? NULL : view->u;
}

/* Puts runs of events that commute, which follow each other in the history, in the other order. */
static void turn_round(const unf_unfolding *u, uint32_t site, handle_vector *events) {
  for (uint32_t i = 0, end; i < events->count; i = end) {
    enum access access = unfi_access(u, action_of(u, events->data[i]), site);
    for (end = i + 1; end < events->count && access != ACCESS_WRITE &&
                      unfi_access(u, action_of(u, events->data[end]), site) == access;)
      end++;
    /* Insertion before what it does not follow. */
    for (uint32_t j = i + 1; j < end; j++) {
      uint32_t event = events->data[j], k = j;
      for (; k > i && !unfi_precedes(u, events->data[k - 1], event); k--)
        events->data[k] = events->data[k - 1];
      events->data[k] = event;
    }
  }
}

static unf_status history(const unf_view *view, uint32_t site, unf_event_visitor visit,
                          void *user) {
  unf_unfolding *u = view->u;
  handle_vector events = {0};
  unf_status status =
      unfi_site_history(u, view->cut, site, &events) ? UNF_OK : unfi_refused(u->context);
  if (view->backwards) turn_round(u, site, &events);
  for (uint32_t i = 0; status == UNF_OK && i < events.count && visit(user, events.data[i]); i++)
    continue;
  vector_free(u->context, &events);
  return status;
}

unf_status unf_view_history(const unf_view *view, unf_object object, unf_event_visitor visit,
                            void *user) {
  RETURN_IF_NULL(view->u->context, view, visit);
  unf_unfolding *u = view->u;
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  return history(view, u->objects.data[object].site, visit, user);
}

unf_status unf_view_part_history(const unf_view *view, unf_object object, uint64_t part,
                                 unf_event_visitor visit, void *user) {
  RETURN_IF_NULL(view->u->context, view, visit);
  unf_unfolding *u = view->u;
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  return history(view, unfi_part_find(u, object, part), visit, user);
}

unf_status unf_view_last_write(const unf_view *view, unf_object object, unf_event *out) {
  RETURN_IF_NULL(view->u->context, view, out);
  unf_unfolding *u = view->u;
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  *out = entry_write(u, cut_at(view->cut, u->objects.data[object].site));
  return UNF_OK;
}

unf_status unf_view_part_last_write(const unf_view *view, unf_object object, uint64_t part,
                                    unf_event *out) {
  RETURN_IF_NULL(view->u->context, view, out);
  unf_unfolding *u = view->u;
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  *out = entry_write(u, cut_at(view->cut, unfi_part_find(u, object, part)));
  return UNF_OK;
}

/* A use of an object, or of a part of it if that is not NULL. */
static unf_status add_use(unf_unfolding *u, unf_object object, const uint64_t *part,
                          unf_mode access) {
  static const enum access modes[UNF_MODE_COUNT] = {ACCESS_WRITE, ACCESS_READ, ACCESS_ADD};
  if (object >= u->objects.count) return unfi_fail(u->context, UNF_UNKNOWN, "object");
  if ((unsigned)access >= UNF_MODE_COUNT || u->objects.data[object].object_class != UNF_CUSTOM)
    return unfi_fail(u->context, UNF_INVALID, "use of an object");
  uint32_t site = part != NULL ? unfi_part_site(u, object, *part) : unfi_object_site(u, object);
  struct use use = {site, modes[access]};
  if (use.site == NONE) return unfi_refused(u->context);
  for (uint32_t i = 0; i < u->use_room.count; i++)
    if (u->use_room.data[i].site == use.site)
      return unfi_fail(u->context, UNF_INVALID, "an object is used twice by one action");
  if (!vector_reserve(u->context, &u->use_room, (uint64_t)u->use_room.count + 1))
    return unfi_refused(u->context);
  vector_push(&u->use_room, use);
  return UNF_OK;
}

static unf_status list_use(void *visitor, unf_object object, unf_mode access) {
  return add_use(visitor, object, NULL, access);
}

unf_status unf_use_part(void *visitor, unf_object object, uint64_t part, unf_mode access) {
  return visitor == NULL ? UNF_INVALID : add_use(visitor, object, &part, access);
}

/* Before and after a function of a family was called: when it fails, the detail says so, unless it
 * already reports the call of the library that made it fail. */
static const unf_effect *enter(unf_unfolding *u, uint32_t family) {
  u->context->detail.status = UNF_OK;
  return &u->customs.data[family].effect;
}

static unf_status leave(unf_unfolding *u, uint32_t family, unf_status status) {
  if (status == UNF_OK || u->context->detail.status == status) return status;
  return unfi_fail(u->context, status, "says family ", u->customs.data[family].name);
}

static unf_status uses(unf_unfolding *u, const unf_action *action) {
  const unf_effect *effect = enter(u, action->second);
  return leave(u, action->second, effect->uses(effect->user, action, list_use, u));
}

struct filtering {
  unf_unfolding *u;
  const unf_operation *operation;
  uint32_t thread;
  outcome_visitor visit;
  void *user;
  unf_status status;
};

static bool filter(void *user, const unf_action *action) {
  struct filtering *f = user;
  bool right = action->kind == UNF_DID_CUSTOM && action->thread == f->thread &&
               action->target == f->operation->target && action->second == f->operation->second;
  if (!right)
    f->status = unfi_fail(f->u->context, UNF_INVALID, "an action of another operation, by family ",
                          f->u->customs.data[f->operation->second].name);
  return right && f->visit(f->user, action);
}

unf_status unfi_custom_outcomes(unf_unfolding *u, struct cut cut, bool backwards, uint32_t thread,
                                const unf_operation *operation, outcome_visitor visit, void *user) {
  unf_view view = {u, cut, backwards};
  unf_operation copy = *operation;
  struct filtering filtering = {u, &copy, thread, visit, user, UNF_OK};
  const unf_effect *effect = enter(u, operation->second);
  unf_status status = effect->outcomes(effect->user, &view, thread, &copy, filter, &filtering);
  return filtering.status != UNF_OK ? filtering.status : leave(u, copy.second, status);
}

static unf_status outcomes(unf_unfolding *u, struct cut cut, uint32_t thread,
                           const unf_operation *operation, outcome_visitor visit, void *user) {
  return unfi_custom_outcomes(u, cut, false, thread, operation, visit, user);
}

struct wanted {
  const unf_action *action;
  bool found;
};

static bool match(void *user, const unf_action *action) {
  struct wanted *wanted = user;
  wanted->found = action->value == wanted->action->value;
  return !wanted->found;
}

/* Decided by the operation that was offered for the thread. */
static unf_status possible(unf_unfolding *u, struct cut cut, const unf_action *action) {
  struct wanted wanted = {action, false};
  uint32_t next = next_after(u, action->thread, cut_last(u, cut, action->thread));
  if (next == 0) return unfi_missing(u, action->thread);
  unf_operation operation = u->operations.data[next];
  bool same = operation.kind == UNF_OPERATE && operation.target == action->target &&
              operation.second == action->second;
  if (!same) return UNF_DISABLED;
  unf_status status = outcomes(u, cut, action->thread, &operation, match, &wanted);
  return status == UNF_OK && !wanted.found ? UNF_DISABLED : status;
}

/* The sites that an operation of a registered family concerns, into u->use_room. */
static unf_status concerns_sites(unf_unfolding *u, const unf_operation *operation) {
  unf_operation copy = *operation;
  const unf_effect *effect = enter(u, copy.second);
  u->use_room.count = 0;
  if (effect->concerns == NULL) return list_use(u, copy.target, UNF_MODE_WRITE);
  return leave(u, copy.second, effect->concerns(effect->user, &copy, list_use, u));
}

static unf_status shapes(unf_unfolding *u, struct cut cut, uint32_t thread,
                         const unf_operation *operation, shape_visitor visit, void *user) {
  (void)cut;
  unf_status status = concerns_sites(u, operation);
  if (status != UNF_OK) return status;
  uint32_t count = u->use_room.count;
  uint32_t *sites = unfi_reallocate(u->context, NULL, 0, (count + 1) * sizeof *sites);
  if (sites == NULL) return unfi_refused(u->context);
  for (uint32_t i = 0; i < count; i++)
    sites[i] = u->use_room.data[i].site;
  struct shape shape = {
      .action = {UNF_DID_CUSTOM, thread, operation->target, operation->second, 0},
      .sites = sites,
      .site_count = count,
  };
  visit(user, &shape);
  unfi_reallocate(u->context, sites, (count + 1) * sizeof *sites, 0);
  return UNF_OK;
}

struct hindering {
  const unf_unfolding *u;
  struct reversal *r;
  uint32_t before;
  bool any, kept; /* some are left out; one of them the thread needs */
};

static bool leave_hindering_out(void *user, unf_event event) {
  struct hindering *h = user;
  h->any = true;
  h->kept = unfi_precedes(h->u, event, h->before);
  return !h->kept && unfi_leave_out(h->r, event);
}

/* What the operation of an event could have become in its place; and without what hinders it. */
static void reverse(unf_unfolding *u, struct reversal *r, uint32_t event) {
  const uint32_t thread = action_of(u, event)->thread, before = event_at(u, event)->before;
  const unf_operation operation = u->operations.data[next_after(u, thread, before)];
  unfi_reverse_in_place(r, event);
  const unf_effect *effect = &u->customs.data[operation.second].effect;
  if (effect->hinders == NULL || unfi_reversal_stopped(r)) return;
  const unf_view view = {u, unfi_reversal_P(r), false};
  struct hindering h = {u, r, before, false, false};
  enter(u, operation.second);
  unf_status status =
      effect->hinders(effect->user, &view, thread, &operation, leave_hindering_out, &h);
  if (status != UNF_OK) unfi_refuse_reversal(r, leave(u, operation.second, status));
  if (h.any && !h.kept && !unfi_reversal_stopped(r) && unfi_without(r)) unfi_at(r, thread, before);
}

static const struct action_row actions[] = {
    {.kind = UNF_DID_CUSTOM, .second = SECOND_FAMILY, .value = VALUE_NUMBER, .uses = uses},
};

static const struct operation_row operations[] = {
    {.kind = UNF_OPERATE,
     .second = SECOND_FAMILY,
     .numbers = NUMBERS_BOTH,
     .contended = CONTENDED_TARGET},
};

const struct effect_family unfi_custom_family = {
    .actions = ROWS(actions),
    .operations = ROWS(operations),
    .foreign = true,
    .outcomes = outcomes,
    .possible = possible,
    .shapes = shapes,
    .concerns = concerns_sites,
    .reverse = reverse,
};
