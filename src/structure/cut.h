/* Cuts: those of events, and those that are held as arrays. */
#ifndef STRUCTURE_CUT_H
#define STRUCTURE_CUT_H

#include "structure/block.h"
#include "structure/event.h"

/* The entry of a site in the cut of an event. Its record says nothing of the sites that the event
 * writes itself, if that is its thread's and at most one more, so that events can share one. */
static inline uint32_t cut_entry(const unf_unfolding *u, uint32_t event, uint32_t site) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->site == site || a->written == site) return event;
  return block_entry(u, block_at(u, e->cut), site);
}

/* The entry, if one look finds it; false: the record has more than one leaf. */
static inline bool cut_entry_at_once(const unf_unfolding *u, uint32_t event, uint32_t site,
                                     uint32_t *out) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  *out = event;
  if (a->site == site || a->written == site) return true;
  const uint32_t *record = block_at(u, e->cut);
  *out = site < record[0] ? record[1 + site] : 0;
  return is_leaf(record);
}

/* The cut of an event, for asking about many sites: where it stands is looked up once. */
struct view {
  const uint32_t *record;
  uint32_t own, written, event;
};

static inline struct view view_event(const unf_unfolding *u, uint32_t event) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  struct view view = {block_at(u, e->cut), a->site, a->written, event};
  return view;
}

static inline uint32_t view_at(const unf_unfolding *u, const struct view *view, uint32_t site) {
  if (site == view->own || site == view->written) return view->event;
  return block_entry(u, view->record, site);
}

/* A cut held as an array by site, such as that of a configuration. */
struct cut {
  const uint32_t *entries;
  uint32_t count;
};

static inline uint32_t cut_at(struct cut cut, uint32_t site) {
  return site < cut.count ? cut.entries[site] : 0;
}

/* Merges entries of some sites into others. Returns false when refused. */
bool unfi_leaf_merge(unf_unfolding *u, uint32_t *entries, const uint32_t *others, uint32_t count);
/* Merges the cut of an event, itself included, into an array that has room for all sites.
 * Returns false when refused. */
bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event);
bool unfi_cut_enter_layered(unf_unfolding *u, uint32_t *entries, uint32_t event,
                            const struct action *action);
/* Enters the uses of an event into a cut that has its causes. Returns false when refused. */
static inline bool cut_enter(unf_unfolding *u, uint32_t *entries, uint32_t event,
                             const struct action *a) {
  if (a->layered && !unfi_cut_enter_layered(u, entries, event, a)) return false;
  if (a->written != NONE) entries[a->written] = event;
  entries[a->site] = event;
  return true;
}
/* The tuple that an action with several uses would follow after a cut. Returns false when
 * refused. */
bool unfi_follow_several(unf_unfolding *u, struct cut cut, const struct action *action,
                         uint32_t *follows);
/* What an action with one use, or none, would follow after a cut beside its thread. */
static inline uint32_t follow_one(const unf_unfolding *u, struct cut cut, const struct action *a) {
  return a->count == 0 ? 0 : unfi_followed(u, cut_at(cut, a->first.site), a->first.access);
}
/* Fills in what an action would follow after a cut beside its thread. Returns false when
 * refused. */
static inline bool unfi_follow(unf_unfolding *u, struct cut cut, const struct action *a,
                               struct causes *out) {
  if (a->count > 1) return unfi_follow_several(u, cut, a, &out->follows);
  out->follows = follow_one(u, cut, a);
  return true;
}
/* Chooses or makes the record of a new event. Returns false when refused. */
bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out);

#endif
