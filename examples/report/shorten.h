/*
 * --shorten: of an execution that has a defect one with the same defect and fewer steps, and of
 * that the order with the fewest switches. An execution has a defect as soon as it is there, so
 * what comes after it is no part of it; a deadlock is there when the execution is over.
 */
#ifndef REPORT_SHORTEN_H
#define REPORT_SHORTEN_H

#include <jansson.h>

#include "run.h"

/* Of --shorten-seconds. */
enum { SHORTEN_SECONDS = 5 };

struct shorten_engine {
  /* Its runs say when the defect is there, and what steps follow. A run with `most` ends there, or
   * with the execution. */
  struct run_engine run;
  /* Puts the steps of an execution, which it may perform for that, into an order with few switches.
   * False: it cannot be done. */
  bool (*order)(void *user, unf_action *steps, size_t count, unf_switches *found);
  /* Whether everything is to end. */
  bool (*interrupted)(void *user);
};

struct shortened {
  unf_action *steps; /* NULL: there is none, and `why` says the reason */
  size_t count, before;
  uint64_t switches, switches_before;
  bool fewest_steps;    /* proved: no execution has the defect after fewer */
  bool fewest_switches; /* proved: no order of these steps has fewer */
  uint64_t tried;       /* executions performed */
  const char *why;
};

/* Of the execution with these steps. The result is freed by shortened_free(). */
void shorten(const struct shorten_engine *engine, const unf_action *steps, size_t count,
             struct shortened *out);
void shortened_free(struct shortened *shortened);

/* For cli_defect_set_shortened(). NULL: no memory. */
json_t *shortened_json(const struct shortened *shortened);
/* Why there is none, for cli_defect_set_shortened(). NULL: no memory. */
json_t *shortened_not(const char *why);

#endif
