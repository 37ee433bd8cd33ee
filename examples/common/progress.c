/*
 * The estimate: executions are the leaves of a tree that is walked depth first. For each level the
 * nodes that were left for good say how many branches a node there has on average; a level where
 * none was left yet is taken to branch as all closed nodes do. A node on the present path then has
 * that average less the branches it had, and each branch as many leaves as the averages below
 * multiply to. The tree is seldom even, so this is an order of magnitude, shown as such.
 */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"

#define REDRAW_SECONDS       0.1
#define RUNS_BEFORE_ESTIMATE 1000

void cli_progress_begin(struct cli_progress *p) {
  memset(p, 0, sizeof *p);
  p->active = isatty(STDERR_FILENO) != 0;
  p->start = cli_now();
  p->last = p->start;
}

void cli_progress_run(struct cli_progress *p, uint64_t shared, uint64_t steps) {
  if (!p->active) return;
  if (steps > p->level_capacity) {
    uint64_t capacity = 2 * steps;
    struct cli_level *levels = realloc(p->levels, (size_t)capacity * sizeof *levels);
    if (levels == NULL) return;
    memset(levels + p->level_capacity, 0, (size_t)(capacity - p->level_capacity) * sizeof *levels);
    p->levels = levels;
    p->level_capacity = capacity;
  }
  for (uint64_t i = shared + 1; i < p->level_count; i++) {
    p->levels[i].closed++;
    p->levels[i].closed_branches += p->levels[i].branches;
    p->levels[i].branches = 0;
  }
  if (shared < steps) p->levels[shared].branches++;
  for (uint64_t i = shared + 1; i < steps; i++)
    p->levels[i].branches = 1;
  p->level_count = steps;
  p->runs++;
}

double cli_progress_left(const struct cli_progress *p) {
  uint64_t closed = 0, branches = 0;
  if (p->runs < RUNS_BEFORE_ESTIMATE) return -1;
  for (uint64_t i = 0; i < p->level_count; i++) {
    closed += p->levels[i].closed;
    branches += p->levels[i].closed_branches;
  }
  if (closed == 0) return -1;
  double everywhere = (double)branches / (double)closed, left = 0, leaves = 1;
  for (uint64_t i = p->level_count; i-- > 0;) {
    const struct cli_level *level = &p->levels[i];
    double mean =
        level->closed == 0 ? everywhere : (double)level->closed_branches / (double)level->closed;
    if (mean > (double)level->branches) left += (mean - (double)level->branches) * leaves;
    leaves *= mean;
  }
  return left;
}

bool cli_progress_report(void *user, const unf_progress *report) {
  struct cli_progress *p = user;
  char line[160];
  double now = p->active ? cli_now() : 0;
  if (!p->active || now - p->last < REDRAW_SECONDS) return true;
  p->last = now;
  double left = cli_progress_left(p);
  int length =
      snprintf(line, sizeof line,
               "%" PRIu64 " executions, %.0f/s, %" PRIu64 " redundant, %" PRIu64 " events, %.1f MB",
               report->runs, (double)report->runs / (now - p->start), report->redundant,
               report->events, (double)report->bytes / 1e6);
  if (left >= 1 && length > 0 && (size_t)length < sizeof line)
    length += snprintf(line + length, sizeof line - (size_t)length, ", about %.1g left", left);
  uint32_t width = length > 0 && (size_t)length < sizeof line ? (uint32_t)length : 0;
  fprintf(stderr, "\r%s%*s", line, p->width > width ? (int)(p->width - width) : 0, "");
  fflush(stderr);
  p->width = width;
  return true;
}

void cli_progress_end(struct cli_progress *p) {
  if (p->active && p->width > 0) fprintf(stderr, "\r%*s\r", (int)p->width, "");
  free(p->levels);
  memset(p, 0, sizeof *p);
}
