/*
 * Executions that are drawn one by one, without a tree: what random walks and PCT share.
 *
 * Every draw is a function of the seed, the number of the execution, the step and its purpose, so
 * a call that is refused and made again draws the same.
 */
#ifndef EXPLORATION_STRATEGIES_SAMPLING_SAMPLING_H
#define EXPLORATION_STRATEGIES_SAMPLING_SAMPLING_H

#include <unfold/explore.h>

#include "base/vector.h"

/* Of the outcomes that an operation has, values of a choice apart, so many can be drawn. */
#define MOST_OUTCOMES 1024u
/* Classes of traces that are told apart. */
#define SKETCH_BITS (1u << 20)
#define SKETCH_WORD 64

struct bytes_out;
struct bytes_in;

/* The first part of the state of a strategy that draws. */
struct sampling {
  uint64_t seed;
  uint64_t runs; /* to make, those that measure not among them */
  unf_sampling seen;
  VECTOR(uint64_t) sketch; /* a bit for each class of traces, set when it was met */
  uint64_t tries; /* threads that were looked at for the step at hand, while it is not decided */
  VECTOR(uint32_t) idle; /* of these, those that could still be chosen, the least first */
};

/* The thread to look at next; NONE: there is none. */
typedef uint32_t (*thread_chooser)(unf_explorer *x);

void unfi_sampling_begin(unf_explorer *x, const unf_explorer_options *options);
void unfi_sampling_end(unf_explorer *x);

uint64_t unfi_sampling_draw(const unf_explorer *x, uint64_t step, uint64_t purpose);

/* Of the threads that may be able to act and are not idle: one with equal chances for each. */
uint32_t unfi_sampling_any_thread(unf_explorer *x);
bool unfi_sampling_is_idle(const unf_explorer *x, uint32_t thread);
/* Decides the next step: an outcome of the first chosen thread that has one. */
unf_status unfi_sampling_step(unf_explorer *x, thread_chooser choose);

/* Counts the execution at hand. Unsets *fresh if its trace is of a class that was met before. */
unf_status unfi_sampling_learn(unf_explorer *x, bool *fresh);
/* Goes back to the beginning; *found: whether another execution is to be made. */
unf_status unfi_sampling_leave(unf_explorer *x, bool *found);

/* What is known of the executions so far; of the last one nothing. */
void unfi_sampling_write(const unf_explorer *x, struct bytes_out *out);
void unfi_sampling_read(unf_explorer *x, struct bytes_in *in);

#endif
