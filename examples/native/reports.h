/* Findings in the form that people and machines read. */
#ifndef NATIVE_REPORTS_H
#define NATIVE_REPORTS_H

#include <defect.h>
#include <stdbool.h>
#include <stddef.h>

struct control;

/* The path of the file of a schedule. */
void schedule_path(const struct control *control, unsigned number, char *path, size_t size);
/* Names the file of a schedule in a defect, if there is one. False: no memory. */
bool report_schedule(const struct control *control, unsigned number, struct cli_defect *defect);

/* Adds every finding to the list. False: no memory. */
bool report_findings(const struct control *control, struct cli_defects *defects);

/* The printer of a replay: reads steps from the socket until the process under test is done, writes
 * each to standard output, and then what was found. */
void report_steps(const struct control *control, int socket);

/* Why executions were not in place that should have been; false when all were. */
bool report_mode(const struct control *control, char *text, size_t size);

#endif
