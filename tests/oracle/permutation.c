/* Orders of threads, one after the other. */
#include "permutation.h"

bool next_permutation(uint32_t *order, size_t count) {
  size_t i = count;
  while (i > 1 && order[i - 2] > order[i - 1]) {
    i--;
  }
  if (i <= 1) return false;
  size_t j = count - 1;
  while (order[j] < order[i - 2]) {
    j--;
  }
  uint32_t t = order[j];
  order[j] = order[i - 2];
  order[i - 2] = t;
  for (j = count - 1; i - 1 < j; i++, j--) {
    t = order[j];
    order[j] = order[i - 1];
    order[i - 1] = t;
  }
  return true;
}
