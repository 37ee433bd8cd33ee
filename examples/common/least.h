/*
 * Of the executions that have a defect the one with the least name is kept, and written in one
 * order, whatever the order in which they were explored and their independent steps performed. So
 * what is written of an exploration that is complete does not depend on how it was made.
 */
#ifndef COMMON_LEAST_H
#define COMMON_LEAST_H

#include <stdbool.h>
#include <stdint.h>

#include <unfold/unfold.h>

/* The name of a trace: the sum of the fingerprints of its events. */
struct trace_name {
  uint64_t words[2];
};

/* Greater than all others. */
#define TRACE_NAME_NONE ((struct trace_name){{UINT64_MAX, UINT64_MAX}})

bool trace_name_less(struct trace_name a, struct trace_name b);
/* That of the current run, or of the last one; none if it is not known. */
struct trace_name trace_name_of(unf_unfolding *unfolding, const unf_explorer *explorer);
/* Appends the run to a schedule, in the order of its events: causes first, and of those that are
 * possible the one with the least fingerprint. */
unf_status trace_append(unf_schedule *schedule, unf_unfolding *unfolding,
                        const unf_explorer *explorer);

#endif
