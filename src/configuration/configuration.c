/* Configurations: making them, adding events, queries. Their state is a cut and the
 * number of events. */
#include "base/null.h"
#include "base/sort.h"
#include "configuration/configuration.h"
#include "configuration/offer.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"

#include <string.h>

unf_status unf_configuration_new(unf_unfolding *u, unf_configuration **out) {
  RETURN_IF_NULL(u->context, u, out);
  unf_configuration *c = unfi_reallocate(u->context, NULL, 0, sizeof *c);
  if (c == NULL) return unfi_refused(u->context);
  memset(c, 0, sizeof *c);
  c->u = u;
  *out = c;
  return UNF_OK;
}

void unfi_configuration_end(unf_configuration *c) {
  unf_context *context = c->u->context;
  unfi_reallocate(context, c->entries, c->room * sizeof *c->entries, 0);
  unfi_held_free(context, &c->held);
  c->entries = NULL;
  c->room = c->size = 0;
}

void unf_configuration_free(unf_configuration *c) {
  if (c == NULL) return;
  unf_context *context = c->u->context;
  unfi_configuration_end(c);
  unfi_reallocate(context, c, sizeof *c, 0);
}

/* ---- blocks of sites ---- */

bool unfi_configuration_grow(unf_configuration *c) {
  bool was_large = is_large(c);
  uint64_t sites = c->u->sites.count, room = grown_capacity(c->room, sites);
  if ((room > FEW_SITES && !unfi_held_reserve(c->u->context, &c->held, room)) ||
      !unfi_grow(c->u->context, (void **)&c->entries, &c->room, sizeof *c->entries, sites, true))
    return false;
  if (!was_large && is_large(c))
    for (uint32_t site = 0; site < c->room; site++)
      if (c->entries[site] != 0) held_add(&c->held, site);
  return true;
}

void unfi_configuration_hold(unf_configuration *c, const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(c->u, a, &count);
  held_add(&c->held, a->site);
  for (uint32_t i = 0; i < count; i++)
    held_add(&c->held, uses[i].site);
}

/* Blocks that may have entries. */
static uint32_t count_blocks(const unf_configuration *c) {
  return is_large(c) ? c->held.blocks.count : (c->room + BLOCK - 1) / BLOCK;
}

static struct leaf_view leaf_of(const unf_configuration *c, uint32_t i) {
  unfi_count(c->u->context, 1);
  return held_leaf(c->entries, c->room, is_large(c) ? c->held.blocks.data[i] : i);
}

static bool is_empty(const struct leaf_view *leaf) {
  uint32_t i = 0;
  while (i < leaf->count && leaf->entries[i] == 0)
    i++;
  return i == leaf->count;
}

void unf_configuration_clear(unf_configuration *c) {
  if (c == NULL) return;
  if (c->room > 0 && !is_large(c)) memset(c->entries, 0, c->room * sizeof *c->entries);
  while (is_large(c) && c->held.blocks.count > 0) {
    struct leaf_view leaf = leaf_of(c, c->held.blocks.count - 1);
    memset(c->entries + leaf.first, 0, leaf.count * sizeof *c->entries);
    held_pop(&c->held);
  }
  c->size = 0;
}

unf_status unf_configuration_assign(unf_configuration *to, const unf_configuration *from) {
  RETURN_IF_NULL(to->u->context, to, from);
  if (to->u != from->u)
    return unfi_fail(to->u->context, UNF_INVALID, "configurations of different unfoldings");
  if (to == from) return UNF_OK;
  if (!unfi_configuration_fit(to)) return unfi_refused(to->u->context);
  unf_configuration_clear(to);
  for (uint32_t i = 0; i < count_blocks(from); i++) {
    struct leaf_view leaf = leaf_of(from, i);
    if (is_empty(&leaf)) continue;
    uint32_t rest = to->room - leaf.first; /* beyond it there are no sites */
    if (leaf.count > rest) leaf.count = rest;
    memcpy(to->entries + leaf.first, leaf.entries, leaf.count * sizeof *leaf.entries);
    if (is_large(to)) held_add(&to->held, leaf.first);
  }
  to->size = from->size;
  return UNF_OK;
}

