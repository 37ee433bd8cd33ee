/* Loops that do nothing, taken out of a compiled program (doc/purity.md). */
#ifndef MODEL_PURITY_H
#define MODEL_PURITY_H

#include <stdio.h>

#include <unfold/purity.h>

#include "program.h"

struct purity_counts {
  uint64_t loops, pure; /* those that have pure iterations */
  uint64_t awaits;      /* operations that block now instead of failing */
  uint64_t stops;       /* places where a thread is stopped */
  uint64_t unused;      /* places that were found and not used */
};

/* Analyses all threads and changes their code; what was found is written to the file, unless it is
 * NULL. After a failure of the library, or UNF_MEMORY, the program is as it was. */
unf_status purity_apply(struct program *program, FILE *report, struct purity_counts *counts);

#endif
