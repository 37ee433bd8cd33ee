/* Accesses of any size, and pages of memory. */
#ifndef RACE_PAGES_H
#define RACE_PAGES_H

#include "race/races.h"

/* Compares and records an access, or removes all records of its bytes. False when refused. */
bool unfi_pages_access(unf_races *r, const unf_access *access);
bool unfi_pages_forget(unf_races *r, uint64_t address, uint64_t size);

#endif
