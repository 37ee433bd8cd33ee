/* What a probe takes next. */
#ifndef EXPLORATION_PROBES_CHANCES_H
#define EXPLORATION_PROBES_CHANCES_H

#include <unfold/explore.h>

void unfi_chances_begin(unf_explorer *x);
/* Room for the names that there are. Returns false when refused. */
bool unfi_chances_fit(unf_explorer *x);
/* Gives the contenders at hand their weights. */
void unfi_chances_weigh(unf_explorer *x);
/* One of them is taken. Returns false when refused. */
bool unfi_chances_take(unf_explorer *x, const unf_action *action);
/* The probe is over, and was counted. */
void unfi_chances_learn(unf_explorer *x);
void unfi_chances_free(unf_explorer *x);

#endif
