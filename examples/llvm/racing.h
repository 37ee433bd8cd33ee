/*
 * Bytes of memory of which a data race was found, with --races-as-atomics: loads and stores
 * of them are operations of the library from then on, and the exploration begins again. In a
 * program with regions that are not interrupted (regions.h) such an access is a region of its own, so
 * that it does not come into the midst of another one; else it is an atomic load or store.
 */
#ifndef LLVM_RACING_H
#define LLVM_RACING_H

#include "machine.h"

/* Enters such bytes: 1 some are new in this exploration, 0 none is, -1 no memory. */
int racing_enter(struct machine *m, uint64_t address, uint64_t size);
/* Whether some there are such bytes. */
bool racing_meets(const struct machine *m, uint64_t address, uint64_t size);
/* Whether an access there is an operation when the thread makes it now. */
bool racing_stands(struct machine *m, struct thread *t, uint64_t address, unsigned width);
/* Performs a load or store at an address that is known, and meets such bytes. */
enum flow racing_access(struct machine *m, struct thread *t, const struct instruction *i,
                        uint64_t address, struct value *value);
/* An access that was an operation has this bit in its place for the race detector. */
#define RACING_ORDERED (UINT64_C(1) << 62)

/* Those with which the exploration began, as numbers with commas, for a schedule; to be freed,
 * NULL: no memory. */
char *racing_text(const struct machine *m);
/* Reads them; false: it is none of those, or no memory, which is in the status. */
bool racing_read(struct machine *m, const char *text, size_t length);
void racing_free(struct machine *m);

#endif
