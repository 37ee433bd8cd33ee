/* Actions and operations, interned, and the sites that an action uses. */
#ifndef STRUCTURE_ACTION_H
#define STRUCTURE_ACTION_H

#include <string.h>
#include <unfold/action.h>

#include "structure/unfolding.h"

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

/* Of the number of uses of an action. */
#define USES_BITS 24
#define MOST_USES ((1u << USES_BITS) - 1)

/* Behind the record of more uses than these are their numbers in the order of their sites, and for
 * each use how many in front of it write. */
#ifdef UNF_PLAIN_ARENAS /* as in small programs of tests */
#define FEW_USES 2
#else
#define FEW_USES 8
#endif

struct action {
  /* As in unf_action, with which these are compared as a whole. */
  uint32_t kind, thread, target, second;
  int64_t value;
  uint32_t site;              /* of the thread */
  uint32_t count : USES_BITS; /* uses beside that */
  bool on_object : 1;         /* its target is an object */
  bool layered : 1;     /* uses several, or in a layer: its events are in their own records there */
  bool carries : 1;     /* its events carry a value, see unfi_carried() */
  bool starts : 1;      /* writes the site of another thread */
  bool decided : 1;     /* what it follows, at one site at most, decides whether it can happen */
  bool conflicting : 1; /* its family computes conflicting extensions on its own */
  bool meets : 1;   /* that, or whatever its operation can be instead uses its only object too */
  bool sole : 1;    /* see struct action_row */
  uint32_t uses;    /* several uses: their record, a struct use for each, see FEW_USES; else 0 */
  uint32_t written; /* the site of an only use, if that writes; else NONE */
  struct use first; /* the first use; its site is NONE if there is none */
};

_Static_assert(offsetof(struct action, value) == offsetof(unf_action, value) &&
                   offsetof(struct action, site) == sizeof(unf_action) &&
                   sizeof(struct action) == 48,
               "an action begins as what it was named by");

/* The uses of an action beside its thread's; *count of them. An only one moves with the table of
 * actions. */
static inline const struct use *uses_of(const unf_unfolding *u, const struct action *a,
                                        uint32_t *count) {
  *count = a->count;
  return a->uses == 0 ? &a->first : (const struct use *)arena_at(&u->uses, a->uses);
}

/* The number of an action's use of a site beside its thread's, or how many there are if it does not
 * use it; O(log of that). */
uint32_t unfi_use_of(const unf_unfolding *u, const struct action *a, uint32_t site);
/* How many of the uses in front of one write. */
uint32_t unfi_writes_before(const unf_unfolding *u, const struct action *a, uint32_t use);

/* Whether two uses of one site do not commute. */
static inline bool access_dependent(enum access a, enum access b) {
  return a == ACCESS_WRITE || b == ACCESS_WRITE || a != b;
}

bool unfi_dependent_several(const unf_unfolding *u, const struct action *a, const struct action *b);
/* Whether two actions depend on each other. Only an only use is of the site of a thread. */
static inline bool unfi_dependent(const unf_unfolding *u, const struct action *a,
                                  const struct action *b) {
  if (a->site == b->site || a->first.site == b->site || b->first.site == a->site) return true;
  if ((a->uses | b->uses) != 0) return unfi_dependent_several(u, a, b);
  return a->first.site == b->first.site && access_dependent(a->first.access, b->first.access);
}

/* How an action uses a site beside that of its thread; NONE if it does not. */
enum access unfi_access(const unf_unfolding *u, const struct action *a, uint32_t site);

static inline bool is_action(const unf_unfolding *u, uint32_t index, const unf_action *action) {
  return memcmp(&u->actions.data[index], action, sizeof *action) == 0;
}

uint32_t unfi_action_search(const unf_unfolding *u, const unf_action *action);

/* An action that was interned, or 0. The same few are asked for again and again, so the last ones
 * stand at places of their own. */
static inline uint32_t action_find(unf_unfolding *u, const unf_action *action) {
  uint32_t place = (uint32_t)action->kind + 13 * action->thread + 37 * action->target;
  uint32_t *recent = &u->recent_actions[place % RECENT_ACTIONS];
  if (!is_action(u, *recent, action)) *recent = unfi_action_search(u, action);
  return *recent;
}

/* What is wrong with it by itself; and its handle, from when on what it uses is fixed. */
unf_status unfi_action_check(unf_unfolding *u, const unf_action *action);
unf_status unfi_action_intern(unf_unfolding *u, const unf_action *action, uint32_t *out);
/* The last operations that were interned or found have places of their own too. */
unf_status unfi_operation_intern(unf_unfolding *u, const unf_operation *operation, uint32_t *out);
/* The records 0 of the tables, which are none. Returns false when refused. */
bool unfi_actions_begin(unf_unfolding *u);
void unfi_actions_free(unf_unfolding *u);

/* Copies an action that was just written, by fields: what was written in parts is slow to read as a
 * whole. (Volatile: a compiler would read it as a whole.) */
static inline void action_copy(unf_action *to, const volatile unf_action *from) {
  to->kind = from->kind;
  to->thread = from->thread;
  to->target = from->target;
  to->second = from->second;
  to->value = from->value;
}

/* The fields of an interned action. */
static inline unf_action unfi_action(const unf_unfolding *u, uint32_t action) {
  unf_action out;
  memcpy(&out, &u->actions.data[action], sizeof out);
  return out;
}

/* Whether an interned operation is this one. */
static inline bool is_operation(const unf_unfolding *u, uint32_t index,
                                const unf_operation *operation) {
  const unf_operation *o = &u->operations.data[index];
  return o->kind == operation->kind && o->target == operation->target &&
         o->second == operation->second && o->low == operation->low && o->high == operation->high;
}

#endif
