/* Events: their records, and interning. */
#ifndef STRUCTURE_EVENT_H
#define STRUCTURE_EVENT_H

#include <string.h>

#include "structure/layer.h"
#include "structure/names.h"
#include "structure/tree.h"

#ifdef UNF_PLAIN_ARENAS
#define EVENT_SHIFT 0
#else
#define EVENT_SHIFT 12
#endif

/* Branch of the second node of an event that has several, see node_in(). */
#define SEVERAL (NONE - 1)

/* With its two nodes, its child and its follower 48 bytes, the bulk of all memory; see README.md
 * here. */
struct event {
  uint32_t action;
  uint32_t cut;     /* record of its causes' histories, see cut_entry() */
  uint32_t full;    /* record of its own history, when one was needed, else 0; see cut.c */
  uint32_t before;  /* last event of the own thread before it, the create, or ⊥ */
  uint32_t follows; /* entry that its only use follows, or the tuple of those that its uses follow;
                       0 with no use */
  uint32_t next;    /* operation of the own thread after it, 0: not known yet */
};

/* A thread that an event creates, and its first operation; 0: not known yet. */
struct start {
  uint32_t event, operation;
};

/* The nodes stand apart from the rest, because queries read them for many events of which they need
 * nothing else. */
struct event_chunk {
  struct event events[1u << EVENT_SHIFT];
  struct node own[1u << EVENT_SHIFT]; /* in the tree of the own thread */
  /* In the tree of the only site that it writes beside that; branch SEVERAL, and a record in
   * `nodes`, if it writes several or carries a value that is kept; branch NONE if it writes no
   * other. */
  struct node other[1u << EVENT_SHIFT];
  /* The event that was the first to be added with it as `before`, 0: none yet; with SIBLINGS if
   * there are others. */
  uint32_t child[1u << EVENT_SHIFT];
  /* Of these others, in the same way, the first that has it as `follows`; the rest is in the
   * index. */
  uint32_t follower[1u << EVENT_SHIFT];
};

#define SIBLINGS 0x80000000u

/* What an action follows on its sites: the whole of its causes, so the key for interning. The
 * fields are those of an event. */
struct causes {
  uint32_t action, before, follows;
};

