/*
 * The event structure.
 *
 * Site: a thread, an object, or a thread's place where threads wait until others notify them, in
 * one numbering. An action uses sites in a mode; two actions depend on each other when they share a
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

#include <unfold/event.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/vector.h"
#include "structure/index.h"

#define NONE UINT32_MAX

/* Functions for less common cases that are kept out of one for all, so that it has few registers
 * to save. */
#define APART __attribute__((noinline)) static
/* Functions that are a part of each that calls them: of those that are called most. */
#define WITHIN __attribute__((always_inline)) static inline

/* Actions, and operations, that are found without their table. */
#define RECENT_ACTIONS 256u

/* Somebody who keeps handles of events, and is called when they change: `now` has the new one by
 * the old one, 0 for an event that is freed. The old events can be looked at for the last time. */
struct holder {
  void (*renumber)(void *user, const uint32_t *now);
  void *user;
  struct holder *next;
};

/* A layer that came of an entry and an event: what is entered by it in a mode, or, left out, what
 * is left of a site without it. All zero: none. */
struct recent_layer {
  uint32_t event, entry, how, after;
};
/* Each event has some places, one after the other. */
#define RECENT_LAYERS 512u
#define RECENT_PLACES 4u

struct gathering;

/* What belongs to the events: made anew beside the old, and put in its place as a whole, when some
 * of them are freed (compaction.c). */
struct store {
  VECTOR(struct event_chunk *) chunks;
  uint32_t count;  /* of events, ⊥ included */
  uint32_t latest; /* event that was interned or found last */
  struct index index;
  struct arena cuts; /* blocks of records */
  struct arena rows; /* interned words behind their number: layers, tuples, sets of threads */
  VECTOR(uint32_t) row_list; /* where they are */
  struct table row_table;    /* of their numbers, from 1 */
  /* Layers that were made lately, by what they were made of; see recent_layer(). */
  struct recent_layer recent_layers[RECENT_LAYERS];
  struct arena nodes;   /* a node for each site that an event writes, in their order, and what the
                           event carries */
  uint32_t nodes_taken; /* record for the event that is being interned, or 0 */
  VECTOR(struct start) starts;
  struct table start_table; /* by event */
  VECTOR(struct branch) branches;
  VECTOR(uint32_t) roots; /* by site: branch that begins at ⊥ */
  /* A bit by site, BLOCK of them in a word: whether cuts that differ there are compared. */
  VECTOR(uint32_t) compared;
  VECTOR(uint32_t) sets;         /* of threads: their rows */
  struct table set_table;        /* by row */
  VECTOR(uint64_t) cookies;      /* by event, as far as any was set */
  VECTOR(uint64_t) fingerprints; /* two by event, as far as asked for */
  /* For a row, entries and slots under construction. */
  VECTOR(struct slot) slot_room;
  struct gathering *gathering; /* for a record under construction; NULL: none was needed so far */
  VECTOR(uint32_t) row_room;
  VECTOR(uint32_t) entry_room;
};

struct unf_unfolding {
  unf_context *context;
  struct effect_table *effects;
  uint32_t skip_step;
  bool uncounted; /* its events are none of the context's, whose limits leave it alone */
  struct store store;
  VECTOR(struct action) actions;
  struct table action_table;
  uint32_t recent_actions[RECENT_ACTIONS]; /* see action_find() */
  uint32_t recent_operations[RECENT_ACTIONS];
  struct arena uses;           /* of actions with several */
  VECTOR(struct use) use_room; /* for those of an action, or of what an operation concerns */
  VECTOR(unf_operation) operations;
  struct table operation_table;
  VECTOR(struct site) sites;
  VECTOR(struct thread) threads;
  struct table thread_table;
  VECTOR(struct object) objects;
  struct table object_table;
  VECTOR(struct waiter) waiters;
  VECTOR(struct part) parts;
  struct table part_table; /* by object and number */
  VECTOR(struct memory_cell) cells;
  struct table cell_table; /* by their space and first byte */
  /* Objects, each time that a place, an initial value or a maximum was said of one. */
  VECTOR(uint32_t) said;
  VECTOR(struct custom) customs;
  struct consistency *consistency; /* NULL: everything is consistent, and there are no branches */
  struct holder *holders;
  uint32_t fixed; /* explorers and tables that keep handles and are not called when they change */
  bool changing;  /* an explorer frees events */
};

static inline bool known_event(const unf_unfolding *u, uint32_t event) {
  return event < u->store.count;
}

/* The store of ⊥ alone, with the trees of the sites that there are. Returns false when refused. */
bool unfi_store_begin(unf_unfolding *u);
void unfi_store_free(unf_unfolding *u);
/* Counts one more that keeps handles; `frees` that it changes them, which needs to be alone. */
unf_status unfi_fix(unf_unfolding *u, bool frees);

struct effect_family;
/* Makes an unfolding with these families; unf_unfolding_new() supplies the library's own. */
unf_status unfi_unfolding_new(unf_context *context, const unf_unfolding_options *options,
                              const struct effect_family *const *families, uint32_t count,
                              unf_unfolding **out);

#endif
