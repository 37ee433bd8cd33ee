/* qsort() may allocate behind the caller's allocator, hence this. */
#include "base/sort.h"

static void sift(uint32_t *values, uint32_t at, uint32_t count) {
  uint32_t value = values[at];
  for (;;) {
    uint32_t child = 2 * at + 1;
    if (child >= count) break;
    if (child + 1 < count && values[child + 1] > values[child]) child++;
    if (values[child] <= value) break;
    values[at] = values[child];
    at = child;
  }
  values[at] = value;
}

void unfi_sort(uint32_t *values, uint32_t count) {
  if (count <= 24) {
    for (uint32_t i = 1; i < count; i++) {
      uint32_t value = values[i], j = i;
      for (; j > 0 && values[j - 1] > value; j--)
        values[j] = values[j - 1];
      values[j] = value;
    }
    return;
  }
  for (uint32_t i = count / 2; i-- > 0;)
    sift(values, i, count);
  for (uint32_t end = count - 1; end > 0; end--) {
    uint32_t top = values[0];
    values[0] = values[end];
    values[end] = top;
    sift(values, 0, end);
  }
}

static void sift_by(uint32_t *values, uint32_t at, uint32_t count, comparison compare,
                    const void *user) {
  uint32_t value = values[at];
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && compare(user, values[child + 1], values[child]) > 0) child++;
    if (compare(user, values[child], value) <= 0) break;
    values[at] = values[child];
  }
  values[at] = value;
}

/* First the heap is made, then its greatest one goes behind it, again and again. */
static void sort_turn(uint32_t *values, uint32_t count, uint32_t turn, comparison compare,
                      const void *user) {
  if (turn < count / 2) {
    sift_by(values, count / 2 - 1 - turn, count, compare, user);
    return;
  }
  uint32_t end = count - 1 - (turn - count / 2), top = values[0];
  values[0] = values[end];
  values[end] = top;
  sift_by(values, 0, end, compare, user);
}

void unfi_sort_part(uint32_t *values, uint32_t count, uint32_t from, uint32_t to,
                    comparison compare, const void *user) {
  for (uint32_t turn = from; turn < to; turn++)
    sort_turn(values, count, turn, compare, user);
}

void unfi_sort_by(uint32_t *values, uint32_t count, comparison compare, const void *user) {
  unfi_sort_part(values, count, 0, unfi_sort_turns(count), compare, user);
}
