/* Whether registers have values where they are used. */
#ifndef PURITY_VERIFY_H
#define PURITY_VERIFY_H

#include "purity/purity.h"

/* Fails if a register has no value where it is used. */
unf_status unfi_flow_verify(const unf_flow *flow, const struct graph *graph);
/* By register: whether anything but the register itself depends on it. Returns
 * NULL when refused. */
uint8_t *unfi_flow_live(const unf_flow *flow, const struct graph *graph);

#endif
