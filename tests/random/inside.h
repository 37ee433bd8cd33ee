/* The choices of a probe, from inside the explorer, and what a predicate refuted; apart, because
 * the oracle has names of its own. */
#ifndef RANDOM_INSIDE_H
#define RANDOM_INSIDE_H

#include <unfold/unfold.h>

/* A probe, whether one is due or not. */
unf_status inside_begin(unf_explorer *x);
/* After unf_explorer_step() chose an action: how many alternatives there are, it included. */
uint32_t inside_count(const unf_explorer *x);
/* Takes one of them instead; of a choice of data the value `low` and so many above. */
unf_status inside_take(unf_explorer *x, uint32_t which, int64_t low, unf_action *out,
                       double *chance);
/* At the end: the value of the probe, which then is as if it had not been. */
unf_status inside_end(unf_explorer *x, double *value);
/* Forgets which sets of branch events can be together, and which cannot. The predicate itself may
 * call it. */
void inside_forget_answers(unf_unfolding *u);

/* From now on limits are looked at after each so many elementary steps. */
void inside_look_often(unf_context *context, uint32_t steps);

/* From now on, with UNF_QPOR and UNF_SDPOR, only the events of so many first steps are extended at
 * the end of a run, and those of others when they are taken back. */
void inside_extend_later(unf_explorer *x, uint32_t steps);

/* From now on a strand of the tree is asked for so many leaves at a time, in an order that does so.
 */
void inside_ask_portions(unf_explorer *x, uint32_t leaves);

/* One more execution may begin; behind the last one so many elementary steps are spent. */
void inside_allow_run(unf_context *context, uint32_t steps);
/* Whether not all was learned from the last one. */
bool inside_unlearned(const unf_explorer *x);

#endif
