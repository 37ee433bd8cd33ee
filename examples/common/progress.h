/* The progress line on standard error: executions, their rate, redundant ones, events, memory, what
 * is left. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

struct cli_progress {
  bool active;
  double start, last;
  uint32_t width; /* of the line that stands there */
};

/* Begins; active only when standard error is a terminal. */
void cli_progress_begin(struct cli_progress *progress);

/* Begins, and if it is active, a context that is made with these options reports here. */
void cli_progress_of(struct cli_progress *progress, unf_context_options *options);

/* Redraws the line, ten times a second at most. A callback of unf_context_options; always true. */
bool cli_progress_report(void *progress, const unf_progress *report);

/* Wipes the line. */
void cli_progress_end(struct cli_progress *progress);

#endif
