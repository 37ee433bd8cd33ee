/* Explorations of several processes that are gone on with. */
#ifndef COMMON_JOBS_GO_ON_H
#define COMMON_JOBS_GO_ON_H

#include "jobs.h"

/* In front of jobs_run(), with --continue: reads the journal; false: *status is the exit status. */
bool jobs_go_on(struct jobs *jobs, int *status);
/* Begins a segment of the journal with all that counts. */
void jobs_save(struct jobs *jobs);

#endif
