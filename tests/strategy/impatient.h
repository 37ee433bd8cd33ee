/*
 * Explorers whose calls look at limits every few elementary steps. A context reads the clock when
 * it looks at limits; the clock here interrupts what reads it, so that every other look ends its
 * call.
 */
#ifndef STRATEGY_IMPATIENT_H
#define STRATEGY_IMPATIENT_H

#include <unfold/explore.h>

extern uint32_t impatient_steps; /* between two looks */
extern uint64_t impatient_looks;
/* With UNF_QPOR: the events of so many first steps are extended at the end of a run, those of others
 * when they are taken back; 0: as usual. */
extern uint32_t impatient_later;

/* As unf_explorer_new(). */
unf_status impatient_explorer(unf_unfolding *u, const unf_explorer_options *options,
                              unf_explorer **out);
/* The context of the last one is freed. */
void impatient_forget(void);

#endif
