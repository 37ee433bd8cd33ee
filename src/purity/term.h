/* Terms of a flow. */
#ifndef PURITY_TERM_H
#define PURITY_TERM_H

#include "purity/flow.h"

/* Makes a term of any size, with constants folded; returns 0 when refused. */
unf_term unfi_term_make(unf_flow *flow, unf_operator op, unf_term left, unf_term right);
unf_term unfi_term_constant(unf_flow *flow, int64_t value);
unf_term unfi_term_register(unf_flow *flow, unf_register variable);

/* The value of "left op right". */
int64_t unfi_operator_value(unf_operator op, int64_t left, int64_t right);

/* Visits each register in a term. */
void unfi_term_visit(const unf_flow *flow, unf_term term,
                     void (*visit)(void *user, unf_register variable), void *user);

#endif