static unf_status check_event(const unf_configuration *c, uint32_t event) {
  if (known_event(c->u, event)) return UNF_OK;
  return unfi_fail(c->u->context, UNF_UNKNOWN, "event");
}

bool unfi_configuration_push(unf_configuration *c, uint32_t event) {
  const struct action *a = action_of(c->u, event);
  if (!cut_enter(c->u, c->entries, event, a)) return false;
  if (is_large(c)) unfi_configuration_hold(c, a);
  c->size++;
  return true;
}

/* Fills in what an interned action follows after a cut; its thread has started there. */
static unf_status follow(unf_unfolding *u, struct cut cut, struct causes *causes) {
  const struct action *a = &u->actions.data[causes->action];
  causes->before = cut_at(cut, a->site);
  return unfi_follow(u, cut, a, causes) ? UNF_OK : unfi_refused(u->context);
}

/* Whether an interned action can happen after the cut; fills in what it follows. */
static unf_status follow_possible(unf_unfolding *u, struct cut cut, const unf_action *action,
                                  struct causes *causes) {
  if (cut_last(u, cut, action->thread) == NONE) return UNF_DISABLED;
  unf_status status = u->effects->actions[action->kind].family->possible(u, cut, action);
  return status == UNF_OK ? follow(u, cut, causes) : status;
}

unf_status unfi_causes(unf_unfolding *u, struct cut cut, const unf_action *action,
                       struct causes *causes) {
  unf_status status = unfi_action_intern(u, action, &causes->action);
  if (status == UNF_OK) status = follow_possible(u, cut, action, causes);
  if (status != UNF_DISABLED) return status;
  unfi_fail(u->context, UNF_DISABLED, NULL);
  u->context->detail.thread = action->thread;
  unfi_detail_actions(u, NULL, action);
  return UNF_DISABLED;
}

unf_status unfi_causes_of_outcome(unf_unfolding *u, struct cut cut, const unf_action *action,
                                  struct causes *causes) {
  uint32_t id = action_find(u, action);
  const struct action *a = &u->actions.data[id];
  bool foreign = !a->decided && u->effects->actions[action->kind].family->foreign;
  if (a->decided || (a->layered && a->count == 1 && !foreign)) {
    *causes = (struct causes){id, cut_at(cut, a->site), follow_one(u, cut, a)};
    return UNF_OK;
  }
  if (foreign) return unfi_causes(u, cut, action, causes);
  causes->action = id;
  unf_status status = id != 0 ? UNF_OK : unfi_action_intern(u, action, &causes->action);
  return status == UNF_OK ? follow(u, cut, causes) : status;
}

struct sought {
  const unf_action *action;
  const unf_operation *operation;
  bool range; /* the first outcome stands for all values of the operation's range */
  bool found;
};

static bool match(void *user, const unf_action *action) {
  struct sought *sought = user;
  const unf_action *a = sought->action;
  const unf_operation *o = sought->operation;
  bool value =
      sought->range ? o->low <= a->value && a->value <= o->high : a->value == action->value;
  sought->found = value && action->kind == a->kind && action->target == a->target &&
                  action->second == a->second;
  return !sought->found && !sought->range;
}

unf_status unfi_check_offered(unf_unfolding *u, struct cut cut, const unf_action *action) {
  uint32_t last = cut_last(u, cut, action->thread);
  uint32_t offered = next_after(u, action->thread, last);
  if (offered == 0) return UNF_OK;
  const unf_operation *operation = &u->operations.data[offered];
  const struct operation_row *row = &u->effects->operations[operation->kind];
  struct sought sought = {action, operation, row->numbers == NUMBERS_RANGE, false};
  unf_status status = row->family->outcomes(u, cut, action->thread, operation, match, &sought);
  if (status != UNF_OK) return status;
  if (sought.found) return UNF_OK;
  unfi_fail(u->context, UNF_DIVERGENCE, "the action does not come of the offered operation");
  unf_detail *detail = &u->context->detail;
  detail->thread = action->thread;
  unf_operation_text(u, operation, detail->expected, sizeof detail->expected);
  unf_action_text(u, action, detail->seen, sizeof detail->seen);
  return UNF_DIVERGENCE;
}