static inline struct event *event_at(const unf_unfolding *u, uint32_t event) {
  return &u->store.chunks.data[event >> EVENT_SHIFT]->events[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline struct node *own_node(const unf_unfolding *u, uint32_t event) {
  return &u->store.chunks.data[event >> EVENT_SHIFT]->own[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline struct node *other_node(const unf_unfolding *u, uint32_t event) {
  return &u->store.chunks.data[event >> EVENT_SHIFT]->other[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline uint32_t *child_at(const unf_unfolding *u, uint32_t event) {
  return &u->store.chunks.data[event >> EVENT_SHIFT]->child[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline uint32_t *follower_at(const unf_unfolding *u, uint32_t event) {
  return &u->store.chunks.data[event >> EVENT_SHIFT]->follower[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline const struct action *action_of(const unf_unfolding *u, uint32_t event) {
  return &u->actions.data[event_at(u, event)->action];
}

/* The entries that an action follows, in the order of its uses; *count of them. */
static inline const uint32_t *followed_by(const unf_unfolding *u, uint32_t action,
                                          const uint32_t *follows, uint32_t *count) {
  *count = u->actions.data[action].count;
  return *count <= 1 ? follows : row_at(u, *follows) + 1;
}

static inline const uint32_t *event_follows(const unf_unfolding *u, uint32_t event,
                                            uint32_t *count) {
  const struct event *e = event_at(u, event);
  return followed_by(u, e->action, &e->follows, count);
}

static inline const uint32_t *causes_follow(const unf_unfolding *u, const struct causes *causes,
                                            uint32_t *count) {
  return followed_by(u, causes->action, &causes->follows, count);
}

/* What an event carries: of one that writes, the value that its family gave it (see effect.h); of
 * one that adds to what is counted, what its thread has added in its layer up to there. */
int64_t unfi_carried(const unf_unfolding *u, uint32_t event);
/* Of one that adds nothing is in front of it. */
static inline uint32_t *carried_sum_at(const unf_unfolding *u, uint32_t event) {
  return arena_at(&u->store.nodes, other_node(u, event)->depth);
}
static inline int64_t carried_sum(const unf_unfolding *u, uint32_t event) {
  int64_t sum;
  memcpy(&sum, carried_sum_at(u, event), sizeof sum);
  return sum;
}
/* The value of an event that writes, carried or said by its operation. */
int64_t unfi_value_written(unf_unfolding *u, uint32_t event);
struct node *unfi_node_of_several(const unf_unfolding *u, uint32_t event, uint32_t site);

/* Where the node of an event in the tree of a site that it writes stands, unless its branch is
 * SEVERAL; and the node itself. */
static inline struct node *node_place(const unf_unfolding *u, uint32_t event, uint32_t site) {
  bool own = u->sites.data[site].is_thread && action_of(u, event)->site == site;
  return own ? own_node(u, event) : other_node(u, event);
}

static inline struct node *node_in(const unf_unfolding *u, uint32_t event, uint32_t site) {
  struct node *node = node_place(u, event, site);
  return node->branch == SEVERAL ? unfi_node_of_several(u, event, site) : node;
}

/* The node of an event at a site that is no thread's. */
static inline struct node *object_node(const unf_unfolding *u, uint32_t event, uint32_t site) {
  struct node *node = other_node(u, event);
  return node->branch == SEVERAL ? unfi_node_of_several(u, event, site) : node;
}

/* The node of an event in the tree of a thread that it is of, or that it starts: such an event
 * writes no third site and carries nothing. */
static inline struct node thread_node(const unf_unfolding *u, uint32_t event, uint32_t site) {
  return action_of(u, event)->site == site ? *own_node(u, event) : *other_node(u, event);
}

static inline bool is_event(const struct event *e, const struct causes *causes) {
  return e->before == causes->before && e->action == causes->action &&
         e->follows == causes->follows;
}

uint32_t unfi_sibling_search(const unf_unfolding *u, const struct causes *causes);
/* The event with these causes, whose thread has started; NONE: it is not known. */
static inline uint32_t event_find(const unf_unfolding *u, const struct causes *causes) {
  uint32_t child = *child_at(u, causes->before), first = child & ~SIBLINGS;
  if (child == 0) return NONE;
  if (is_event(event_at(u, first), causes)) return first;
  return child & SIBLINGS ? unfi_sibling_search(u, causes) : NONE;
}

/* The event after that which was interned or found last: an execution that is performed again meets
 * its events in the order of their interning. 0: there is none. */
static inline uint32_t event_guess(const unf_unfolding *u) {
  uint32_t guess = u->store.latest + 1;
  return guess < u->store.count ? guess : 0;
}

/* event.c: interning of events. The causes must be possible and free of conflict. */
unf_status unfi_event_intern(unf_unfolding *u, const struct causes *causes, uint32_t *out);
uint32_t unfi_event_find(const unf_unfolding *u, const struct causes *causes);
/* As unfi_event_intern(), for an event that is known to be new. */
unf_status unfi_event_add(unf_unfolding *u, const struct causes *causes, uint32_t *out);
/* The slot of the first operation of the thread that an event creates; NULL: it creates none. */
uint32_t *unfi_start_slot(unf_unfolding *u, uint32_t event);
/* The slot of the operation of `thread` after `event`, which is its last (or its create, or ⊥). */
static inline uint32_t *unfi_next_slot(unf_unfolding *u, uint32_t thread, uint32_t event) {
  if (event == 0) return &u->threads.data[thread].first;
  struct event *e = event_at(u, event);
  bool own = u->actions.data[e->action].thread == thread;
  return own ? &e->next : unfi_start_slot(u, event);
}
/* Immediate predecessors, ascending, into room for as many as the bound; returns their number. */
uint32_t unfi_predecessors(const unf_unfolding *u, uint32_t event, uint32_t *out);
/* What it follows on each of its sites in turn, into the same room, in an order that names decide.
 * Some of the events may come before others. */
uint32_t unfi_followed_events(const unf_unfolding *u, uint32_t event, uint32_t *out);
uint32_t unfi_predecessor_bound(const unf_unfolding *u, uint32_t event);

/* The entry that an event follows on a site that it uses beside that of its thread. */
uint32_t unfi_entry_before(const unf_unfolding *u, uint32_t event, uint32_t site);

#endif
