/* Objects as words of a state. */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include "machine.h"

/* Lays out the words of the objects, from `first` on; returns the word behind them. */
uint64_t objects_place(struct machine *machine, uint32_t first);
/* Fills them in for the start. */
void objects_begin(const struct machine *machine, int64_t *state);

#endif