/* The event of an action that may be possible after a cut or not. */
static unf_status ask_for_event(unf_unfolding *u, struct cut cut, const unf_action *action,
                                uint32_t *out) {
  struct causes causes;
  unf_status status = unfi_causes(u, cut, action, &causes);
  if (status == UNF_OK) status = unfi_check_offered(u, cut, action);
  return status == UNF_OK ? unfi_event_intern(u, &causes, out) : status;
}

/* Interns the event of an action, where it is known what that follows and that no event has these
 * causes. */
static unf_status add_event(unf_unfolding *u, struct cut cut, const unf_action *action,
                            const struct causes *causes, uint32_t *out) {
  bool started = causes->before != NONE;
  const struct effect_family *family = u->effects->actions[action->kind].family;
  if (!started || family->possible(u, cut, action) != UNF_OK)
    return ask_for_event(u, cut, action, out);
  unf_status status = UNF_OK;
  if (next_after(u, action->thread, causes->before) != 0)
    status = unfi_check_offered(u, cut, action);
  return status == UNF_OK ? unfi_event_add(u, causes, out) : status;
}

/* Enters an event by an interned action. */
static inline unf_status enter(unf_configuration *c, const struct action *a, uint32_t event,
                               unf_event *out) {
  unf_unfolding *u = c->u;
  if (!unfi_configuration_fit(c) || !cut_enter(u, c->entries, event, a))
    return unfi_refused(u->context);
  if (is_large(c)) unfi_configuration_hold(c, a);
  c->size++;
  if (out != NULL) *out = event;
  return UNF_OK;
}

APART unf_status perform_asking(unf_configuration *c, const unf_action *action, unf_event *out) {
  uint32_t event;
  unf_status status = ask_for_event(c->u, configuration_cut(c), action, &event);
  return status == UNF_OK ? enter(c, action_of(c->u, event), event, out) : status;
}

APART unf_status perform_new(unf_configuration *c, const unf_action *action,
                             const struct causes *causes, unf_event *out) {
  uint32_t event;
  unf_status status = add_event(c->u, configuration_cut(c), action, causes, &event);
  return status == UNF_OK ? enter(c, &c->u->actions.data[causes->action], event, out) : status;
}

/* Where what an action follows decides whether it can happen, an event that is known need not be
 * asked. */
unf_status unf_configuration_perform(unf_configuration *c, const unf_action *action,
                                     unf_event *out) {
  RETURN_IF_NULL(c->u->context, c, action);
  unf_unfolding *u = c->u;
  uint32_t id = action_find(u, action);
  const struct action *a = &u->actions.data[id];
  if (!a->decided) return perform_asking(c, action, out);
  struct cut cut = configuration_cut(c);
  struct causes causes = {id, cut_at(cut, a->site), follow_one(u, cut, a)};
  if (causes.before == 0) causes.before = cut_last(u, cut, a->thread);
  uint32_t event = event_guess(u);
  if (event == 0 || !is_event(event_at(u, event), &causes)) {
    event = causes.before == NONE ? NONE : event_find(u, &causes);
    if (event == NONE) return perform_new(c, action, &causes, out);
  }
  if (next_after(u, a->thread, causes.before) != 0) {
    unf_status status = unfi_check_offered(u, cut, action);
    if (status != UNF_OK) return status;
  }
  u->store.latest = event;
  return enter(c, a, event, out);
}

