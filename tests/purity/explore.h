/*
 * Every state of a small program, by trying all interleavings: as it is, with the assumes of an
 * analysis, or with its awaits. A state also holds what happened so far in the current iteration of
 * each loop.
 */
#ifndef PURITY_EXPLORE_H
#define PURITY_EXPLORE_H

#include "program.h"

enum status { RUNNING, STOPPED, FAILED };

struct thread_state {
  uint8_t block, at, status;
  uint8_t impure, turned; /* sets of loops of the body */
  uint8_t inner;          /* the flags of the loops of the analysis, as insertions want them */
  uint8_t registers[REGISTERS];
};

struct state {
  uint8_t shared[2];
  struct thread_state thread[THREADS];
};

/* What a step of a thread means for the loops that it was in. */
struct step {
  uint32_t from, to; /* states */
  uint8_t thread;
  uint8_t pure; /* loops of which it completed a pure iteration */
  uint8_t bad;  /* loops that it left, or whose iteration is not pure from now on */
};

enum variant { AS_IT_IS, WITH_ASSUMES, WITH_AWAITS };

struct exploration {
  const struct random_program *program;
  enum variant variant;
  unf_flow *flow[THREADS];
  unf_purity *purity[THREADS];
  struct state *states;
  uint32_t count, room;
  struct step *steps;
  uint32_t step_count, step_room;
  uint32_t *slots, mask;
  uint32_t pure_iterations; /* completed */
  uint8_t *ends;            /* by state: no step leaves it */
  bool wrong;               /* a condition could not be evaluated */
};

/* False: more than `most` states, or no memory. */
bool explore(struct exploration *x, uint32_t most);
void explore_free(struct exploration *x);

/* Whether the condition of an insertion holds for a thread, with the flag. */
bool insertion_holds(struct exploration *x, const struct thread_state *t, unsigned thread,
                     const unf_insertion *in);
/* Whether the statement before an await's place would wait, in this state, if it is the next. */
bool waits(struct exploration *x, const struct state *s, unsigned thread, const unf_insertion *in);

/* What a thread can still read of its own in a state, with its place; equal numbers,
 * equal local states. */
uint64_t local_state(const struct exploration *x, const struct state *s, unsigned thread);

/* Performs the next step of a thread that is not held back by the variant; `choice` is 0 or 1.
 * False: it cannot, or there is no second choice. */
bool perform(const struct random_program *p, const struct exploration *x, struct state *s,
             unsigned thread, unsigned choice, struct step *step);

#endif
