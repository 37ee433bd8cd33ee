/* The values of slots in a flow. */
#ifndef MODEL_FLOW_VALUES_H
#define MODEL_FLOW_VALUES_H

#include "flow.h"

/* Finds `in`: the value of each slot at the start of each block. */
bool flow_find_values(struct flow *f);
/* How many values an instruction takes off the stack, and puts there. */
uint32_t flow_takes(const struct flow *f, const struct instruction *in);
bool flow_gives(const struct instruction *in);

#endif
