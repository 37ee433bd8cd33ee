/*
 * What the validators share: histories as explicit sets, found by following immediate
 * predecessors, and dependence from the public function. Nothing here uses a cut, a site tree or
 * the conflict relation.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include <unfold/check.h>

#include "configuration/configuration.h"

struct checker {
  unf_unfolding *u;
  handle_vector stamps; /* by event: the stamp of the last set that it was put into */
  uint32_t stamp;       /* of the current set */
  handle_vector set;    /* the events of the current set */
};

unf_status unfi_checker_begin(struct checker *checker, unf_unfolding *u);
void unfi_checker_end(struct checker *checker);

/* Begins a set with the history of an event, itself included; for ⊥, an empty set. */
unf_status unfi_checker_history(struct checker *checker, uint32_t event);
void unfi_checker_empty(struct checker *checker);
/* Adds the history of an event to the set. */
unf_status unfi_checker_add(struct checker *checker, uint32_t event);

static inline bool checker_has(const struct checker *checker, uint32_t event) {
  return event == 0 || checker->stamps.data[event] == checker->stamp;
}

/* Checks that every two events of an ascending list that depend on each other are ordered
 * by causality; if the list also contains all causes, it is a configuration. Overwrites
 * the checker's set. */
unf_status unfi_check_ordered(struct checker *checker, const handle_vector *events);

unf_status unfi_dependent_events(unf_unfolding *u, uint32_t a, uint32_t b, bool *out);

/* Returns UNF_BROKEN, with a sentence about an event and another event or thread as
 * detail (NONE: none). */
unf_status unfi_broken(unf_unfolding *u, uint32_t event, const char *what, uint32_t other);

#endif
