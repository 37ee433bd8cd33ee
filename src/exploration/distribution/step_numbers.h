/*
 * Steps of a shared tree by numbers, from 1: most of what a ledger has are steps, of which there
 * are few that differ. So a step mostly is one byte in what is kept as bytes.
 */
#ifndef EXPLORATION_DISTRIBUTION_STEP_NUMBERS_H
#define EXPLORATION_DISTRIBUTION_STEP_NUMBERS_H

#include "exploration/distribution/letter.h"

/* A step, and the one that had its action before it with another operation; 0: there is none. */
struct numbered_step {
  struct named_step step;
  uint32_t other;
};

struct step_numbers {
  unf_unfolding *u;
  VECTOR(struct numbered_step) steps; /* by their numbers */
  VECTOR(uint32_t) last;              /* by action: the last one that has it; 0: none */
};

/* Gives a step a number that has none yet. 0: refused. */
uint32_t unfi_step_number(struct step_numbers *numbers, struct named_step step);
void unfi_step_numbers_end(struct step_numbers *numbers);

/* The number of a step; 0: it has none. */
static inline uint32_t step_number_find(const struct step_numbers *numbers,
                                        struct named_step step) {
  uint32_t number = step.action < numbers->last.capacity ? numbers->last.data[step.action] : 0;
  while (number != 0 && numbers->steps.data[number - 1].step.operation != step.operation)
    number = numbers->steps.data[number - 1].other;
  return number;
}
/* The number of a step, which is given one if it has none; 0: refused. */
static inline uint32_t step_number(struct step_numbers *numbers, struct named_step step) {
  uint32_t number = step_number_find(numbers, step);
  return number != 0 ? number : unfi_step_number(numbers, step);
}
static inline struct named_step step_numbered(const struct step_numbers *numbers, uint32_t number) {
  return numbers->steps.data[number - 1].step;
}

#endif
