/* --report: the page. Without that option these do nothing. */
#ifndef LLVM_RETELL_H
#define LLVM_RETELL_H

#include "sym.h"

/* Makes room for it. False: no memory, which was said. */
bool sym_retell_open(struct sym *s);
void sym_retell_close(struct sym *s);
/* The exploration begins again: nothing was found. */
void sym_retell_begin(struct sym *s);
/* Keeps the execution at hand for the defect that was listed last; of a race (or NULL), with both
 * accesses: that of this number. */
void sym_retell_keep(struct sym *s, const unf_race *race, uint64_t number);
/* Keeps the unfolding, before it goes. */
void sym_retell_events(struct sym *s);
/* Writes the page. */
void sym_retell(struct sym *s);

#endif
