/* Walks over the events of cuts: linearisations, maximal events, histories; and relations of an
 * event to every event of a configuration. */
#include "configuration/walk.h"

#include <string.h>

#include "base/null.h"
#include "base/sort.h"
#include "configuration/configuration.h"
#include "structure/cut.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/relation.h"

/* Of a thread, from its last event back. Returns false when refused. */
static bool append_outside(const unf_unfolding *u, uint32_t site, uint32_t last, struct cut base,
                           handle_vector *out) {
  for (uint32_t e = last; e != 0; e = event_at(u, e)->before) {
    if (action_of(u, e)->site != site || unfi_in_cut(u, base, e)) break;
    if (!vector_reserve(u->context, out, (uint64_t)out->count + 1)) return false;
    vector_push(out, e);
  }
  return true;
}

bool unfi_cut_events(const unf_unfolding *u, struct cut cut, struct cut base, handle_vector *out) {
  uint32_t begin = out->count;
  for (uint32_t i = 0; i < u->threads.count; i++) {
    uint32_t site = u->threads.data[i].site;
    if (append_outside(u, site, cut_at(cut, site), base, out)) continue;
    out->count = begin;
    return false;
  }
  if (out->count > begin) unfi_sort(out->data + begin, out->count - begin);
  return true;
}

bool unfi_sparse_events(const unf_unfolding *u, const struct sparse *cut, struct cut base,
                        handle_vector *out) {
  uint32_t begin = out->count;
  bool enough = true;
  for (uint32_t i = 0; enough && i < cut->held.blocks.count; i++) {
    struct leaf_view leaf =
        held_leaf(cut->entries.data, cut->entries.count, cut->held.blocks.data[i]);
    for (uint32_t j = 0; enough && j < leaf.count; j++)
      if (leaf.entries[j] != 0 && u->sites.data[leaf.first + j].is_thread)
        enough = append_outside(u, leaf.first + j, leaf.entries[j], base, out);
  }
  if (!enough) out->count = begin;
  if (out->count > begin) unfi_sort(out->data + begin, out->count - begin);
  return enough;
}

/* Appends the events of a thread from its last one at a site back; none if it is no thread's. */
static bool append_thread(const unf_unfolding *u, uint32_t site, uint32_t last,
                          handle_vector *out) {
  if (!u->sites.data[site].is_thread) return true;
  for (uint32_t e = last; e != 0 && action_of(u, e)->site == site; e = event_at(u, e)->before) {
    if (!vector_reserve(u->context, out, (uint64_t)out->count + 1)) return false;
    vector_push(out, e);
  }
  return true;
}

bool unfi_history_events(const unf_unfolding *u, uint32_t event, handle_vector *out) {
  uint32_t begin = out->count;
  const struct action *a = action_of(u, event);
  struct leaf_walk walk;
  struct leaf_view leaf;
  bool enough = event == 0 || append_thread(u, a->site, event, out);
  if (event != 0) unfi_leaves_begin(&walk, u, event_at(u, event)->cut);
  while (enough && event != 0 && unfi_leaves_next(&walk, &leaf))
    for (uint32_t i = 0; enough && i < leaf.count; i++) {
      uint32_t site = leaf.first + i;
      /* What the event writes itself is later than what the record has there. */
      if (site != a->site && site != a->written)
        enough = append_thread(u, site, leaf.entries[i], out);
    }
  if (!enough) out->count = begin;
  if (out->count > begin) unfi_sort(out->data + begin, out->count - begin);
  return enough;
}

/* Visits events that were listed, and frees the list. */
static void visit_listed(const unf_unfolding *u, handle_vector *events, unf_event_visitor visit,
                         void *user) {
  for (uint32_t i = 0; i < events->count && visit(user, events->data[i]); i++)
    continue;
  vector_free(u->context, events);
}

/* ---- events of configurations ---- */

/* Appends what a configuration has at a site, if that is the last event of the site's thread. */
static bool append_last(const unf_configuration *c, uint32_t site, handle_vector *out) {
  const unf_unfolding *u = c->u;
  uint32_t last = cut_at(configuration_cut(c), site);
  unfi_count(u->context, 1);
  if (last == 0 || !u->sites.data[site].is_thread || action_of(u, last)->site != site) return true;
  if (!vector_reserve(u->context, out, (uint64_t)out->count + 1)) return false;
  vector_push(out, last);
  return true;
}

/* Appends the last event of each thread that has some, ascending. Returns false when refused. */
static bool last_events(const unf_configuration *c, handle_vector *out) {
  const unf_unfolding *u = c->u;
  bool enough = true;
  if (is_large(c) && (uint64_t)c->held.blocks.count * BLOCK < u->threads.count) {
    for (uint32_t i = 0; enough && i < c->held.blocks.count; i++) {
      struct leaf_view leaf = held_leaf(c->entries, c->room, c->held.blocks.data[i]);
      for (uint32_t j = 0; enough && j < leaf.count; j++)
        enough = append_last(c, leaf.first + j, out);
    }
  } else {
    for (uint32_t i = 0; enough && i < u->threads.count; i++)
      enough = append_last(c, u->threads.data[i].site, out);
  }
  if (out->count > 0) unfi_sort(out->data, out->count);
  return enough;
}

