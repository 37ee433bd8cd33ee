/* The progress line. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

#define REDRAW_SECONDS 0.1

void cli_progress_begin(struct cli_progress *p) {
  memset(p, 0, sizeof *p);
  p->active = isatty(STDERR_FILENO) != 0;
  p->start = cli_now();
  p->last = p->start;
}

void cli_progress_of(struct cli_progress *p, unf_context_options *options) {
  cli_progress_begin(p);
  if (!p->active) return;
  options->progress = cli_progress_report;
  options->progress_user = p;
  options->progress_interval = 64;
}

bool cli_progress_report(void *user, const unf_progress *report) {
  struct cli_progress *p = user;
  char line[160];
  double now = p->active ? cli_now() : 0;
  if (!p->active || now - p->last < REDRAW_SECONDS) return true;
  p->last = now;
  int length =
      snprintf(line, sizeof line,
               "%" PRIu64 " executions, %.0f/s, %" PRIu64 " redundant, %" PRIu64 " events, %.1f MB",
               report->runs, (double)report->runs / (now - p->start), report->redundant,
               report->events, (double)report->bytes / 1e6);
  if (report->left >= 1 && length > 0 && (size_t)length < sizeof line)
    length += snprintf(line + length, sizeof line - (size_t)length, ", about %.2g", report->left);
  if (report->left >= 1 && report->left_error >= 0 && length > 0 && (size_t)length < sizeof line)
    length += snprintf(line + length, sizeof line - (size_t)length, " ± %.1g", report->left_error);
  if (report->left >= 1 && length > 0 && (size_t)length < sizeof line)
    length += snprintf(line + length, sizeof line - (size_t)length, " left");
  uint32_t width = length > 0 && (size_t)length < sizeof line ? (uint32_t)length : 0;
  fprintf(stderr, "\r%s%*s", line, p->width > width ? (int)(p->width - width) : 0, "");
  fflush(stderr);
  p->width = width;
  return true;
}

void cli_progress_end(struct cli_progress *p) {
  if (p->active && p->width > 0) fprintf(stderr, "\r%*s\r", (int)p->width, "");
  memset(p, 0, sizeof *p);
}
