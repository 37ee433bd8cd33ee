/*
 * The event structure.
 *
 * Site: a thread, an object, or a thread's place among the waiters of a condition variable, in one
 * numbering. An action uses sites in a mode; two actions depend on each other when they share a
 * site in modes that do not commute: WRITE with everything, READ and ADD each with all but their
 * own kind. The writes of a site form a tree under ⊥, its site tree; in any configuration they are
 * one path of it. A thread's own events write its site, create(t) writes the site of t, acquire and
 * release that of the mutex. A failed trylock reads a mutex, join reads the end of a thread.
 *
 * Layer: between two writes the uses of a site in a configuration fall into layers of one mode
 * each, everything in a layer after everything in the one below (an add and a read are always
 * ordered, so two reads have nested sets of adds before them). A layer is an interned record of
 * what is below it and of the last event of each thread in it.
 *
 * Cut of e: for each site the last write of it in [e], or, tagged, the topmost layer. Invariant:
 * causes have smaller handles than effects, so on one path the larger handle is the later event,
 * and the cut of a union is the elementwise maximum of writes.
 *
 * Most actions use one site beside their thread's or none, so the first use stands in the action
 * and what an event follows there in the event. Of several uses there is a list, and what an event
 * follows is a tuple of entries in its order.
 */
#ifndef STRUCTURE_UNFOLDING_H
#define STRUCTURE_UNFOLDING_H

#include <unfold/action.h>
#include <unfold/effect.h>
#include <unfold/event.h>
#include <unfold/thread.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"

#define NONE UINT32_MAX
/* Set in the entry of a cut that is a layer, and in what an event follows if that is a layer or a
 * tuple. */
#define READS_TAG 0x80000000u
/* Branch of the second node of an event that has several, see node_in(). */
#define SEVERAL (UINT32_MAX - 1)

#ifdef UNF_PLAIN_ARENAS
#define EVENT_SHIFT 0
#else
#define EVENT_SHIFT 12
#endif

/* How an action uses a site beside that of its own thread, which it always writes. */
enum access {
  ACCESS_NONE,
  ACCESS_WRITE,
  ACCESS_READ, /* unordered among themselves; a later write has them as causes */
  ACCESS_ADD,  /* unordered among themselves; ordered with reads and writes */
  ACCESS_END   /* reads a site that nobody uses in another mode any more, so no layer is kept */
};

struct use {
  uint32_t site;
  enum access access;
};

struct action {
  uint32_t kind, thread, target, second;
  uint32_t site;    /* of the thread */
  uint32_t count;   /* uses beside that */
  uint32_t uses;    /* several uses: their record, a struct use for each; else 0 */
  uint32_t written; /* the site of an only use, if that writes; else NONE */
  struct use first; /* the first use; its site is NONE if there is none */
  int64_t value;
};

/* With its two nodes 36 bytes, the bulk of all memory; see doc/architecture.md. */
struct event {
  uint32_t action;
  uint32_t cut;     /* record in `cuts`; may be that of an earlier event, see cut_entry() */
  uint32_t before;  /* last event of the own thread before it, the create, or ⊥ */
  uint32_t follows; /* entry that its only use follows, or the tuple of those that its uses follow;
                       0 with no use */
  uint32_t next;    /* operation of the own thread after it, 0: not known yet */
};

/* A thread that an event creates, and its first operation; 0: not known yet. */
struct start {
  uint32_t event, operation;
};

/* What is above the last write of a site, seen from the top. */
struct layer {
  uint32_t length; /* words after this one */
  uint32_t write;  /* the last write below */
  uint32_t floor;  /* entry that its members follow: the write, or a layer of another mode */
  uint32_t access;
  uint32_t members[]; /* by ascending site of their threads */
};

/* A node of a site tree. */
struct node {
  uint32_t branch, depth;
};

/* The nodes stand apart from the rest, because queries read them for many events of which they need
 * nothing else. */
struct event_chunk {
  struct event events[1u << EVENT_SHIFT];
  struct node own[1u << EVENT_SHIFT]; /* in the tree of the own thread */
  /* In the tree of the only site that it writes beside that; branch SEVERAL, and a record in
   * `nodes`, if it writes several or carries a value; branch NONE if it writes no other. */
  struct node other[1u << EVENT_SHIFT];
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
  uint32_t recent_action, recent_operation; /* of it, that were interned or found last; 0: none */
  bool initial;
};

