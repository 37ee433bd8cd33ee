/*
 * What the validators share: histories as explicit sets, found by following immediate predecessors,
 * and dependence as the public function tells it. Nothing here asks a cut, a site tree or a
 * conflict relation.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <unfold/check.h>

#include "configuration/configuration.h"

struct checker {
  unf_unfolding *u;
  handle_vector stamps; /* by event: the set that it was put into last */
  uint32_t stamp;       /* of the set at hand */
  handle_vector set;    /* its events */
};

unf_status unfi_checker_begin(struct checker *checker, unf_unfolding *u);
void unfi_checker_end(struct checker *checker);

/* Begins a set with the history of an event, itself included (⊥ gives nothing); or an empty one. */
unf_status unfi_checker_history(struct checker *checker, uint32_t event);
void unfi_checker_empty(struct checker *checker);
/* Adds the history of an event to the set. */
unf_status unfi_checker_add(struct checker *checker, uint32_t event);

static inline bool checker_has(const struct checker *checker, uint32_t event) {
  return event == 0 || checker->stamps.data[event] == checker->stamp;
}

/* Whether every two events of an ascending list that depend on each other are ordered: the list, if
   closed under causes, is then a configuration. Uses the checker's set. */
unf_status unfi_check_ordered(struct checker *checker, const handle_vector *events);

/* Whether the action of an event can happen after exactly the events of an ascending list, by the
 * meaning of the actions. */
unf_status unfi_check_possible(unf_unfolding *u, const uint32_t *events, uint32_t count,
                               uint32_t event);

unf_status unfi_dependent_events(unf_unfolding *u, uint32_t a, uint32_t b, bool *out);

/* UNF_BROKEN with a sentence about an event (NONE: about none), and perhaps about another. */
unf_status unfi_broken(unf_unfolding *u, uint32_t event, const char *what, uint32_t other);

#endif
