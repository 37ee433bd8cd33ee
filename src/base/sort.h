/* Sorting of handles in place, without memory: heap sort, O(n log n), nearly sorted short
 * inputs by insertion. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdint.h>

void unfi_sort(uint32_t *values, uint32_t count);

/* Negative if a comes before b, positive if b comes before a, 0 if neither does. */
typedef int (*comparison)(const void *user, uint32_t a, uint32_t b);
void unfi_sort_by(uint32_t *values, uint32_t count, comparison compare, const void *user);

/* What unfi_sort_by() does in parts, for one who must look at limits in between: turns `from` up to
 * `to`, of as many as there are, each with O(log count) comparisons. */
static inline uint32_t unfi_sort_turns(uint32_t count) {
  return count < 2 ? 0 : count / 2 + count - 1;
}
void unfi_sort_part(uint32_t *values, uint32_t count, uint32_t from, uint32_t to,
                    comparison compare, const void *user);

#endif
