/* Unfoldings as objects, and the public queries about single events and pairs of them. */
#include <string.h>

#include "base/null.h"
#include "structure/effect.h"

bool unfi_events_begin(unf_unfolding *u) {
  unf_context *context = u->context;
  if (!vector_reserve(context, &u->events, 1)) return false;
  uint32_t empty = unfi_arena_take(context, &u->cuts, 1);
  if (empty == 0) return false;
  arena_at(&u->cuts, empty)[0] = 0;
  struct event_chunk *events = unfi_reallocate(context, NULL, 0, sizeof *events);
  if (events == NULL) return false;
  memset(&events->events[0], 0, sizeof events->events[0]);
  events->events[0].cut = empty;
  events->own[0] = events->other[0] = (struct node){NONE, 0};
  vector_push(&u->events, events);
  u->event_count = 1;
  return true;
}

void unfi_events_free(unf_unfolding *u) {
  unf_context *context = u->context;
  for (uint32_t i = 0; i < u->events.count; i++)
    unfi_reallocate(context, u->events.data[i], sizeof(struct event_chunk), 0);
  vector_free(context, &u->events);
  unfi_table_free(context, &u->event_table);
  unfi_arena_free(context, &u->cuts);
  unfi_arena_free(context, &u->reads);
  unfi_arena_free(context, &u->nodes);
  unfi_table_free(context, &u->reads_table);
  vector_free(context, &u->starts);
  unfi_table_free(context, &u->start_table);
  vector_free(context, &u->branches);
  vector_free(context, &u->cookies);
  vector_free(context, &u->fingerprints);
  vector_free(context, &u->scratch);
  vector_free(context, &u->scratch_reads);
  vector_free(context, &u->scratch_entries);
}

unf_status unfi_fix(unf_unfolding *u, bool gives) {
  if (u->changing || (gives && u->fixed > 0))
    return unfi_fail(u->context, UNF_STATE, "events given back that others may hold");
  u->fixed++;
  u->changing = gives;
  return UNF_OK;
}

/* ⊥, and record 0 of the tables whose handles begin at 1. */
static bool begin(unf_unfolding *u) {
  static const struct action no_action = {
      .thread = NONE, .site = NONE, .written = NONE, .first = {NONE, ACCESS_NONE}};
  static const unf_operation no_operation = {UNF_OPERATION_COUNT, 0, 0, 0, 0};
  unf_context *context = u->context;
  if (!vector_reserve(context, &u->actions, 1) || !vector_reserve(context, &u->operations, 1))
    return false;
  vector_push(&u->actions, no_action);
  vector_push(&u->operations, no_operation);
  return unfi_events_begin(u);
}

unf_status unfi_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                              const struct effect_family *const *families, uint32_t count,
                              unf_unfolding **out) {
  static const unf_unfolding_options defaults = UNF_UNFOLDING_OPTIONS_INIT;
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options || options->skip_step == 1)
    return unfi_fail(context, UNF_INVALID, "options of an unfolding");
  unf_unfolding *u = unfi_reallocate(context, NULL, 0, sizeof *u);
  if (u == NULL) return unfi_refused(context);
  memset(u, 0, sizeof *u);
  u->context = context;
  u->skip_step = options->skip_step;
  u->effects = unfi_effects_new(context, families, count);
  if (u->effects == NULL || !begin(u)) {
    unf_status status = unfi_refused(context);
    unf_unfolding_free(u);
    return status;
  }
  *out = u;
  return UNF_OK;
}

void unf_unfolding_free(unf_unfolding *u) {
  if (u == NULL) return;
  unf_context *context = u->context;
  if (u->event_count > 0 && !u->uncounted) context->events -= u->event_count - 1;
  unfi_events_free(u);
  unfi_names_free(u);
  unfi_reallocate(context, u->effects, u->effects != NULL ? sizeof *u->effects : 0, 0);
  unfi_reallocate(context, u, sizeof *u, 0);
}

unf_context *unf_unfolding_context(const unf_unfolding *u) {
  return u == NULL ? NULL : u->context;
}

uint32_t unf_unfolding_events(const unf_unfolding *u) {
  return u == NULL ? 0 : u->event_count - 1;
}

uint32_t unf_unfolding_threads(const unf_unfolding *u) {
  return u == NULL ? 0 : u->threads.count;
}

