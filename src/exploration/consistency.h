/*
 * What an explorer asks the predicate of its unfolding. A step that was decided by an alternative
 * or a wakeup tree is never asked about again: a solver that gave up once might answer otherwise,
 * and the branch would be lost.
 */
#ifndef EXPLORATION_CONSISTENCY_H
#define EXPLORATION_CONSISTENCY_H

#include <unfold/explore.h>

#include "configuration/configuration.h"
#include "structure/consistency.h"

struct consistent {
  handle_vector events;   /* the list at hand: branch events, to which one is added */
  handle_vector steps;    /* where they stand in the path, unless `listed` is 0 */
  uint32_t listed;        /* the list is that of so many steps, which are the same still */
  struct witnessed known; /* of the list, unless `listed` is 0 */
  uint32_t certain;       /* the first steps of the last run that the predicate said YES to */
};

/* Whether the unfolding has a predicate. */
#define unfi_is_symbolic(x) ((x)->u->consistency != NULL)

/* Lists the branch events of the first steps of the path. What is listed already is kept, so that
 * a run lists each step once. Returns false when refused. */
bool unfi_list_branches(unf_explorer *x, uint32_t steps);
/* Whether those of the list and an event can be together. */
unf_status unfi_list_ask(unf_explorer *x, uint32_t event, unf_answer *out);
/* As these two, for all steps of the path in the list, and an event that becomes the next one if
 * the answer is not NO. */
bool unfi_next_witnessed(unf_explorer *x, uint32_t event);
unf_status unfi_next_ask(unf_explorer *x, uint32_t event, unf_answer *out);

/* The path has lost steps. */
static inline void unfi_consistent_cut(struct consistent *c, uint32_t steps) {
  if (steps < c->listed) c->listed = steps;
}
/* A run begins that shares its first steps with the last one. */
void unfi_consistent_begin(unf_explorer *x);
/* Whether the run at hand, which has ended, is consistent. */
unf_status unfi_consistent_end(unf_explorer *x, unf_answer *out);
/* Enters the other outcomes of an event that is about to be performed into U, if it is one of a
 * branch and the strategy keeps them. */
unf_status unfi_discover_outcomes(unf_explorer *x, uint32_t event);

#endif
