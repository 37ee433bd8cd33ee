/*
 * States that are kept for later executions, in other orders than depth-first. Every so many steps
 * a state is copied, with the journal of the execution up to there: the accesses of steps that are
 * not performed again, which the race detector needs. Which events these are the explorer knows.
 */
#ifndef MODEL_CHECKPOINTS_H
#define MODEL_CHECKPOINTS_H

#include <unfold/unfold.h>

#include "slots.h"

struct entry {
  uint64_t step; /* after so many steps */
  unf_access access;
};

struct journal {
  struct entry *entries;
  size_t count, room;
};

struct checkpoint {
  int64_t *state; /* NULL: this name is free */
  struct journal journal;
};

struct checkpoints {
  uint64_t interval;     /* steps from one to the next; 0: none are kept */
  struct cli_slots kept; /* struct checkpoint, by name */
  uint64_t bytes;
  size_t words;           /* of a state */
  struct journal journal; /* of the current execution */
  bool failed;            /* there was no memory for an entry */
  /* Between these numbers of steps one cannot go back to a step of the current execution. */
  uint64_t gap, gap_end;
};

void checkpoints_begin(struct checkpoints *c, uint64_t interval, size_t words);
void checkpoints_free(struct checkpoints *c);

/* For the journal: an access was made. */
void checkpoints_access(struct checkpoints *c, uint64_t step, const unf_access *access);
/* Cuts the journal back. */
void checkpoints_cut(struct checkpoints *c, uint64_t steps);

/* Keeps a state; its name, or 0 when there is no memory for it. */
uint64_t checkpoints_keep(struct checkpoints *c, const int64_t *state);
/* Callback of the explorer: a state is not needed any more. */
void checkpoints_forget(void *checkpoints, uint64_t name);

#endif
