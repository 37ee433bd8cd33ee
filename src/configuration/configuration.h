/* Configurations as arrays of cut entries by site, and the walks over their events. */
#ifndef CONFIGURATION_CONFIGURATION_H
#define CONFIGURATION_CONFIGURATION_H

#include <unfold/configuration.h>

#include "structure/cut.h"
#include "structure/event.h"
#include "structure/names.h"
#include "structure/sparse.h"

typedef VECTOR(uint32_t) handle_vector;

struct unf_configuration {
  unf_unfolding *u;
  uint32_t *entries; /* by site; sites beyond `room` are 0 */
  uint32_t room;
  uint32_t size;    /* events, ⊥ not counted */
  struct held held; /* with more room than FEW_SITES: where it may have entries */
};

/* Up to so many sites it is quicker to go through all of them. */
#ifdef UNF_PLAIN_ARENAS
#define FEW_SITES 4u
#else
#define FEW_SITES 1024u
#endif

/* Whether `held` says where it may have entries. */
static inline bool is_large(const unf_configuration *c) {
  return c->room > FEW_SITES;
}

/* Notes in `held` where an event is entered that has this action. */
void unfi_configuration_hold(unf_configuration *c, const struct action *a);

/* Frees what a configuration has. */
void unfi_configuration_end(unf_configuration *c);

static inline struct cut configuration_cut(const unf_configuration *c) {
  struct cut cut = {c->entries, c->room};
  return cut;
}

bool unfi_configuration_grow(unf_configuration *c);
/* Makes room for every site named so far; returns false when refused. */
static inline bool unfi_configuration_fit(unf_configuration *c) {
  return c->room >= c->u->sites.count || unfi_configuration_grow(c);
}

/* The last event of a thread in a cut; if it has none, its create, or ⊥ if it runs from there; NONE
 * if it has not started. */
static inline uint32_t cut_last(const unf_unfolding *u, struct cut cut, uint32_t thread) {
  const struct thread *t = &u->threads.data[thread];
  uint32_t last = cut_at(cut, t->site);
  return last != 0 || t->initial ? last : NONE;
}

/* The operation of a started thread after its last event; 0: it was not offered. */
static inline uint32_t next_after(unf_unfolding *u, uint32_t thread, uint32_t last) {
  return *unfi_next_slot(u, thread, last);
}

/* Adds an event whose causes are in the configuration and that is not in conflict with it. Room for
 * all sites was reserved. */
bool unfi_configuration_push(unf_configuration *c, uint32_t event);

/* Interns an action and fills in its causes after a cut; UNF_DISABLED if it cannot happen there. */
unf_status unfi_causes(unf_unfolding *u, struct cut cut, const unf_action *action,
                       struct causes *causes);

/* As unfi_causes(), for an action that is an outcome of its thread's operation there. Only a family
 * that a front-end registered is asked whether the action is possible; those of the library are
 * known to agree with their outcomes. */
unf_status unfi_causes_of_outcome(unf_unfolding *u, struct cut cut, const unf_action *action,
                                  struct causes *causes);

/* UNF_DIVERGENCE if an operation was offered for the thread of the action, which has started, and
 * the action is not one of that operation. */
unf_status unfi_check_offered(unf_unfolding *u, struct cut cut, const unf_action *action);

#endif
