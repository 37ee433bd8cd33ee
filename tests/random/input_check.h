/* One program with inputs, explored in every order of its threads, and compared with the oracle. */
#ifndef RANDOM_INPUT_CHECK_H
#define RANDOM_INPUT_CHECK_H

#include "bridge.h"
#include "inputs.h"

enum { INPUT_MANNERS = 8 };

/* What was compared. */
typedef struct input_totals {
  uint64_t programs, explorations, runs, redundant[INPUT_MANNERS], undecided, infeasible, twice;
  uint64_t questions, calls;
} input_totals;

/* The name of an algorithm with its settings. */
const char *input_manner_name(size_t manner);
/* Explores in one manner, or in all (-1). What is drawn comes from the seed. Prints how it was
 * explored when it differs, which the report describes. */
bool input_check(const symbolic *program, uint64_t seed, int manner, input_totals *totals,
                 report *out);

#endif
