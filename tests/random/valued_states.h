/* The reachable states of a cyclic program with inputs: those of the program for each value. */
#ifndef RANDOM_VALUED_STATES_H
#define RANDOM_VALUED_STATES_H

#include "cyclic_states.h"

#define VALUES_MAX 16u

typedef struct valued {
  subject subject;       /* of the program; its states are those for all values */
  program *program;      /* whose inputs have the first values */
  uint32_t values;       /* how many the inputs have together */
  bool whole;            /* the inputs are part of a state even if they are not read any more */
  const symbol **inputs; /* that the program has */
  size_t input_count;
  bool *reads; /* by input and instruction: whether it can be read from there on */
} valued;

void valued_open(valued *v, program *p, bool whole);
void valued_close(valued *v);
/* Gives the inputs of the program the values of this number. */
void valued_set(valued *v, uint32_t number);
/* What the future depends on: the essence of a state, without inputs that no thread can come to
 * read any more. */
void valued_essence(const valued *v, const int64_t *state, int64_t *out);
/* All reachable states, and which of them are stuck, see subject_search(). */
fate valued_search(valued *v);

#endif
