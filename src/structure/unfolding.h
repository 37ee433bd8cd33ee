/*
 * The event structure.
 *
 * Site: a thread or an object, in one numbering. The events that write to a site form a tree under
 * ⊥, its site tree; in any configuration they are one path of it. A thread's own events write to
 * its site, create(t) writes to the site of t, acquire and release to the site of the mutex. A
 * failed trylock reads a mutex, join reads the end of a thread. Two actions depend on each other
 * when they share a site that one of them writes.
 *
 * Cut of e: for each site the last write of it in [e]. A mutex with failed trylocks after its last
 * write has a tagged read set instead: the write and the last read of each thread. Invariant:
 * causes have smaller handles than effects, so on one path the larger handle is the later event,
 * and the cut of a union is the elementwise maximum.
 */
#ifndef STRUCTURE_UNFOLDING_H
#define STRUCTURE_UNFOLDING_H

#include <unfold/action.h>
#include <unfold/event.h>
#include <unfold/thread.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"

#define NONE UINT32_MAX
/* Set in the entry of a cut that is a read set. */
#define READS_TAG 0x80000000u

#ifdef UNF_PLAIN_ARENAS
#define EVENT_SHIFT 0
#else
#define EVENT_SHIFT 12
#endif

/* How an action uses its second site; the first is that of its own thread, which it always writes.
 */
enum access {
  ACCESS_NONE,
  ACCESS_WRITE,
  ACCESS_READ, /* unordered among themselves; a later write has them as causes */
  ACCESS_END   /* reads a site that nobody writes any more */
};

struct action {
  uint32_t kind, thread, target;
  uint32_t site;  /* of the thread */
  uint32_t other; /* second site, or NONE */
  uint32_t write; /* the second site if it is written, or NONE */
  int64_t value;
};

/* With its two nodes 40 bytes, the bulk of all memory; see doc/architecture.md. */
struct event {
  uint32_t action;
  uint32_t
      cut; /* record in `cuts`; may be that of an earlier event of the thread, see cut_entry() */
  uint32_t before;       /* last event of the own thread before it, the create, or ⊥ */
  uint32_t other_before; /* last write of the second site before it; 0 if it has none */
  uint32_t reads; /* read set after other_before, or 0; for create: operation of the new thread */
  uint32_t next;  /* operation of the own thread after it, 0: not known yet */
};

/* A node of a site tree. */
struct node {
  uint32_t branch, depth;
};

/* The nodes stand apart from the rest, because queries read them for many events of which they need
 * nothing else. */
struct event_chunk {
  struct event events[1u << EVENT_SHIFT];
  struct node own[1u << EVENT_SHIFT];   /* in the tree of the own thread */
  struct node other[1u << EVENT_SHIFT]; /* in the tree of the second site, if that is written; else
                                           branch NONE */
};

/* A path of a site tree without forks; the first child of a node continues its branch, every other
 * begins one. */
struct branch {
  uint32_t parent;     /* branch it left, NONE for the root */
  uint32_t fork_depth; /* depth of the node on the parent that it left */
  uint32_t tip_depth;  /* of its last node */
  uint32_t level;      /* number of forks above it */
  uint32_t jump;       /* an ancestor branch further up, or the parent */
};

struct site {
  uint32_t root;    /* branch that begins at ⊥ */
  uint32_t subject; /* thread or object handle */
  bool is_thread;
  bool compared; /* in `compared` */
};

struct thread {
  uint32_t parent, index, site;
  uint32_t first; /* operation at ⊥, for a thread that runs from there */
  bool initial;
};

struct object {
  uint64_t key;
  uint32_t object_class, creator, site;
};

/* What an action follows on its two sites: the whole of its causes, so the key for interning. */
struct causes {
  uint32_t action, before, other_before, reads;
};

struct effect_table;

struct unf_unfolding {
  unf_context *context;
  const struct effect_table *effects;
  uint32_t skip_step;
  VECTOR(struct event_chunk *) events;
  uint32_t event_count; /* ⊥ included */
  struct table event_table;
  uint32_t latest;    /* event that was interned or found last */
  struct arena cuts;  /* records: number of entries, then entries by site */
  struct arena reads; /* records: write, number of reads, reads by ascending site */
  struct table reads_table;
  VECTOR(struct branch) branches;
  VECTOR(struct site) sites;
  VECTOR(uint32_t)
  compared; /* sites that a conflict can show in: objects, and threads whose tree forked by itself
             */
  VECTOR(struct action) actions;
  struct table action_table;
  VECTOR(unf_operation) operations;
  struct table operation_table;
  VECTOR(struct thread) threads;
  struct table thread_table;
  VECTOR(struct object) objects;
  struct table object_table;
  VECTOR(uint64_t) cookies;      /* by event, as far as any was set */
  VECTOR(uint64_t) fingerprints; /* two by event, as far as asked for */
  VECTOR(uint32_t) scratch;      /* a cut under construction */
  VECTOR(uint32_t) scratch_reads;
};

