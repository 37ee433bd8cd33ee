/* Configurations as arrays of cut entries by site, and the walks over their events. */
#ifndef CONFIGURATION_CONFIGURATION_H
#define CONFIGURATION_CONFIGURATION_H

#include <unfold/configuration.h>

#include "structure/cut.h"
#include "structure/event.h"
#include "structure/names.h"

typedef VECTOR(uint32_t) handle_vector;

struct unf_configuration {
  unf_unfolding *u;
  uint32_t *entries; /* by site; sites beyond `room` are 0 */
  uint32_t room;
  uint32_t size; /* events, ⊥ not counted */
};

static inline struct cut configuration_cut(const unf_configuration *c) {
  struct cut cut = {c->entries, c->room};
  return cut;
}

/* Room for every site named so far; false: refused. */
bool unfi_configuration_fit(unf_configuration *c);

/* Last event of a thread in a cut: its own, its create, ⊥ for one that runs from there;
 * NONE: not started. */
static inline uint32_t cut_last(const unf_unfolding *u, struct cut cut, uint32_t thread) {
  const struct thread *t = &u->threads.data[thread];
  uint32_t last = cut_at(cut, t->site);
  return last != 0 || t->initial ? last : NONE;
}

/* The operation of a started thread after its last event; 0: not known. */
static inline uint32_t next_after(unf_unfolding *u, uint32_t thread, uint32_t last) {
  return *unfi_next_slot(u, thread, last);
}

/* Appends the events of a cut that are not in `base`, ascending; false: refused
 * (nothing is appended). */
bool unfi_cut_events(const unf_unfolding *u, struct cut cut, struct cut base, handle_vector *out);

/* Adds an event whose causes are in it and that is not in conflict with it; room is there
 * for all sites. */
bool unfi_configuration_push(unf_configuration *c, uint32_t event);

/* The causes of an action after a cut, its action interned; UNF_DISABLED if it
 * cannot happen there. */
unf_status unfi_causes(unf_unfolding *u, struct cut cut, const unf_action *action,
                       struct causes *causes);

/* The same for an outcome of an operation there. Only a front-end's own family is asked once more:
 * the library's agree with themselves. */
unf_status unfi_causes_of_outcome(unf_unfolding *u, struct cut cut, const unf_action *action,
                                  struct causes *causes);

/* Records an operation after an event of a thread; at `step` of an execution, for the
 * detail (0: none). */
unf_status unfi_offer(unf_unfolding *u, uint32_t thread, uint32_t last,
                      const unf_operation *operation, uint64_t step);

/* Whether an action is one that the operation offered for its (started) thread, if any, can have;
 * else UNF_DIVERGENCE. */
unf_status unfi_check_offered(unf_unfolding *u, struct cut cut, const unf_action *action);

/* Errors with their place. */
unf_status unfi_missing(unf_unfolding *u, uint32_t thread);
void unfi_detail_actions(unf_unfolding *u, const unf_action *expected, const unf_action *seen);

#endif
