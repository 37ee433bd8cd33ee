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

bool unfi_path_enlarge(unf_explorer *x) {
  unf_context *context = x->u->context;
  struct path *path = &x->path;
  if (path->steps.count >= MAX_STEPS)
    return unfi_too_many(context, "steps of an execution", (uint64_t)path->steps.count + 1);
  return (path_fits(x->u, path) || fit(x)) && unfi_configuration_fit(&path->C) &&
         vector_reserve(context, &path->steps, (uint64_t)path->steps.count + 1) &&
         unfi_sleep_reserve(context, &path->D);
}

/* ---- steps ---- */

/* Keeps what an event with several uses changes, for taking it back. Returns false when refused. */
static bool save_several(unf_explorer *x, const struct action *a) {
  unf_unfolding *u = x->u;
  uint32_t count;
  const struct use *uses = uses_of(u, a, &count);
  if (!vector_reserve(u->context, &x->path.undo, (uint64_t)x->path.undo.count + count))
    return false;
  for (uint32_t i = 0; i < count; i++)
    vector_push(&x->path.undo, x->path.C.entries[uses[i].site]);
  return true;
}

static void restore_several(unf_explorer *x, const struct action *a) {
  uint32_t count;
  const struct use *uses = uses_of(x->u, a, &count);
  x->path.undo.count -= count;
  for (uint32_t i = 0; i < count; i++)
    x->path.C.entries[uses[i].site] = x->path.undo.data[x->path.undo.count + i];
}

/* Enters several uses of an event. Returns false when refused. */
static NOINLINE bool enter_several(unf_explorer *x, uint32_t event, const struct action *a) {
  if (!save_several(x, a)) return false;
  if (unfi_cut_enter_layered(x->u, x->path.C.entries, event, a)) return true;
  x->path.undo.count -= a->count;
  return false;
}

/* Enters the only use of an event, which is in a layer, or several. Returns false when refused. */
static inline bool enter_layered(unf_explorer *x, uint32_t event, const struct action *a) {
  if (a->count > 1) return enter_several(x, event, a);
  uint32_t *entry = &x->path.C.entries[a->first.site];
  return unfi_entry_add(x->u, *entry, a->first.access, event, a->site, entry);
}

bool unfi_path_push(unf_explorer *x, uint32_t event) {
  struct path *path = &x->path;
  uint32_t action = event_at(x->u, event)->action, *entries = path->C.entries;
  const struct action *a = &x->u->actions.data[action];
  uint32_t own = entries[a->site], other = a->count == 1 ? entries[a->first.site] : 0;
  if (a->layered && !enter_layered(x, event, a)) return false;
  if (a->written != NONE) entries[a->written] = event;
  entries[a->site] = event;
  if (is_large(&path->C)) unfi_configuration_hold(&path->C, a);
  path->C.size++;
  struct frame frame = {event, action, {0, 0}, own, other, NONE, 0};
  vector_push(&path->steps, frame);
  mark_at(path, event)->word |= path->steps.count;
  if (path->D.first != NONE) unfi_justify(x);
  return true;
}

uint32_t unfi_path_pop(unf_explorer *x) {
  struct path *path = &x->path;
  const struct frame *frame = &path->steps.data[--path->steps.count];
  const struct action *a = &x->u->actions.data[frame->action];
  if (frame->justified != NONE) unfi_unjustify(x, frame->justified);
  path->C.entries[a->site] = frame->old_own;
  if (a->count == 1) path->C.entries[a->first.site] = frame->old_other;
  if (a->count > 1) restore_several(x, a);
  path->C.size--;
  if (path->steps.count < x->last.same) x->last.same = path->steps.count;
  unfi_consistent_cut(&x->consistent, path->steps.count);
  mark_at(path, frame->event)->word &= ~MARK_STEP;
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

bool unfi_path_keep_last(unf_explorer *x) {
  struct last_run *last = &x->last;
  const struct path *path = &x->path;
  if (!vector_reserve(x->u->context, &last->events, path->steps.count)) return false;
  for (uint32_t i = last->same; i < path->steps.count; i++)
    last->events.data[i] = path->steps.data[i].event;
  last->events.count = last->same = path->steps.count;
  return true;
}

bool unfi_path_events(const unf_explorer *x, handle_vector *execution, uint32_t common) {
  const struct path *path = &x->path;
  if (!vector_reserve(x->u->context, execution, path->steps.count)) return false;
  execution->count = path->steps.count;
  for (uint32_t i = common; i < path->steps.count; i++)
    execution->data[i] = path->steps.data[i].event;
  return true;
}

/* ---- events ---- */

bool unfi_discover_reserve(unf_explorer *x, uint32_t event) {
  if (!path_fits(x->u, &x->path) && !fit(x)) return false;
  return is_discovered(&x->path, event) || x->strategy->reserve == NULL ||
         x->strategy->reserve(x, event);
}

void unfi_discover(unf_explorer *x, uint32_t event) {
  struct mark *mark = mark_at(&x->path, event);
  if (!(mark->word & MARK_DISCOVERED)) unfi_discover_marked(x, event, mark);
}