unf_status unf_configuration_offer(unf_configuration *c, unf_thread thread,
                                   const unf_operation *operation) {
  RETURN_IF_NULL(c->u->context, c, operation);
  unf_unfolding *u = c->u;
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  uint32_t last = cut_last(u, configuration_cut(c), thread);
  return unfi_offer(u, thread, last, operation, 0);
}

unf_status unf_configuration_next(const unf_configuration *c, unf_thread thread,
                                  unf_operation *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_unfolding *u = c->u;
  if (thread >= u->threads.count) return unfi_fail(u->context, UNF_UNKNOWN, "thread");
  uint32_t last = cut_last(u, configuration_cut(c), thread);
  if (last == NONE) return unfi_fail(u->context, UNF_STATE, "the thread has not started");
  uint32_t operation = next_after(u, thread, last);
  if (operation == 0) return unfi_missing(u, thread);
  *out = u->operations.data[operation];
  return UNF_OK;
}

static bool entry_inside(const unf_unfolding *u, struct cut cut, uint32_t entry) {
  if (!(entry & ROW_TAG)) return unfi_in_cut(u, cut, entry);
  const struct layer *layer = layer_at(u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (!unfi_in_cut(u, cut, layer->members[i])) return false;
  return true;
}

static bool causes_inside(const unf_configuration *c, uint32_t event) {
  const unf_unfolding *u = c->u;
  struct cut cut = configuration_cut(c);
  uint32_t count;
  const uint32_t *follows = event_follows(u, event, &count);
  if (!unfi_in_cut(u, cut, event_at(u, event)->before)) return false;
  for (uint32_t i = 0; i < count; i++)
    if (!entry_inside(u, cut, follows[i])) return false;
  return true;
}

unf_status unf_configuration_extends(const unf_configuration *c, unf_event event, bool *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_status status = check_event(c, event);
  if (status == UNF_OK)
    *out = !unfi_in_cut(c->u, configuration_cut(c), event) && causes_inside(c, event);
  return status;
}

unf_status unf_configuration_extend(unf_configuration *c, unf_event event) {
  RETURN_IF_NULL(c->u->context, c);
  unf_unfolding *u = c->u;
  unf_status status = check_event(c, event);
  if (status != UNF_OK) return status;
  if (!unfi_configuration_fit(c)) return unfi_refused(u->context);
  if (unfi_in_cut(u, configuration_cut(c), event))
    return unfi_fail(u->context, UNF_STATE, "the event is already in the configuration");
  if (!causes_inside(c, event))
    return unfi_fail(u->context, UNF_STATE, "a cause is not in the configuration");
  if (unfi_conflict_cut(u, configuration_cut(c), event))
    return unfi_fail(u->context, UNF_CONFLICT, NULL);
  return unfi_configuration_push(c, event) ? UNF_OK : unfi_refused(u->context);
}

/* Merges entries that are compatible with those of a configuration, from a site on. At first every
 * layer is made, so that nothing is changed when one is refused; with `enter` they are entered, and
 * the events that come new counted by walking their threads back. */
static bool merge(unf_configuration *c, const struct leaf_view *from, bool enter) {
  unf_unfolding *u = c->u;
  if (enter && is_large(c) && from->count > 0) held_add(&c->held, from->first);
  for (uint32_t i = 0; i < from->count; i++) {
    uint32_t site = from->first + i, x = c->entries[site], y = from->entries[i], both = x;
    if (y == 0) continue; /* there may be no such site */
    if (!merge_entry(u, &both, y)) return false;
    if (!enter) continue;
    c->entries[site] = both;
    if (!u->sites.data[site].is_thread) continue;
    for (uint32_t e = y; e > x && action_of(u, e)->site == site; e = event_at(u, e)->before)
      c->size++;
  }
  return true;
}

static bool merge_event(unf_configuration *c, uint32_t event, bool enter) {
  const struct action *a = action_of(c->u, event);
  struct leaf_view leaf = {&event, 1, a->site};
  struct leaf_walk walk;
  /* At its own sites the record has nothing, or something earlier. */
  if (!merge(c, &leaf, enter)) return false;
  leaf.first = a->written;
  if (a->written != NONE && !merge(c, &leaf, enter)) return false;
  unfi_leaves_begin(&walk, c->u, event_at(c->u, event)->cut);
  while (unfi_leaves_next(&walk, &leaf))
    if (!merge(c, &leaf, enter)) return false;
  return true;
}

unf_status unf_configuration_add(unf_configuration *c, unf_event event) {
  RETURN_IF_NULL(c->u->context, c);
  unf_unfolding *u = c->u;
  unf_status status = check_event(c, event);
  if (status != UNF_OK) return status;
  if (event == 0) return UNF_OK;
  if (unfi_conflict_cut(u, configuration_cut(c), event))
    return unfi_fail(u->context, UNF_CONFLICT, NULL);
  if (!unfi_configuration_fit(c) || !merge_event(c, event, false) || !merge_event(c, event, true))
    return unfi_refused(u->context);
  return UNF_OK;
}

static bool conflicts(const unf_configuration *to, const unf_configuration *from) {
  for (uint32_t i = 0; i < count_blocks(from); i++)
    if (unfi_conflict_at(to->u, configuration_cut(to), configuration_cut(from),
                         leaf_of(from, i).first))
      return true;
  return false;
}

static bool merge_all(unf_configuration *to, const unf_configuration *from, bool enter) {
  for (uint32_t i = 0; i < count_blocks(from); i++) {
    struct leaf_view leaf = leaf_of(from, i);
    if (!is_empty(&leaf) && !merge(to, &leaf, enter)) return false;
  }
  return true;
}

unf_status unf_configuration_unite(unf_configuration *to, const unf_configuration *from) {
  RETURN_IF_NULL(to->u->context, to, from);
  unf_unfolding *u = to->u;
  if (u != from->u)
    return unfi_fail(u->context, UNF_INVALID, "configurations of different unfoldings");
  if (conflicts(to, from)) return unfi_fail(u->context, UNF_CONFLICT, NULL);
  if (!unfi_configuration_fit(to) || !merge_all(to, from, false) || !merge_all(to, from, true))
    return unfi_refused(u->context);
  return UNF_OK;
}

uint32_t unf_configuration_size(const unf_configuration *c) {
  return c == NULL ? 0 : c->size;
}

unf_status unf_configuration_contains(const unf_configuration *c, unf_event event, bool *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_status status = check_event(c, event);
  if (status == UNF_OK) *out = unfi_in_cut(c->u, configuration_cut(c), event);
  return status;
}

unf_status unf_configuration_conflicts(const unf_configuration *c, unf_event event, bool *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  unf_status status = check_event(c, event);
  if (status == UNF_OK) *out = unfi_conflict_cut(c->u, configuration_cut(c), event);
  return status;
}

/* Whether one has nothing but what the other has. */
static bool agrees(const unf_configuration *a, const unf_configuration *b) {
  for (uint32_t i = 0; i < count_blocks(a); i++) {
    struct leaf_view leaf = leaf_of(a, i);
    for (uint32_t j = 0; j < leaf.count; j++)
      if (leaf.entries[j] != cut_at(configuration_cut(b), leaf.first + j)) return false;
  }
  return true;
}

unf_status unf_configuration_equal(const unf_configuration *a, const unf_configuration *b,
                                   bool *out) {
  RETURN_IF_NULL(a->u->context, a, b, out);
  if (a->u != b->u)
    return unfi_fail(a->u->context, UNF_INVALID, "configurations of different unfoldings");
  *out = a->size == b->size && agrees(a, b) && agrees(b, a);
  return UNF_OK;
}

unf_status unf_configuration_last(const unf_configuration *c, unf_thread thread, unf_event *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  if (thread >= c->u->threads.count) return unfi_fail(c->u->context, UNF_UNKNOWN, "thread");
  *out = cut_last(c->u, configuration_cut(c), thread);
  return UNF_OK;
}
