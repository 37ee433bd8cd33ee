/* The calls of the detector: which executions are watched, the path, and the clocks. */
#include "base/null.h"
#include "race/cells.h"
#include "race/found.h"
#include "race/pages.h"
#include "race/races.h"
#include "structure/action.h"
#include "structure/cut.h"
#include "structure/effect.h"
#include "structure/event.h"
#include "structure/names.h"

#include <string.h>

static void renumber(void *user, const uint32_t *now);

unf_status unf_races_new(unf_unfolding *u, const unf_races_options *options, unf_races **out) {
  RETURN_IF_NULL(u->context, u, out);
  static const unf_races_options defaults = UNF_RACES_OPTIONS_INIT;
  if (options == NULL) options = &defaults;
  if (options->size != sizeof *options)
    return unfi_wrong_option(u->context, "unf_races_options.size", options->size, sizeof *options);
  if (options->every == 0) return unfi_wrong_option(u->context, "unf_races_options.every", 0, 0);
  unf_races *r = unfi_reallocate(u->context, NULL, 0, sizeof *r);
  if (r == NULL) return unfi_refused(u->context);
  memset(r, 0, sizeof *r);
  r->u = u;
  r->holder = (struct holder){renumber, r, u->holders};
  u->holders = &r->holder;
  r->every = options->every;
  r->seed = options->seed;
  r->before = options->before;
  *out = r;
  return UNF_OK;
}

void unf_races_free(unf_races *r) {
  if (r == NULL) return;
  unf_context *context = r->u->context;
  struct holder **link = &r->u->holders;
  while (*link != &r->holder)
    link = &(*link)->next;
  *link = r->holder.next;
  for (uint32_t i = 0; i < r->clocks.count; i++)
    vector_free(context, &r->clocks.data[i].entries);
  vector_free(context, &r->clocks);
  vector_free(context, &r->path);
  vector_free(context, &r->joins);
  vector_free(context, &r->last);
  vector_free(context, &r->cells);
  unfi_table_free(context, &r->cell_table);
  vector_free(context, &r->records);
  vector_free(context, &r->changes);
  vector_free(context, &r->found);
  unfi_table_free(context, &r->found_table);
  vector_free(context, &r->standing);
  unfi_reallocate(context, r, sizeof *r, 0);
}

static unf_status fail(const unf_races *r, unf_status status, const char *what) {
  return unfi_fail(r->u->context, status, what);
}

static bool chosen(const unf_races *r) {
  uint64_t number = r->before + r->counts.executions;
  return r->seed == 0 ? number % r->every == 0 : mix(r->seed, number) % r->every == 0;
}

/* Makes room for every thread named so far; those that run from ⊥ on have it as
 * their last event. */
static bool fit_threads(unf_races *r) {
  unf_context *context = r->u->context;
  uint32_t threads = r->u->threads.count;
  if (!vector_reserve(context, &r->last, threads) || !vector_reserve(context, &r->clocks, threads))
    return false;
  while (r->last.count < threads) {
    bool initial = r->u->threads.data[r->last.count].initial;
    vector_push(&r->last, initial ? UNF_EVENT_BOTTOM : NONE);
    r->started += initial;
  }
  while (r->clocks.count < threads) {
    struct clock clock = {NONE, {NULL, 0, 0}};
    vector_push(&r->clocks, clock);
  }
  return true;
}

static void take_back_step(unf_races *r) {
  const struct step *step = &r->path.data[--r->path.count];
  const struct action *a = action_of(r->u, step->event);
  r->last.data[a->thread] = step->before;
  if (starts_thread(r->u, a->kind)) {
    r->last.data[a->target] = NONE;
    r->started--;
  }
  if (joins_thread(r->u, a->kind)) r->joins.count--;
}

/* Goes back to the state after so many steps; 0: the initial state. */
static void take_back(unf_races *r, uint64_t steps) {
  if (r->path.count > steps) {
    struct step first = r->path.data[steps];
    while (r->path.count > steps)
      take_back_step(r);
    if (steps > 0) unfi_cells_undo(r, first.changes, first.records);
  }
  if (steps == 0) unfi_cells_clear(r);
}