uint32_t unf_unfolding_objects(const unf_unfolding *u) {
  return u == NULL ? 0 : u->objects.count;
}

static unf_status unknown(const unf_unfolding *u) {
  return unfi_fail(u->context, UNF_UNKNOWN, "event");
}

unf_status unf_event_action(const unf_unfolding *u, unf_event event, unf_action *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, event)) return unknown(u);
  if (event == 0) return unfi_fail(u->context, UNF_INVALID, "⊥ has no action");
  *out = unfi_action(u, event_at(u, event)->action);
  return UNF_OK;
}

unf_status unf_event_cookie(const unf_unfolding *u, unf_event event, uint64_t *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, event)) return unknown(u);
  *out = event < u->cookies.capacity ? u->cookies.data[event] : 0;
  return UNF_OK;
}

unf_status unf_event_set_cookie(unf_unfolding *u, unf_event event, uint64_t cookie) {
  RETURN_IF_NULL(u->context, u);
  if (!known_event(u, event)) return unknown(u);
  if (cookie == 0 && event >= u->cookies.capacity) return UNF_OK;
  if (!vector_reserve_zero(u->context, &u->cookies, (uint64_t)event + 1))
    return unfi_refused(u->context);
  u->cookies.data[event] = cookie;
  return UNF_OK;
}

unf_status unf_event_precedes(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = unfi_precedes(u, a, b);
  return UNF_OK;
}

unf_status unf_event_conflicts(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = unfi_conflict(u, a, b);
  return UNF_OK;
}

unf_status unf_event_concurrent(const unf_unfolding *u, unf_event a, unf_event b, bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = !unfi_precedes(u, a, b) && !unfi_precedes(u, b, a) && !unfi_conflict(u, a, b);
  return UNF_OK;
}

/* Whether an event at the top of an entry is in conflict with b. */
static bool entry_conflicts(const unf_unfolding *u, uint32_t entry, uint32_t b) {
  if (!(entry & READS_TAG)) return unfi_conflict(u, entry, b);
  const struct layer *layer = layer_at(u, entry);
  for (uint32_t i = 0; i < layer_count(layer); i++)
    if (unfi_conflict(u, layer->members[i], b)) return true;
  return false;
}

/* Whether some immediate predecessor of a is in conflict with b. */
static bool past_conflicts(const unf_unfolding *u, uint32_t a, uint32_t b) {
  uint32_t count;
  const uint32_t *follows = event_follows(u, a, &count);
  if (unfi_conflict(u, event_at(u, a)->before, b)) return true;
  for (uint32_t i = 0; i < count; i++)
    if (entry_conflicts(u, follows[i], b)) return true;
  return false;
}

unf_status unf_event_conflicts_immediately(const unf_unfolding *u, unf_event a, unf_event b,
                                           bool *out) {
  RETURN_IF_NULL(u->context, u, out);
  if (!known_event(u, a) || !known_event(u, b)) return unknown(u);
  *out = unfi_conflict(u, a, b) && !past_conflicts(u, a, b) && !past_conflicts(u, b, a);
  return UNF_OK;
}

unf_status unf_event_predecessors(const unf_unfolding *u, unf_event event, unf_event_visitor visit,
                                  void *user) {
  RETURN_IF_NULL(u->context, u, visit);
  if (!known_event(u, event)) return unknown(u);
  if (event == 0) return UNF_OK;
  uint32_t bound = unfi_predecessor_bound(u, event), few[8];
  uint32_t *found = few;
  if (bound > 8) found = unfi_reallocate(u->context, NULL, 0, bound * sizeof *found);
  if (found == NULL) return unfi_refused(u->context);
  uint32_t count = unfi_predecessors(u, event, found);
  for (uint32_t i = 0; i < count && visit(user, found[i]); i++)
    continue;
  if (found != few) unfi_reallocate(u->context, found, bound * sizeof *found, 0);
  return UNF_OK;
}

unf_status unf_actions_dependent(unf_unfolding *u, const unf_action *a, const unf_action *b,
                                 bool *out) {
  RETURN_IF_NULL(u->context, u, a, b, out);
  uint32_t x, y;
  unf_status status = unfi_action_intern(u, a, &x);
  if (status == UNF_OK) status = unfi_action_intern(u, b, &y);
  if (status == UNF_OK) *out = unfi_dependent(u, &u->actions.data[x], &u->actions.data[y]);
  return status;
}
