/* --witness: what was found as a violation witness of SV-COMP. */
#ifndef LLVM_WITNESS_H
#define LLVM_WITNESS_H

#include "sym.h"

/* Keeps the witness of the execution at hand, with inputs for which a set of facts
 * is true, if it is the first; writes it; forgets it, because the exploration begins again. */
void sym_witness_assertion(struct sym *s, uint32_t set);
void sym_witness_race(struct sym *s, uint32_t set, const unf_race *race);
void sym_witness_write(struct sym *s);
void sym_witness_drop(struct sym *s);

#endif
