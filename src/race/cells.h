/* Cells of memory, and the accesses that they remember. */
#ifndef RACE_CELLS_H
#define RACE_CELLS_H

#include "race/races.h"

/* The cell of a word, or of a page with OF_PAGE; 0: none. A new one is 0 when refused. */
uint32_t unfi_cell_find(const unf_races *r, uint64_t word);
uint32_t unfi_cell_add(unf_races *r, uint64_t word);
/* Undoes what was done to cells since there were so many changes and records. */
void unfi_cells_undo(unf_races *r, uint32_t changes, uint32_t records);
/* Forgets all accesses. */
void unfi_cells_clear(unf_races *r);
/* Compares an access to bytes of a word with the records of a cell, and sets its own one, which the
 * access would only renew; records it there. False when refused. */
bool unfi_cell_compare(unf_races *r, uint32_t cell, uint64_t word, uint8_t mask,
                       const unf_access *access, uint32_t *own);
bool unfi_cell_note(unf_races *r, uint32_t cell, uint32_t own, uint8_t mask,
                    const unf_access *access);
bool unfi_cell_record(unf_races *r, uint32_t cell, struct access_record record);
/* Removes the records of bytes from their cell. False when refused. */
bool unfi_cell_forget(unf_races *r, uint32_t cell, uint8_t mask);

#endif
