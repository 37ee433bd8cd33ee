/* A sorting network after Batcher: PARAM1 threads sort twice as many numbers. The comparators are
 * dealt to the threads in turn, and each waits until both of its wires have been through those
 * before it. What a thread sees does not depend on the order of the others: one trace. */
#include "../family.h"

#include <assert.h>
#include <stdatomic.h>
#include <unfold/await.h>

enum { WIRES = 2 * PARAM1 };

static _Atomic int numbers[WIRES];
static _Atomic signed char passed[WIRES]; /* comparators */

/* One comparator, when so many have been passed by its wires. */
static void compare(int a, int b, signed char before_a, signed char before_b) {
  unfold_await_eq(&passed[a], before_a);
  unfold_await_eq(&passed[b], before_b);
  int left = atomic_load(&numbers[a]), right = atomic_load(&numbers[b]);
  if (left > right) {
    atomic_store(&numbers[a], right);
    atomic_store(&numbers[b], left);
  }
  atomic_store(&passed[a], before_a + 1);
  atomic_store(&passed[b], before_b + 1);
}

/* Merges blocks of `half` wires that are sorted, by comparators over `distance` wires: odd-even
 * merge for any number of wires. */
static void *sort(void *number) {
  const int me = (int)(intptr_t)number;
  signed char before[WIRES] = {0};
  int comparators = 0;
  for (int half = 1; half < WIRES; half *= 2)
    for (int distance = half; distance > 0; distance /= 2)
      for (int from = distance % half; from + distance < WIRES; from += 2 * distance)
        for (int a = from; a < from + distance && a + distance < WIRES; a++) {
          const int b = a + distance;
          if (a / (2 * half) != b / (2 * half)) continue;
          if (comparators++ % PARAM1 == me) compare(a, b, before[a], before[b]);
          before[a]++;
          before[b]++;
        }
  return NULL;
}

int main(void) {
  pthread_t threads[PARAM1];
  for (int i = 0; i < WIRES; i++)
    atomic_store(&numbers[i], i * 7 % WIRES - i % 3);
  for (long i = 0; i < PARAM1; i++)
    threads[i] = start(sort, i);
  for (long i = 0; i < PARAM1; i++)
    join(threads[i]);
  for (int i = 1; i < WIRES; i++)
    assert(atomic_load(&numbers[i - 1]) <= atomic_load(&numbers[i]));
  return 0;
}
