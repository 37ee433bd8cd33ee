/* The dependence of actions against their meaning. */
#ifndef ORACLE_COMMUTE_H
#define ORACLE_COMMUTE_H

#include "lattice.h"

/* Whether independent actions commute after each of the first so many configurations; else the text
 * says which do not. */
bool lattice_commutes(const lattice *l, uint32_t most, char *text, size_t size);

#endif
