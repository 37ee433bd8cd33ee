/* Conditions, brought from one block to others. */
#ifndef PURITY_PROPAGATE_H
#define PURITY_PROPAGATE_H

#include "purity/purity.h"

/* The condition of a loop at the start of its header, with the remarks of the loop. */
void unfi_loop_condition(unf_purity *purity, uint32_t loop, const uint8_t *live,
                         struct logic *logic, struct condition *out);

#endif
