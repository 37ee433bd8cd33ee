/* The progress line on standard error: executions, their rate, redundant ones, events, memory, what
 * is left. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

/* What is known about one level of the exploration tree. */
struct cli_level {
  uint64_t branches;                /* of the node on the present path, so far */
  uint64_t closed, closed_branches; /* nodes that were left for good, and their branches */
};

struct cli_progress {
  bool active;
  double start, last;
  uint32_t width; /* of the line that stands there */
  struct cli_level *levels;
  uint64_t level_count, level_capacity, runs;
};

/* Begins; active only when standard error is a terminal. Then the callback of a context can be
 * cli_progress_report(), with the struct. */
void cli_progress_begin(struct cli_progress *progress);

/* For the estimate: an execution of so many steps was finished, which shared its first steps with
 * the one before. */
void cli_progress_run(struct cli_progress *progress, uint64_t shared, uint64_t steps);

/* Redraws the line, ten times a second at most. A callback of unf_context_options; always true. */
bool cli_progress_report(void *progress, const unf_progress *report);

/* Wipes the line and frees what belongs to it. */
void cli_progress_end(struct cli_progress *progress);

/* How many executions are left, by the mean number of branches on each level; below 0: not known
 * yet. O(levels). */
double cli_progress_left(const struct cli_progress *progress);

#endif