static inline struct event *event_at(const unf_unfolding *u, uint32_t event) {
  return &u->events.data[event >> EVENT_SHIFT]->events[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline struct node *own_node(const unf_unfolding *u, uint32_t event) {
  return &u->events.data[event >> EVENT_SHIFT]->own[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline struct node *other_node(const unf_unfolding *u, uint32_t event) {
  return &u->events.data[event >> EVENT_SHIFT]->other[event & ((1u << EVENT_SHIFT) - 1)];
}

static inline const struct action *action_of(const unf_unfolding *u, uint32_t event) {
  return &u->actions.data[event_at(u, event)->action];
}

/* Last write of a site in [event], or a tagged read set, or 0. A record may be shared by the
   following events of the thread: what an event writes itself counts before the record. */
static inline uint32_t cut_entry(const unf_unfolding *u, uint32_t event, uint32_t site) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->site == site || a->write == site) return event;
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  return site < record[0] ? record[1 + site] : 0;
}

/* A cut held as an array by site, such as that of a configuration. */
struct cut {
  const uint32_t *entries;
  uint32_t count;
};

static inline uint32_t cut_at(struct cut cut, uint32_t site) {
  return site < cut.count ? cut.entries[site] : 0;
}

static inline const uint32_t *reads_at(const unf_unfolding *u, uint32_t entry) {
  return arena_at(&u->reads, entry & ~READS_TAG);
}

/* The last write of an entry. */
static inline uint32_t entry_write(const unf_unfolding *u, uint32_t entry) {
  return entry & READS_TAG ? reads_at(u, entry)[0] : entry;
}

static inline bool known_event(const unf_unfolding *u, uint32_t event) {
  return event < u->event_count;
}

/* names.c: interning of threads, objects, actions, operations. */
unf_status unfi_action_intern(unf_unfolding *u, const unf_action *action, uint32_t *out);
unf_status unfi_operation_intern(unf_unfolding *u, const unf_operation *operation, uint32_t *out);
unf_action unfi_action(const unf_unfolding *u, uint32_t action);
void unfi_names_free(unf_unfolding *u);

/* tree.c: site trees. */
bool unfi_ancestor_far(const unf_unfolding *u, struct node a, struct node b);
struct node unfi_tree_add(unf_unfolding *u, struct node parent);
/* Room for two more branches. */
bool unfi_tree_reserve(unf_unfolding *u);

/* Whether node a is node b or above it. */
static inline bool ancestor(const unf_unfolding *u, struct node a, struct node b) {
  return a.depth <= b.depth && (a.branch == b.branch || unfi_ancestor_far(u, a, b));
}

/* The node of an event in the tree of a site that it writes. */
static inline struct node node_in(const unf_unfolding *u, uint32_t event, uint32_t site) {
  bool own = u->sites.data[site].is_thread && action_of(u, event)->site == site;
  return own ? *own_node(u, event) : *other_node(u, event);
}

/* event.c: interning of events. The causes must be possible and free of conflict. */
unf_status unfi_event_intern(unf_unfolding *u, const struct causes *causes, uint32_t *out);
uint32_t unfi_event_find(const unf_unfolding *u, const struct causes *causes);
/* The slot of the operation of `thread` after `event`, which is its last (or its create, or ⊥). */
uint32_t *unfi_next_slot(unf_unfolding *u, uint32_t thread, uint32_t event);
/* Immediate predecessors, ascending, into a vector's worth of room of at least 2 + reads; returns
 * their number. */
uint32_t unfi_predecessors(const unf_unfolding *u, uint32_t event, uint32_t *out);
uint32_t unfi_predecessor_bound(const unf_unfolding *u, uint32_t event);

/* cut.c: cuts and read sets. */
/* Merges the cut of an event, itself included, into an array that has room for all sites; false:
 * refused. */
bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event);
/* The entry of both, for two that are compatible; false: refused. */
bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out);
/* The read set `entry` with one more read, which replaces an earlier one of its thread; false:
 * refused. */
bool unfi_reads_add(unf_unfolding *u, uint32_t entry, uint32_t read, uint32_t read_site,
                    uint32_t *out);
/* Interns the read set of a write and reads by ascending site; 0 reads give the write itself;
 * false: refused. */
bool unfi_reads_intern(unf_unfolding *u, uint32_t write, const uint32_t *reads, uint32_t count,
                       uint32_t *out);
uint64_t unfi_reads_hash(const void *unfolding, uint32_t entry);
/* Chooses or makes the record of a new event; false: refused. */
bool unfi_cut_record(unf_unfolding *u, uint32_t event, const struct causes *causes, uint32_t *out);

/* relation.c */
bool unfi_precedes(const unf_unfolding *u, uint32_t a, uint32_t b);
bool unfi_conflict(const unf_unfolding *u, uint32_t a, uint32_t b);
/* Whether two writes of a site are on different branches of its tree. */
bool unfi_diverge(const unf_unfolding *u, uint32_t site, uint32_t x, uint32_t y);
/* Whether [event] and the configuration with this cut are not one configuration. */
bool unfi_conflict_cut(const unf_unfolding *u, struct cut cut, uint32_t event);
/* Whether the two cuts together are no configuration. */
bool unfi_conflict_cuts(const unf_unfolding *u, struct cut a, struct cut b);
/* Whether the event is in the configuration with this cut. */
bool unfi_in_cut(const unf_unfolding *u, struct cut cut, uint32_t event);
bool unfi_dependent(const struct action *a, const struct action *b);

#endif