/* What remains of an execution are steps that the next one may share, and their events are not
 * freed. All accesses were recorded at one of these events, or before the first. */
static void renumber(void *user, const uint32_t *now) {
  unf_races *r = user;
  uint32_t steps = 0;
  while (steps < r->path.count && now[r->path.data[steps].event] != 0)
    steps++;
  take_back(r, steps);
  unfi_races_standing(r, steps);
  if (r->common > steps) r->common = steps;
  for (uint32_t i = 0; i < steps; i++) {
    struct step *step = &r->path.data[i];
    step->event = now[step->event];
    if (step->before != NONE) step->before = now[step->before];
  }
  for (uint32_t i = 0; i < r->joins.count; i++)
    r->joins.data[i] = now[r->joins.data[i]];
  for (uint32_t i = 0; i < r->last.count; i++)
    if (r->last.data[i] != NONE) r->last.data[i] = now[r->last.data[i]];
  for (uint32_t i = 0; i < r->clocks.count; i++)
    r->clocks.data[i].event = NONE;
  for (uint32_t i = 1; i < r->records.count; i++)
    r->records.data[i].after = now[r->records.data[i].after];
  unfi_races_renumber(r, now);
  for (uint32_t i = 0; i < r->changes.count; i++)
    if (r->changes.data[i].index & OF_RECORD) r->changes.data[i].old = now[r->changes.data[i].old];
}

unf_status unf_races_begin(unf_races *r, uint64_t shared, uint64_t *resumed, bool *watched) {
  RETURN_IF_NULL(r->u->context, r, resumed, watched);
  if (*resumed > shared) return fail(r, UNF_INVALID, "more steps resumed than shared");
  if (!fit_threads(r)) return unfi_refused(r->u->context);
  if (shared < r->common) r->common = shared;
  /* The accesses after the last step may be incomplete if the execution was dropped. */
  if (r->path.count <= r->common) r->common = r->path.count > 0 ? r->path.count - 1 : 0;
  *watched = r->watched = chosen(r);
  r->counts.executions++;
  if (!r->watched) return UNF_OK;
  r->counts.watched++;
  if (*resumed > r->common) *resumed = r->common;
  r->checked = r->common;
  /* All steps, until the next execution says how many it shares. */
  r->common = UINT64_MAX;
  take_back(r, *resumed);
  unfi_races_standing(r, r->checked);
  if (r->checked == 0) r->standing.count = 0;
  unfi_races_count_standing(r);
  return UNF_OK;
}

unf_status unf_races_step(unf_races *r, unf_event event) {
  RETURN_IF_NULL(r->u->context, r);
  unf_unfolding *u = r->u;
  if (!r->watched) return fail(r, UNF_STATE, "a step of an execution that is not watched");
  if (!known_event(u, event)) return fail(r, UNF_UNKNOWN, "event");
  if (event == UNF_EVENT_BOTTOM) return fail(r, UNF_INVALID, "the bottom event as a step");
  if (!fit_threads(r) || !vector_reserve(u->context, &r->path, (uint64_t)r->path.count + 1) ||
      !vector_reserve(u->context, &r->joins, (uint64_t)r->joins.count + 1))
    return unfi_refused(u->context);
  const struct action *a = action_of(u, event);
  uint32_t *last = &r->last.data[a->thread];
  if (*last == NONE || *last != event_at(u, event)->before)
    return fail(r, UNF_STATE, "an event that does not follow the last one of its thread");
  struct step step = {event, *last, r->changes.count, r->records.count};
  vector_push(&r->path, step);
  *last = event;
  if (starts_thread(r->u, a->kind)) {
    r->last.data[a->target] = event;
    r->started++;
  }
  if (joins_thread(r->u, a->kind)) vector_push(&r->joins, event);
  return UNF_OK;
}

