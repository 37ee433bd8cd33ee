/*
 * unfold-bench-executions: what a stateless model checker by the book does with executions of the
 * workload, one after the other: the vector clock of each event, and which of its events are
 * ordered (reference.c). Nothing of the library is in it, so it is a measure of the machine in the
 * state that this is in, timed beside explorations. One line of JSON.
 */
#include <stdio.h>

#include "clock.h"
#include "reference.h"
#include "workload.h"

enum { WORKERS = 4, ROUNDS = 8, MOST_EVENTS = 1 + (4 + 2 * ROUNDS) * WORKERS, TIMES = 3 };

/* Adds to *ordered the pairs of events of an execution that are ordered; false: no memory. */
static bool execute(const struct workload *load, unsigned schedule, uint64_t *ordered) {
  uint32_t events[MOST_EVENTS], count = 0;
  struct reference *r = reference_new(1 + WORKERS, MUTEXES);
  bool good = r != NULL;
  for (size_t i = load->first[schedule]; good && i < load->first[schedule + 1]; i++) {
    uint32_t event = reference_perform(r, &load->actions[i]);
    good = event != 0;
    for (uint32_t j = 0; good && j < count; j++)
      *ordered += reference_precedes(r, events[j], event);
    events[count++] = event;
  }
  reference_free(r);
  return good;
}

int main(void) {
  struct workload load;
  uint64_t ordered = 0;
  bool good = workload_make(&load, WORKERS, ROUNDS, false);
  double start = processor_time();
  for (unsigned i = 0; good && i < TIMES * SCHEDULES; i++)
    good = execute(&load, i % SCHEDULES, &ordered);
  double seconds = processor_time() - start;
  workload_free(&load);
  if (!good) {
    fprintf(stderr, "out of memory\n");
    return 3;
  }
  printf("{\"ordered\": %llu, \"seconds\": %.6f}\n", (unsigned long long)ordered, seconds);
  return 0;
}
