/*
 * U in lists: at a write of a site its followers, the events that follow it there; at an event of a
 * thread the choices after it; at ⊥ both.
 *
 * An item stands for an event in one list. Where the family computes conflicting extensions, or all
 * that its operation can become uses the one object that it uses, an event is in one list, so its
 * item has the event's own number; any other event is in one list for each site that it uses, and
 * in that of its thread's choices, in items with a tag, kept in `items`.
 */
#ifndef EXPLORATION_STRATEGIES_QPOR_FOLLOWERS_H
#define EXPLORATION_STRATEGIES_QPOR_FOLLOWERS_H

#include <unfold/explore.h>

#include "base/table.h"
#include "exploration/by_event.h"
#include "structure/action.h"
#include "structure/compaction.h"
#include "structure/effect.h"

#define ITEM_TAG 0x80000000u
struct follower_item {
  uint32_t event, next;
  uint32_t use; /* of the event, by number; or NONE: the list of the choices of its thread */
};

/* The list of what follows a write of a site in a mode, but for the writes that are in the lists of
 * a write's links or of the root. */
struct follower_list {
  uint32_t site, write;
  enum access access;
  uint32_t first;
};

/* Of an event. */
struct follower_links {
  uint32_t first; /* item that follows it on the site that it writes beside its thread's, or is a
                     choice after it on its thread */
  uint32_t next;  /* item after its own, in such a list or among those parked together */
};

struct followers {
  struct by_event links;
  VECTOR(uint32_t) roots; /* by site: first item that follows ⊥ there */
  VECTOR(struct follower_item) items;
  VECTOR(struct follower_list) lists;
  struct table list_table;
  uint32_t recent;       /* list that was found last in the table, or 0 */
  VECTOR(uint8_t) modes; /* by site: of its lists in the table, a bit for each */
};

void unfi_followers_free(unf_context *context, struct followers *f);
/* Room for all sites and for events with handles below a number; for an event in its lists. Returns
 * false when refused. */
bool unfi_followers_fit(unf_explorer *x, uint32_t events);
bool unfi_followers_reserve(unf_explorer *x, uint32_t event);
/* Puts an event into its lists, or attaches it to the step of the path that has it. */
void unfi_followers_add(unf_explorer *x, uint32_t event);
/* Puts items back into the lists that they belong to. */
void unfi_followers_release(unf_explorer *x, uint32_t items);

static inline struct follower_links *links_at(const struct followers *f, uint32_t event) {
  return by_event_at(&f->links, struct follower_links, event);
}

/* The event of an item; the item after it. */
static inline uint32_t item_event(const struct followers *f, uint32_t item) {
  return item & ITEM_TAG ? f->items.data[item & ~ITEM_TAG].event : item;
}

static inline uint32_t *item_next(const struct followers *f, uint32_t item) {
  return item & ITEM_TAG ? &f->items.data[item & ~ITEM_TAG].next : &links_at(f, item)->next;
}

/* Puts an item to the front of a list; moves the one that a link leads to there. */
static inline void item_put(const struct followers *f, uint32_t item, uint32_t *list) {
  *item_next(f, item) = *list;
  *list = item;
}

static inline void item_move(const struct followers *f, uint32_t *link, uint32_t *list) {
  uint32_t item = *link;
  *link = *item_next(f, item);
  item_put(f, item, list);
}

/* Visits the first items of the lists that an event is in, or would be in, and that have some.
 * False ends it. */
typedef bool (*follower_visitor)(void *user, uint32_t *first);
bool unfi_followers_visit(unf_explorer *x, uint32_t event, follower_visitor visit, void *user);

/* Whether one look shows that no other event of U follows what an event follows. */
bool unfi_followers_none(const unf_unfolding *u, const struct followers *f, uint32_t event);
/* What unfi_followers_none() says, without a call for a write at a site that has no list in the
 * table. */
static inline bool followers_none(const unf_unfolding *u, const struct followers *f,
                                  uint32_t event) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->count != 1) return false;
  uint32_t site = a->first.site, write = e->follows;
  if (a->first.access != ACCESS_WRITE || !a->conflicting || f->modes.data[site] != 0 ||
      (write & ROW_TAG))
    return unfi_followers_none(u, f, event);
  uint32_t first = write == 0 ? f->roots.data[site] : links_at(f, write)->first;
  return first == 0 || (first == event && links_at(f, event)->next == 0);
}

/* Keeps the events of U that conflict immediately with an event, and all that are in a list with
 * them. Nothing may be parked; `walked` has a flag for every event and every item of U. */
void unfi_followers_keep(unf_explorer *x, uint32_t event, struct compaction *c, uint8_t *walked);

#endif