struct object {
  uint64_t key;
  int64_t initial; /* value of a semaphore or location; arrivals that a round of a barrier needs */
  int64_t maximum; /* of a semaphore, if one was stated, or 0 */
  uint32_t object_class, creator, site;
  uint32_t waiters; /* of a condition variable: 1 + the first of them in `waiters`, or 0 */
  bool fixed;       /* the initial value was said or used */
  bool used;        /* of a semaphore: an action on it was named */
  /* Of a location that was placed: its bytes, those of `size` from `first` on in a space, and 1 +
   * its first cell in `cells`, or 0; of a space: 1 + its first cell, or 0. */
  uint64_t first;
  uint32_t size, space, cell, cells;
};

/* Bytes of a space that every location there has all or none of. */
struct memory_cell {
  uint64_t first, initial;
  uint32_t size, site, next; /* 1 + the next one of the space, by bytes, or 0 */
  uint32_t said;             /* bytes whose initial value was said */
  bool used;                 /* by an action */
};

/* The place of a thread among those that wait at a condition variable. */
struct waiter {
  uint32_t thread, site, next; /* 1 + the next one of the object, or 0 */
};

#define FAMILY_NAME 32
/* A family of the front-end's own. */
struct custom {
  unf_effect effect; /* its name is the copy */
  char name[FAMILY_NAME];
};

/* What an action follows on its sites: the whole of its causes, so the key for interning. The
 * fields are those of an event. */
struct causes {
  uint32_t action, before, follows;
};

typedef VECTOR(struct use) use_vector;

/* Somebody who keeps handles of events, and is told when they change: `now` has the new one by the
 * old one, 0 for an event that is given back. The old events can be looked at for the last time. */
struct holder {
  void (*renumber)(void *user, const uint32_t *now);
  void *user;
  struct holder *next;
};

struct effect_table;

struct unf_unfolding {
  unf_context *context;
  struct effect_table *effects;
  uint32_t skip_step;
  bool uncounted; /* its events are none of the context's, whose limits leave it alone */
  VECTOR(struct event_chunk *) events;
  uint32_t event_count; /* ⊥ included */
  struct table event_table;
  uint32_t latest;    /* event that was interned or found last */
  struct arena cuts;  /* records: number of entries, then entries by site */
  struct arena reads; /* layers, tuples and sets of threads: their length, then their words */
  struct table reads_table;
  struct arena uses;    /* of actions with several */
  struct arena nodes;   /* a node for each site that an event writes, in their order, and what the
                           event carries */
  uint32_t nodes_taken; /* record for the event that is being interned, or 0 */
  VECTOR(struct start) starts;
  struct table start_table; /* by event */
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
  VECTOR(struct waiter) waiters;
  VECTOR(struct memory_cell) cells;
  VECTOR(uint32_t)
  said; /* objects, each time that a place, an initial value or a maximum was said of one */
  VECTOR(struct custom) customs;
  VECTOR(uint32_t) sets; /* of threads: their rows in `reads` */
  struct table set_table;
  VECTOR(uint64_t) cookies;      /* by event, as far as any was set */
  VECTOR(uint64_t) fingerprints; /* two by event, as far as asked for */
  VECTOR(uint32_t) scratch;      /* a cut under construction */
  VECTOR(uint32_t) scratch_reads;
  VECTOR(uint32_t) scratch_entries;
  use_vector scratch_uses;
  struct holder *holders;
  uint32_t fixed; /* explorers and tables that keep handles and are not told when they change */
  bool changing;  /* an explorer gives events back */
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

/* The entry of a site in the cut of an event. A record may be shared by the following events of the
 * thread: what an event writes itself counts before the record. */
static inline uint32_t cut_entry(const unf_unfolding *u, uint32_t event, uint32_t site) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  if (a->site == site || a->written == site) return event;
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  return site < record[0] ? record[1 + site] : 0;
}

/* The same for many sites of one event, or what a cut has there, without asking each time where it
 * stands. */
struct view {
  const uint32_t *entries;
  uint32_t count, own, written, event; /* of an event: its sites, which count before the entries */
};

static inline struct view view_event(const unf_unfolding *u, uint32_t event) {
  const struct event *e = event_at(u, event);
  const struct action *a = &u->actions.data[e->action];
  const uint32_t *record = arena_at(&u->cuts, e->cut);
  struct view view = {record + 1, record[0], a->site, a->written, event};
  return view;
}

static inline uint32_t view_at(const struct view *view, uint32_t site) {
  if (site == view->own || site == view->written) return view->event;
  return site < view->count ? view->entries[site] : 0;
}

/* A cut held as an array by site, such as that of a configuration. */
struct cut {
  const uint32_t *entries;
  uint32_t count;
};

static inline uint32_t cut_at(struct cut cut, uint32_t site) {
  return site < cut.count ? cut.entries[site] : 0;
}

