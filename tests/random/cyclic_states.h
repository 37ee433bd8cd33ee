/* Sets of rows of words, and the reachable states of a cyclic program as one. */
#ifndef RANDOM_CYCLIC_STATES_H
#define RANDOM_CYCLIC_STATES_H

#include "machine.h"

typedef struct rows {
  size_t words, count, capacity;
  int64_t *data;
  uint32_t *slots;
  size_t size;
} rows;

/* Whether the row was not there; *index is where it is now. */
bool rows_add(rows *r, const int64_t *row, size_t *index);
void rows_free(rows *r);

typedef struct subject {
  const program *program;
  machine machine;
  bool *ignored; /* words that nothing depends on: what was accessed, and counters of loops */
  rows states;   /* reachable, by their essence */
  bool *stuck;   /* no thread can go on */
} subject;

typedef enum fate { GOOD, LARGE, RACY, FAILED } fate;

void subject_open(subject *s, const program *p);
void subject_close(subject *s);

/* What the future depends on: without the words that are ignored, and with the rounds of barriers
 * counted from a recent one. */
void subject_essence(const subject *s, const int64_t *state, int64_t *out);

/* GOOD, and the reachable states; LARGE: too many; RACY: a race, a wrong operation, or more threads
 * at a barrier than it is for. */
fate subject_search(subject *s);

#endif
