/*
 * The workload of the relation benchmarks: T workers over L = 4 mutexes, each R rounds of lock and
 * unlock of a mutex drawn by splitmix64, under 1000 schedules drawn by splitmix64. Main has a start
 * event, T creates and T joins; a worker has a start event, its operations and an exit event.
 * doc/benchmarks.md specifies it completely.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/unfold.h>

#include "../src/base/random.h"

enum { MUTEXES = 4, SCHEDULES = 1000, MOST_WORKERS = 16 };

struct workload {
  unsigned workers, rounds;
  bool locals;                 /* a local event between each lock and its unlock */
  unf_action *actions;         /* of all executions */
  size_t first[SCHEDULES + 1]; /* of each */
};

bool workload_make(struct workload *workload, unsigned workers, unsigned rounds, bool locals);
void workload_free(struct workload *workload);
/* Names threads and mutexes in a new unfolding, whose handles are then the numbers
 * in the actions. */
unf_status workload_name(const struct workload *workload, unf_unfolding *unfolding);

/* Performs one execution from ⊥; events may be NULL. `offering`: says every operation, as
 * extensions need it. */
unf_status workload_perform(const struct workload *workload, unsigned schedule, bool offering,
                            unf_configuration *configuration, unf_event *events);

#endif
