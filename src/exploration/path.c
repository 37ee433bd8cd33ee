/* The path: steps forward and back, each in O(sleepers + 1). */
#include "exploration/path.h"

#include "exploration/explorer.h"
#include "extension/adds.h"
#include "structure/action.h"
#include "structure/event.h"

struct path unfi_path_begin(unf_unfolding *u) {
  return (struct path){.C.u = u, .D = {.first = NONE, .last = NONE}};
}

void unfi_path_end(struct path *path) {
  unf_context *context = path->C.u->context;
  unfi_configuration_end(&path->C);
  vector_free(context, &path->steps);
  vector_free(context, &path->undo);
  unfi_sleepers_free(context, &path->D);
  unfi_by_event_free(context, &path->marks, sizeof(struct mark));
}

static inline bool fits(const unf_explorer *x) {
  return x->u->store.count < x->path.events && x->u->sites.count <= x->path.sites;
}

/* Room in tables for all sites, and for events up to the next multiple of a chunk; C stays where it
 * is. Returns false when refused. */
static bool fit(unf_explorer *x) {
  struct path *path = &x->path;
  uint32_t events = ((x->u->store.count >> EVENT_SHIFT) + 1) << EVENT_SHIFT;
  if (!unfi_by_event_reserve(x->u->context, &path->marks, sizeof(struct mark), events - 1) ||
      (x->strategy->fit != NULL && !x->strategy->fit(x, events)))
    return false;
  path->events = events;
  path->sites = x->u->sites.count;
  return true;
}

static NOINLINE bool enlarge(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct path *path = &x->path;
  if (path->steps.count >= MAX_STEPS)
    return unfi_too_many(context, "steps of an execution", (uint64_t)path->steps.count + 1);
  return (fits(x) || fit(x)) && unfi_configuration_fit(&path->C) &&
         vector_reserve(context, &path->steps, (uint64_t)path->steps.count + 1) &&
         sleep_reserve(context, &path->D);
}

bool unfi_path_reserve(unf_explorer *x) {
  const struct path *path = &x->path;
  bool room = fits(x) && path->C.room >= path->sites && path->steps.count < path->steps.capacity &&
              path->steps.count < MAX_STEPS && path->D.entries.count < path->D.entries.capacity &&
              path->D.siblings.count < path->D.siblings.capacity;
  return room || enlarge(x);
}

/* ---- steps ---- */

/* Puts what an event with several uses changes behind what is kept for taking events back; *count
 * of them. Returns false when refused. */
static bool save_several(unf_explorer *x, const struct action *a, uint32_t *count) {
  unf_unfolding *u = x->u;
  const struct use *uses = uses_of(u, a, count);
  if (!vector_reserve(u->context, &x->path.undo, (uint64_t)x->path.undo.count + *count))
    return false;
  for (uint32_t i = 0; i < *count; i++)
    x->path.undo.data[x->path.undo.count + i] = x->path.C.entries[uses[i].site];
  return true;
}

static void restore_several(unf_explorer *x, const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  x->path.undo.count -= count;
  for (uint32_t i = 0; i < count; i++)
    x->path.C.entries[uses[i].site] = x->path.undo.data[x->path.undo.count + i];
}

bool unfi_path_push(unf_explorer *x, uint32_t event) {
  unf_unfolding *u = x->u;
  const struct strategy *strategy = x->strategy;
  const struct action *a = action_of(u, event);
  uint32_t saved = 0, other = a->count == 1 ? x->path.C.entries[a->first.site] : 0;
  struct frame frame = {event, x->path.C.entries[a->site], other, NONE, 0};
  if (a->count > 1 && !save_several(x, a, &saved)) return false;
  if ((strategy->push != NULL && !strategy->push(x, event)) ||
      !cut_enter(u, x->path.C.entries, event, a)) {
    if (strategy->pop != NULL) strategy->pop(x, event);
    return false;
  }
  x->path.C.size++;
  x->path.undo.count += saved;
  frame.justified = unfi_justify(x, event);
  vector_push(&x->path.steps, frame);
  mark_at(&x->path, event)->step = x->path.steps.count & (MAX_STEPS + 1);
  return true;
}

uint32_t unfi_path_pop(unf_explorer *x) {
  const struct frame *frame = &x->path.steps.data[--x->path.steps.count];
  const struct action *a = action_of(x->u, frame->event);
  unfi_unjustify(x, frame->justified);
  x->path.C.entries[a->site] = frame->old_own;
  if (a->count == 1) x->path.C.entries[a->first.site] = frame->old_other;
  if (a->count > 1) restore_several(x, a);
  x->path.C.size--;
  mark_at(&x->path, frame->event)->step = 0;
  if (x->strategy->pop != NULL) x->strategy->pop(x, frame->event);
  if (frame->attached != 0) x->strategy->release(x, frame->attached);
  return frame->event;
}

uint32_t unfi_path_common(const struct path *path, const handle_vector *execution) {
  uint32_t i = 0;
  while (i < path->steps.count && i < execution->count &&
         path->steps.data[i].event == execution->data[i])
    i++;
  return i;
}

bool unfi_path_events(const unf_explorer *x, handle_vector *execution) {
  const struct path *path = &x->path;
  if (!vector_reserve(x->u->context, execution, path->steps.count)) return false;
  execution->count = path->steps.count;
  for (uint32_t i = 0; i < path->steps.count; i++)
    execution->data[i] = path->steps.data[i].event;
  return true;
}

/* ---- events ---- */

bool unfi_discover_reserve(unf_explorer *x, uint32_t event) {
  if (!fits(x) && !fit(x)) return false;
  return mark_at(&x->path, event)->discovered || x->strategy->reserve == NULL ||
         x->strategy->reserve(x, event);
}

void unfi_discover(unf_explorer *x, uint32_t event) {
  struct mark *mark = mark_at(&x->path, event);
  if (mark->discovered) return;
  mark->discovered = 1;
  x->counts.extensions++;
  if (x->strategy->discover != NULL) x->strategy->discover(x, event);
}
