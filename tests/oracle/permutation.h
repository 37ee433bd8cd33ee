/* Orders of threads, one after the other. */
#ifndef ORACLE_PERMUTATION_H
#define ORACLE_PERMUTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next permutation in the order of dictionaries; false after the last. */
bool next_permutation(uint32_t *order, size_t count);

#endif
