/* The result of an exploration, for people and as JSON, and the exit status that it means. */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include "defect.h"
#include "options.h"
#include "save.h"
#include "saved.h"

struct cli_result {
  struct cli_before before; /* what this was continued from */
  const char *saved;        /* the file that it can be continued from, or NULL */
  struct save_times saves;  /* how often that was written by this process */
  enum cli_program tool;
  const char *program; /* under test, as it was given */
  const struct cli_options *options;
  unf_counts counts;
  unf_estimate estimate;     /* of what is left */
  unf_sampling sampling;     /* where executions are drawn */
  unf_cutoff_counts cutoffs; /* all 0 without cutoffs */
  uint64_t races, livelocks;
  bool sequential; /* weaker orders of atomic accesses were asked for, and not explored */
  uint64_t again;  /* so often at most memory was given again; 0: as often as it was asked for */
  bool finished;   /* or, where executions are drawn, all that were asked for were made */
  const char *stopped; /* why not: "executions", "interrupt", …; NULL if finished or uncontrolled */
  const char
      *uncontrolled; /* what the program did that cannot be controlled, one line; NULL: nothing */
  double seconds;
  uint64_t peak_rss_bytes; /* 0: that of this process */
  struct cli_defects defects;
  /* What of the program was not seen, each an object with `module`, `why` and `count`, and the same
   * as lines for people: lists owned by the caller. NULL: nothing can be unseen. */
  json_t *unseen, *unseen_lines;
  json_t *more; /* an object with further keys, owned by the caller, or NULL */
};

/* Seconds of the monotonic clock. */
double cli_now(void);

/* The most memory that this process had, in bytes. */
uint64_t cli_peak_rss(void);

/* Exit status; --expect is taken into account. */
int cli_result_status(const struct cli_result *result);

/*
 * Writes the JSON object (--json) or the summary to standard output, and what is not controllable
 * to standard error. Returns cli_result_status(), or CLI_STOPPED with a message when there is no
 * memory. Whether standard output could be written, cli_output_status() says when all is printed.
 */
int cli_result_print(const struct cli_result *result);

/* Says in a summary that there are data races, of a program that is explored for all inputs. */
void cli_races_print(const struct cli_result *result);

/* The result as --json prints it, a new reference; NULL without memory. */
json_t *cli_result_json(const struct cli_result *result);

/* Whether colours are wanted there: a terminal, and no NO_COLOR. */
bool cli_colour(FILE *to);

#endif
