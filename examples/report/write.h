/* --report: a page that shows the result of an exploration, in one file (doc/report.md). */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <report.h>

/* What the page shows beside the result. NULL in place of a list: there was no memory for it. */
struct report {
  json_t *threads;    /* their names, in the order of their columns */
  json_t *functions;  /* by name of a thread: the function that it begins with */
  json_t *sources;    /* see report_source() */
  json_t *executions; /* one for each defect of the result, or null where none is known */
  json_t *unfolding;  /* or null */
};

/* Of so many defects a page has the executions, so that its size has a bound. */
enum { REPORT_DEFECTS = 100 };
/* What a page has in place of an execution; NULL: no memory. */
json_t *report_untold(const char *why);
json_t *report_untold_many(void);

void report_begin(struct report *report);
void report_free(struct report *report);

/* Notes with what function a thread begins. One that begins otherwise in another execution has
 * none.
 */
void report_function(struct report *report, const char *thread, const char *function);

/* Enters lines of a source file, those of these numbers that there are. The number of the source is
 * how many were entered before it. */
void report_source(struct report *report, const char *name, const char *text, size_t size,
                   uint32_t first, uint32_t last);

/* Enters lines of a file, whose name stands there without folders, with some lines around these; no
 * line if it cannot be read. */
void report_source_file(struct report *report, const char *path, uint32_t first, uint32_t last);

/* Writes the page. CLI_CLEAN; CLI_USAGE: it could not be written; CLI_STOPPED: no memory. What went
 * wrong was said. */
enum cli_status report_save(const char *path, const struct cli_result *result,
                            const struct report *report);

#endif