bool unfi_race_clock(unf_races *r, uint32_t thread) {
  unf_unfolding *u = r->u;
  struct clock *clock = &r->clocks.data[thread];
  uint32_t f = r->last.data[thread];
  if (clock->event == f) return true;
  if (!vector_reserve(u->context, &clock->entries, u->threads.count)) return false;
  uint32_t *entries = clock->entries.data;
  for (uint32_t t = 0; t < u->threads.count; t++)
    entries[t] = f == UNF_EVENT_BOTTOM ? 0 : cut_entry(u, f, u->threads.data[t].site);
  clock->entries.count = u->threads.count;
  for (uint32_t i = 0; i < r->joins.count && f != UNF_EVENT_BOTTOM; i++) {
    const struct action *join = action_of(u, r->joins.data[i]);
    if (cut_entry(u, f, join->site) >= r->joins.data[i]) entries[join->target] = NONE;
  }
  clock->event = f;
  return true;
}

/* While only one thread has started, everything comes before what any other thread will do. */
static bool alone(const unf_races *r) {
  return r->started < 2;
}

static unf_status check_access(unf_races *r, const unf_access *access) {
  unf_unfolding *u = r->u;
  if (!r->watched) return fail(r, UNF_STATE, "an access of an execution that is not watched");
  if (access->thread >= u->threads.count) return fail(r, UNF_UNKNOWN, "thread of an access");
  if (access->thread >= r->last.count || r->last.data[access->thread] == NONE)
    return fail(r, UNF_STATE, "an access of a thread that has not started");
  if (access->size == 0 || access->size - 1 > UINT64_MAX - access->address)
    return fail(r, UNF_INVALID, "an access of no bytes, or beyond the end of memory");
  return UNF_OK;
}

unf_status unf_races_access(unf_races *r, const unf_access *access) {
  RETURN_IF_NULL(r->u->context, r, access);
  unf_status status = check_access(r, access);
  if (status != UNF_OK || alone(r)) return status;
  r->counts.accesses++;
  return unfi_pages_access(r, access) ? UNF_OK : unfi_refused(r->u->context);
}

unf_status unf_races_forget(unf_races *r, uint64_t address, uint64_t size) {
  RETURN_IF_NULL(r->u->context, r);
  if (!r->watched) return fail(r, UNF_STATE, "memory of an execution that is not watched");
  if (size == 0 || size - 1 > UINT64_MAX - address)
    return fail(r, UNF_INVALID, "memory of no bytes, or beyond its end");
  return unfi_pages_forget(r, address, size) ? UNF_OK : unfi_refused(r->u->context);
}

void unf_races_counts_get(const unf_races *r, unf_races_counts *out) {
  if (r != NULL && out != NULL) *out = r->counts;
}

unf_status unf_races_get(const unf_races *r, uint64_t index, unf_race *out) {
  RETURN_IF_NULL(r->u->context, r, out);
  if (index >= r->counts.races) return fail(r, UNF_UNKNOWN, "race");
  *out = r->found.data[1 + index].race;
  return UNF_OK;
}

uint64_t unf_races_here_count(const unf_races *r) {
  return r != NULL && r->watched ? r->standing.count : 0;
}

unf_status unf_races_here(const unf_races *r, uint64_t number, uint64_t *index, unf_race *out) {
  RETURN_IF_NULL(r->u->context, r, index, out);
  if (number >= unf_races_here_count(r)) return fail(r, UNF_UNKNOWN, "race of this execution");
  const uint32_t at = r->standing.data[number].race;
  const struct found *found = &r->found.data[at];
  const struct seen_race *last = &found->last;
  *index = at - 1;
  *out = (unf_race){last->first, last->second, found->race.count, last->execution, last->steps};
  return UNF_OK;
}

unf_status unf_races_after(const unf_races *r, uint64_t index, unf_event *first,
                           unf_event *second) {
  RETURN_IF_NULL(r->u->context, r, first, second);
  if (index >= r->counts.races) return fail(r, UNF_UNKNOWN, "race");
  *first = r->found.data[1 + index].after[0];
  *second = r->found.data[1 + index].after[1];
  return UNF_OK;
}
