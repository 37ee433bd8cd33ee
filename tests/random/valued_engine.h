/*
 * A program with inputs as an engine with cutoffs: it runs for all values of its inputs side by
 * side, so that a term is the list of its values. What a step changed is told in three ways: all
 * states to which the causes of an event lead, with all inputs or with those that are still read;
 * or the terms that changed, and the path condition.
 */
#ifndef RANDOM_VALUED_ENGINE_H
#define RANDOM_VALUED_ENGINE_H

#include "bridge.h"
#include "sketch.h"
#include "valued_states.h"

#define MOST_POINTS 4096u

/* What is said of a state. */
typedef enum telling_kind { TELL_WHOLE, TELL_READ, TELL_TERMS, TELLINGS } telling_kind;
extern const char *const tellings[TELLINGS];

/* A branch behind an event of its thread: for which values it has which outcome. */
typedef struct point {
  uint32_t thread;
  unf_event last;
  uint32_t outcomes;
  uint32_t outcome[VALUES_MAX];
} point;

typedef struct exploration {
  valued *valued;
  telling_kind telling;
  bridge bridge;
  unf_explorer *explorer;
  random_source random;
  int64_t *states, *before, *scratch; /* for each value, one behind the other */
  int64_t *bare;
  unf_event *last; /* of each thread */
  point *points;
  size_t point_count;
  bool *ended;      /* by state: an execution ended there */
  unsigned unknown; /* per cent of the questions */
  bool left_out;    /* an operation depends on inputs */
  bool many;        /* there are too many configurations to look at */
  report *report;
  uint64_t executions, undecided;
} exploration;

/* Words of a state, and the one of a value. */
size_t words_of(const exploration *x);
int64_t *state_of(const exploration *x, int64_t *states, uint32_t value);
uint64_t all_values(const exploration *x);
/* Reports a status. */
bool failed(const exploration *x, const char *call, unf_status status);

/* A conjunction of literals, as the values for which they hold, a bit each. */
typedef struct conjunction {
  const exploration *x;
  uint64_t values;
} conjunction;
/* Adds the literal of an event, if it has one: a visitor. */
bool and_literal(void *conjunction_of, unf_event e);
/* A solver that knows all values, and sometimes says that it does not. */
unf_consistency solver_of(exploration *x);

/* Brings the program to its beginning; all threads are offered there. */
bool start(exploration *x, int64_t *states);
bool offer(exploration *x, uint32_t thread);
/* Performs an action for all values. */
bool perform_all(exploration *x, int64_t *states, const struct action *own);
/* Tells what the last step changed. */
bool tell(exploration *x);

#endif
