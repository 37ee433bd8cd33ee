/* Unfoldings as objects, and the public queries about single events. */
#include "structure/unfolding.h"

#include <string.h>

#include "base/null.h"
#include "structure/action.h"
#include "structure/consistency.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/gathering.h"
#include "structure/layer.h"
#include "structure/names.h"
#include "structure/relation.h"
#include "structure/tree.h"

bool unfi_store_begin(unf_unfolding *u) {
  unf_context *context = u->context;
  struct store *s = &u->store;
  *s = (struct store){0};
  if (!vector_reserve(context, &s->chunks, 1) || !unfi_trees_reserve(u, u->sites.count))
    return false;
  if (!unfi_blocks_begin(u) || !unfi_index_begin(context, &s->index)) return false;
  struct event_chunk *chunk = unfi_reallocate(context, NULL, 0, sizeof *chunk);
  if (chunk == NULL) return false;
  chunk->events[0] = (struct event){.cut = NO_ENTRIES};
  chunk->own[0] = chunk->other[0] = (struct node){NONE, 0};
  chunk->child[0] = 0;
  chunk->follower[0] = 0;
  vector_push(&s->chunks, chunk);
  s->count = 1;
  for (uint32_t i = 0; i < u->sites.count; i++)
    unfi_tree_begin(u, !u->sites.data[i].is_thread);
  return true;
}

void unfi_store_free(unf_unfolding *u) {
  unf_context *context = u->context;
  struct store *s = &u->store;
  for (uint32_t i = 0; i < s->chunks.count; i++)
    unfi_reallocate(context, s->chunks.data[i], sizeof(struct event_chunk), 0);
  vector_free(context, &s->chunks);
  unfi_index_free(context, &s->index);
  unfi_arena_free(context, &s->cuts);
  unfi_arena_free(context, &s->rows);
  unfi_table_free(context, &s->row_table);
  vector_free(context, &s->row_list);
  unfi_arena_free(context, &s->nodes);
  vector_free(context, &s->starts);
  unfi_table_free(context, &s->start_table);
  vector_free(context, &s->branches);
  vector_free(context, &s->roots);
  vector_free(context, &s->compared);
  vector_free(context, &s->sets);
  unfi_table_free(context, &s->set_table);
  vector_free(context, &s->cookies);
  vector_free(context, &s->fingerprints);
  unfi_gathering_free(context, s->gathering);
  vector_free(context, &s->row_room);
  vector_free(context, &s->entry_room);
  vector_free(context, &s->slot_room);
  *s = (struct store){0};
}

unf_status unfi_fix(unf_unfolding *u, bool frees) {
  if (u->changing || (frees && u->fixed > 0))
    return unfi_fail(u->context, UNF_STATE,
                     frees ? "unf_explorer_options.collect frees events, and the unfolding has "
                             "another explorer or a table of cutoffs, which may hold them"
                           : "the unfolding has an explorer that frees events "
                             "(unf_explorer_options.collect)");
  u->fixed++;
  u->changing = frees;
  return UNF_OK;
}

unf_status unfi_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                              const struct effect_family *const *families, uint32_t count,
                              unf_unfolding **out) {
  static const unf_unfolding_options defaults = UNF_UNFOLDING_OPTIONS_INIT;
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options)
    return unfi_wrong_option(context, "unf_unfolding_options.size", options->size, sizeof *options);
  if (options->skip_step == 1)
    return unfi_wrong_option(context, "unf_unfolding_options.skip_step", 1, 0);
  unf_unfolding *u = unfi_reallocate(context, NULL, 0, sizeof *u);
  if (u == NULL) return unfi_refused(context);
  memset(u, 0, sizeof *u);
  u->context = context;
  u->skip_step = options->skip_step;
  u->effects = unfi_effects_new(context, families, count);
  if (u->effects == NULL || !unfi_actions_begin(u) || !unfi_store_begin(u)) {
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
  if (u->store.count > 0 && !u->uncounted) context->events -= u->store.count - 1;
  unfi_store_free(u);
  unfi_actions_free(u);
  unfi_names_free(u);
  unfi_consistency_free(u);
  unfi_reallocate(context, u->effects, u->effects != NULL ? sizeof *u->effects : 0, 0);
  unfi_reallocate(context, u, sizeof *u, 0);
}

unf_context *unf_unfolding_context(const unf_unfolding *u) {
  return u == NULL ? NULL : u->context;
}

uint32_t unf_unfolding_events(const unf_unfolding *u) {
  return u == NULL ? 0 : u->store.count - 1;
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
  *out = event < u->store.cookies.capacity ? u->store.cookies.data[event] : 0;
  return UNF_OK;
}

unf_status unf_event_set_cookie(unf_unfolding *u, unf_event event, uint64_t cookie) {
  RETURN_IF_NULL(u->context, u);
  if (!known_event(u, event)) return unknown(u);
  if (cookie == 0 && event >= u->store.cookies.capacity) return UNF_OK;
  if (!vector_reserve_zero(u->context, &u->store.cookies, (uint64_t)event + 1))
    return unfi_refused(u->context);
  u->store.cookies.data[event] = cookie;
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
