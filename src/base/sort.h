/* Sorting of handles in place, without memory: heap sort, O(n log n), nearly sorted short inputs by
 * insertion. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdint.h>

void unfi_sort(uint32_t *values, uint32_t count);

#endif
