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
  uint32_t next;  /* item after its own, in such a list or among those parked together; of an event
                     in several lists one that it is in conflict with, or that it is; or 0 */
};

/* Items of one list, groups among them, that cannot be used for one reason: all have a node of a
 * site's tree in their histories. A group is an item itself, so that they are parked, and come
 * back, as one. */
#define GROUP_TAG (ITEM_TAG | ITEM_TAG >> 1)
struct common_node {
  uint32_t site, event; /* the node of this event, or if that is NONE ... */
  struct node node;     /* ... this one, which is on a branch */
};
struct follower_group {
  uint32_t first, next; /* of its items; after it */
  uint32_t member;      /* an item of the same list that is no group */
  struct common_node shared;
};

struct followers {
  struct by_event links;
  VECTOR(uint32_t) roots; /* by site: first item that follows ⊥ there */
  VECTOR(struct follower_item) items;
  VECTOR(struct follower_group) groups;
  uint32_t free_group; /* number + 1 of the first one that is free, or 0; `next` has another */
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

static inline bool is_group(uint32_t item) {
  return item >= GROUP_TAG;
}

static inline struct follower_group *group_at(const struct followers *f, uint32_t item) {
  return &f->groups.data[item & ~GROUP_TAG];
}

/* The event of an item that is no group; the item after any. */
static inline uint32_t item_event(const struct followers *f, uint32_t item) {
  return item & ITEM_TAG ? f->items.data[item & ~ITEM_TAG].event : item;
}

static inline uint32_t *item_next(const struct followers *f, uint32_t item) {
  if (!(item & ITEM_TAG)) return &links_at(f, item)->next;
  return is_group(item) ? &group_at(f, item)->next : &f->items.data[item & ~ITEM_TAG].next;
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

/* Room for one more group. Returns false when refused. */
static inline bool group_reserve(unf_context *context, struct followers *f) {
  return f->free_group != 0 || vector_reserve(context, &f->groups, (uint64_t)f->groups.count + 1);
}
/* Where there is room for one more: puts the item that a link leads to, which is no group, alone
 * into a group in its place. */
void unfi_group_begin(struct followers *f, uint32_t *link, struct common_node shared);
/* Where there is room for one more: puts all of a group into one that it has alone, and gives it a
 * node further up. */
void unfi_group_widen(struct followers *f, uint32_t item, struct common_node shared);
/* Takes an item out of the group that a link leads to, and puts it in front of it. The group goes
 * with its last one. */
void unfi_group_take(struct followers *f, uint32_t *link);

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
  if (a->meets && a->first.access == ACCESS_END) return true;
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