/* An interned row of words behind its length. */
static inline const uint32_t *tuple_at(const unf_unfolding *u, uint32_t entry) {
  return arena_at(&u->reads, entry & ~READS_TAG);
}

static inline const struct layer *layer_at(const unf_unfolding *u, uint32_t entry) {
  return (const struct layer *)tuple_at(u, entry);
}

static inline uint32_t layer_count(const struct layer *layer) {
  return layer->length - 3;
}

/* The entries that an action follows, in the order of its uses; *count of them. */
static inline const uint32_t *followed_by(const unf_unfolding *u, uint32_t action,
                                          const uint32_t *follows, uint32_t *count) {
  *count = u->actions.data[action].count;
  return *count <= 1 ? follows : tuple_at(u, *follows) + 1;
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

/* The last write of an entry. */
static inline uint32_t entry_write(const unf_unfolding *u, uint32_t entry) {
  return entry & READS_TAG ? layer_at(u, entry)->write : entry;
}

/* The uses of an action beside its thread's; *count of them. An only one moves with the table of
 * actions. */
static inline const struct use *uses_of(const unf_unfolding *u, const struct action *a,
                                        uint32_t *count) {
  *count = a->count;
  return a->uses == 0 ? &a->first : (const struct use *)arena_at(&u->uses, a->uses);
}

static inline bool known_event(const unf_unfolding *u, uint32_t event) {
  return event < u->event_count;
}

/* unfolding.c: ⊥ and the records 0 of what belongs to events; false: refused. The whole of it. */
bool unfi_events_begin(unf_unfolding *u);
void unfi_events_free(unf_unfolding *u);
/* Counts one more that keeps handles; `gives` that it changes them, which needs to be alone. */
unf_status unfi_fix(unf_unfolding *u, bool gives);

/* names.c: interning of threads, objects, actions, operations. */
unf_status unfi_action_intern(unf_unfolding *u, const unf_action *action, uint32_t *out);
unf_status unfi_operation_intern(unf_unfolding *u, const unf_operation *operation, uint32_t *out);
bool unfi_is_operation(const unf_unfolding *u, uint32_t index, const unf_operation *operation);
unf_action unfi_action(const unf_unfolding *u, uint32_t action);
/* The waiters' site of a thread at a condition variable, made when it is new; NONE: refused. */
uint32_t unfi_waiter_site(unf_unfolding *u, uint32_t condition, uint32_t thread);
const char *unfi_class_text(unf_object_class object_class);
struct text;
/* Class, creator and key of an object. */
void unfi_text_object(struct text *text, const unf_unfolding *u, uint32_t object);
/* Room for some sites more; a site, where there is room. */
bool unfi_reserve_sites(unf_unfolding *u, uint32_t count);
uint32_t unfi_add_site(unf_unfolding *u, uint32_t subject, bool is_thread);
void unfi_names_free(unf_unfolding *u);

/* cells.c: sets the initial value of a location that was placed; false: some of its bytes have
 * another one. */
bool unfi_cells_initial(unf_unfolding *u, uint32_t location, int64_t value);
/* An action uses all bytes of a location, which need not have been placed. */
void unfi_cells_use(unf_unfolding *u, uint32_t location);
/* The same bytes of a space as in another unfolding, where it is cut into the same cells. */
void unfi_cells_copy(unf_unfolding *u, const unf_unfolding *from, uint32_t space);

/* The cells of a location that was placed, by their bytes. */
static inline struct memory_cell *first_cell(const unf_unfolding *u, const struct object *o) {
  return o->cell == 0 ? NULL : &u->cells.data[o->cell - 1];
}

/* Whether others have a part of its bytes. */
static inline bool has_several_cells(const unf_unfolding *u, const struct object *o) {
  const struct memory_cell *c = first_cell(u, o);
  return c != NULL && c->size != o->size;
}

static inline struct memory_cell *next_cell(const unf_unfolding *u, const struct object *o,
                                            const struct memory_cell *c) {
  bool last = c->next == 0 || u->cells.data[c->next - 1].first >= o->first + o->size;
  return last ? NULL : &u->cells.data[c->next - 1];
}

/* sets.c: the members of a set of threads, ascending; NULL for the empty set, and for none. */
const uint32_t *unfi_set(const unf_unfolding *u, int64_t set, uint32_t *count);
/* Interns all sets in an unfolding that has none, under the same numbers; false: refused. */
bool unfi_sets_copy(const unf_unfolding *from, unf_unfolding *to);

/* tree.c: site trees. */
bool unfi_ancestor_far(const unf_unfolding *u, struct node a, struct node b);
struct node unfi_tree_add(unf_unfolding *u, struct node parent);
/* Room for two more branches, and for others. */
bool unfi_tree_reserve(unf_unfolding *u, uint32_t others);

/* Whether node a is node b or above it. */
static inline bool ancestor(const unf_unfolding *u, struct node a, struct node b) {
  return a.depth <= b.depth && (a.branch == b.branch || unfi_ancestor_far(u, a, b));
}

/* The value that its family gave an event to carry, see effect.h. */
int64_t unfi_carried(const unf_unfolding *u, uint32_t event);
struct node unfi_node_of_several(const unf_unfolding *u, uint32_t event, uint32_t site);

/* The node of an event in the tree of a site that it writes. */
static inline struct node node_in(const unf_unfolding *u, uint32_t event, uint32_t site) {
  bool own = u->sites.data[site].is_thread && action_of(u, event)->site == site;
  struct node node = own ? *own_node(u, event) : *other_node(u, event);
  return node.branch == SEVERAL ? unfi_node_of_several(u, event, site) : node;
}

/* event.c: interning of events. The causes must be possible and free of conflict. */
unf_status unfi_event_intern(unf_unfolding *u, const struct causes *causes, uint32_t *out);
uint32_t unfi_event_find(const unf_unfolding *u, const struct causes *causes);
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
 * Some of these may come before others. */
uint32_t unfi_followed_events(const unf_unfolding *u, uint32_t event, uint32_t *out);
uint32_t unfi_predecessor_bound(const unf_unfolding *u, uint32_t event);

/* cut.c: cuts and read sets. */
/* Merges the cut of an event, itself included, into an array that has room for all sites; false:
 * refused. */
bool unfi_cut_merge(unf_unfolding *u, uint32_t *entries, uint32_t event);
/* The entry of both, for two that are compatible; false: refused. */
bool unfi_entry_merge(unf_unfolding *u, uint32_t a, uint32_t b, uint32_t *out);
/* The entry after one more use of the site, which replaces an earlier one of its thread in the same
 * layer; false: refused. */
bool unfi_entry_add(unf_unfolding *u, uint32_t entry, enum access access, uint32_t event,
                    uint32_t thread_site, uint32_t *out);
/* The layer of members by ascending site over a floor; no members give the floor itself; false:
 * refused. */
bool unfi_layer_intern(unf_unfolding *u, uint32_t floor, enum access access,
                       const uint32_t *members, uint32_t count, uint32_t *out);
/* The interned row of these words, tagged; false: refused. */
bool unfi_tuple_intern(unf_unfolding *u, const uint32_t *words, uint32_t count, uint32_t *out);
uint64_t unfi_reads_hash(const void *unfolding, uint32_t entry);
/* What a use follows of the entry of its site. */
uint32_t unfi_followed(const unf_unfolding *u, uint32_t entry, enum access access);
/* Merges the cut of everything at the top of an entry into an array by site; false: refused. */
bool unfi_cut_merge_entry(unf_unfolding *u, uint32_t *entries, uint32_t entry);
/* Enters the uses of an event into a cut that has its causes; false: refused. */
bool unfi_cut_enter(unf_unfolding *u, uint32_t *entries, uint32_t event,
                    const struct action *action);
/* The tuple that an action with several uses would follow after a cut; false: refused. */
bool unfi_follow_several(unf_unfolding *u, struct cut cut, const struct action *action,
                         uint32_t *follows);
/* Fills in what an action would follow after a cut beside its thread; false: refused. */
static inline bool unfi_follow(unf_unfolding *u, struct cut cut, const struct action *a,
                               struct causes *out) {
  out->follows = 0;
  if (a->count > 1) return unfi_follow_several(u, cut, a, &out->follows);
  if (a->count == 1) out->follows = unfi_followed(u, cut_at(cut, a->first.site), a->first.access);
  return true;
}
/* The entry that an event follows on a site that it uses beside that of its thread. */
uint32_t unfi_entry_before(const unf_unfolding *u, uint32_t event, uint32_t site);
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
/* Whether two uses of one site do not commute. */
static inline bool access_dependent(enum access a, enum access b) {
  return a == ACCESS_WRITE || b == ACCESS_WRITE || a != b;
}
bool unfi_dependent_several(const unf_unfolding *u, const struct action *a, const struct action *b);
static inline bool unfi_dependent(const unf_unfolding *u, const struct action *a,
                                  const struct action *b) {
  if (a->site == b->site || a->first.site == b->site || b->first.site == a->site) return true;
  if ((a->uses | b->uses) != 0) return unfi_dependent_several(u, a, b);
  return a->first.site == b->first.site && access_dependent(a->first.access, b->first.access);
}
/* How an action uses a site beside that of its thread; NONE if it does not. */
enum access unfi_access(const unf_unfolding *u, const struct action *a, uint32_t site);

#endif
