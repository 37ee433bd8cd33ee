/* Races that were found. */
#ifndef RACE_FOUND_H
#define RACE_FOUND_H

#include "race/races.h"

/* Notes a race between a record of a word and an access; returns false when refused. */
bool unfi_race_found(unf_races *r, uint64_t word, const struct access_record *record, uint8_t mask,
                     const unf_access *access);
/* Events have new numbers, or none. */
void unfi_races_renumber(unf_races *r, const uint32_t *now);
/* Drops the standing races that were seen after more than so many steps. */
void unfi_races_standing(unf_races *r, uint64_t steps);
/* Counts the standing races for a new execution, which has them too. */
void unfi_races_count_standing(unf_races *r);

#endif
