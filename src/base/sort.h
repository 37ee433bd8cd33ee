/* Sorting of handles in place, without memory: heap sort, O(n log n), nearly sorted short
 * inputs by insertion. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdint.h>

void unfi_sort(uint32_t *values, uint32_t count);

/* Negative if a comes before b, positive if b comes before a, 0 if neither does. */
typedef int (*comparison)(const void *user, uint32_t a, uint32_t b);
void unfi_sort_by(uint32_t *values, uint32_t count, comparison compare, const void *user);

#endif
