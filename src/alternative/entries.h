/* A walk over the entries of an event's cut, its own among them, in no particular order. */
#ifndef ALTERNATIVE_ENTRIES_H
#define ALTERNATIVE_ENTRIES_H

#include "structure/cut.h"

struct entry_walk {
  struct view view;
  struct leaf_walk leaves;
  struct leaf_view leaf;
  uint32_t next; /* in the leaf */
  uint32_t own;  /* how many of the sites that the event writes itself are behind */
};

static inline void entries_begin(struct entry_walk *walk, const unf_unfolding *u, uint32_t event) {
  walk->view = view_event(u, event);
  walk->leaf.count = walk->next = walk->own = 0;
  unfi_leaves_begin(&walk->leaves, u, event_at(u, event)->cut);
}

/* Returns false at the end. */
static inline bool entries_next(struct entry_walk *walk, struct slot *out) {
  const struct view *view = &walk->view;
  do
    for (; walk->next < walk->leaf.count; walk->next++) {
      uint32_t entry = walk->leaf.entries[walk->next], site = walk->leaf.first + walk->next;
      /* Where the event itself is, its record has nothing, or something earlier. */
      if (entry == 0 || site == view->own || site == view->written) continue;
      *out = (struct slot){site, entry};
      walk->next++;
      return true;
    }
  while (walk->next = 0, unfi_leaves_next(&walk->leaves, &walk->leaf));
  walk->leaf.count = 0;
  *out = (struct slot){walk->own == 0 ? view->own : view->written, view->event};
  return walk->own++ == 0 || (walk->own == 2 && view->written != NONE);
}

#endif