unf_status unf_configuration_linearize(const unf_configuration *c, unf_event_visitor visit,
                                       void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  const unf_unfolding *u = c->u;
  handle_vector last = {0}, events = {0};
  bool enough = last_events(c, &last) && vector_reserve(u->context, &events, c->size);
  for (uint32_t i = 0; enough && i < last.count; i++)
    enough = append_thread(u, action_of(u, last.data[i])->site, last.data[i], &events);
  vector_free(u->context, &last);
  if (enough && events.count > 0) unfi_sort(events.data, events.count);
  if (!enough) events.count = 0;
  visit_listed(u, &events, visit, user);
  return enough ? UNF_OK : unfi_refused(u->context);
}

unf_status unf_event_history(const unf_unfolding *u, unf_event event, unf_event_visitor visit,
                             void *user) {
  RETURN_IF_NULL(u->context, u, visit);
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  handle_vector events = {0};
  unf_status status = unfi_history_events(u, event, &events) ? UNF_OK : unfi_refused(u->context);
  visit_listed(u, &events, visit, user);
  return status;
}

/* Takes out those of the last events of threads that come before another of them. */
static void drop_earlier(const unf_unfolding *u, handle_vector *last) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < last->count; i++) {
    bool maximal = true;
    for (uint32_t j = i + 1; maximal && j < last->count; j++) {
      unfi_count(u->context, 1);
      maximal = !unfi_precedes(u, last->data[i], last->data[j]);
    }
    if (maximal) last->data[kept++] = last->data[i];
  }
  last->count = kept;
}

/* Marks an event that is one of some, which ascend. */
static void mark_event(const handle_vector *among, uint32_t event, uint8_t *marks) {
  uint32_t low = 0, high = among->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (among->data[middle] < event)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < among->count && among->data[low] == event) marks[low] = 1;
}

/* What drop_earlier() does, by a walk over all events: those that some event follows go. Returns
 * false when refused. */
static bool drop_followed(const unf_unfolding *u, handle_vector *last) {
  VECTOR(uint8_t) marks = {0};
  handle_vector room = {0};
  bool enough = vector_reserve_zero(u->context, &marks, last->count);
  for (uint32_t i = 0; enough && i < last->count; i++) {
    uint32_t site = action_of(u, last->data[i])->site;
    for (uint32_t e = last->data[i]; e != 0 && action_of(u, e)->site == site;) {
      unfi_count(u->context, 1);
      enough = vector_reserve(u->context, &room, unfi_predecessor_bound(u, e));
      if (!enough) break;
      uint32_t count = unfi_followed_events(u, e, room.data);
      for (uint32_t j = 0; j < count; j++)
        mark_event(last, room.data[j], marks.data);
      e = event_at(u, e)->before;
    }
  }
  uint32_t kept = 0;
  for (uint32_t i = 0; enough && i < last->count; i++)
    if (!marks.data[i]) last->data[kept++] = last->data[i];
  if (enough) last->count = kept;
  vector_free(u->context, &room);
  vector_free(u->context, &marks);
  return enough;
}

/* Few events are compared with each other; many threads have few events each. */
unf_status unf_configuration_maximal(const unf_configuration *c, unf_event_visitor visit,
                                     void *user) {
  RETURN_IF_NULL(c->u->context, c, visit);
  const unf_unfolding *u = c->u;
  handle_vector last = {0};
  bool enough = last_events(c, &last);
  if (enough && (uint64_t)last.count * last.count > 2 * (uint64_t)c->size)
    enough = drop_followed(u, &last);
  else if (enough)
    drop_earlier(u, &last);
  if (!enough) last.count = 0;
  visit_listed(u, &last, visit, user);
  return enough ? UNF_OK : unfi_refused(u->context);
}

struct against {
  const unf_unfolding *u;
  uint32_t event;
  bool found;
};

static bool conflicts_immediately(void *user, unf_event event) {
  struct against *against = user;
  unf_event_conflicts_immediately(against->u, event, against->event, &against->found);
  return !against->found;
}

unf_status unf_configuration_conflicts_immediately(const unf_configuration *c, unf_event event,
                                                   bool *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  if (!known_event(c->u, event)) return unfi_fail(c->u->context, UNF_UNKNOWN, "event");
  struct against against = {c->u, event, false};
  unf_status status = unf_configuration_linearize(c, conflicts_immediately, &against);
  if (status == UNF_OK) *out = against.found;
  return status;
}

static bool ordered(void *user, unf_event event) {
  struct against *against = user;
  against->found = unfi_precedes(against->u, event, against->event);
  return !against->found;
}

unf_status unf_configuration_concurrent(const unf_configuration *c, unf_event event, bool *out) {
  RETURN_IF_NULL(c->u->context, c, out);
  const unf_unfolding *u = c->u;
  if (!known_event(u, event)) return unfi_fail(u->context, UNF_UNKNOWN, "event");
  struct cut cut = configuration_cut(c);
  if (event == 0 || unfi_in_cut(u, cut, event) || unfi_conflict_cut(u, cut, event)) {
    *out = event == 0 && c->size == 0;
    return UNF_OK;
  }
  /* No event of the configuration may precede it; the walk ends at the first that does. */
  struct against against = {u, event, false};
  unf_status status = unf_configuration_linearize(c, ordered, &against);
  if (status == UNF_OK) *out = !against.found;
  return status;
}
