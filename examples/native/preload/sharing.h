/* --jobs: this process explores the items that it is given, and reports. */
#ifndef NATIVE_PRELOAD_SHARING_H
#define NATIVE_PRELOAD_SHARING_H

#include <stdbool.h>
#include <unfold/unfold.h>

/* Whether there are others; before the explorer is made. False: no memory. */
bool sharing_new(void);
bool sharing_on(void);
/* The next execution of the items; finished: there is none. */
unf_status sharing_next(unf_explorer *explorer, unf_run *run);
/* Between two executions: notes what was found, and reports. */
void sharing_between(unf_explorer *explorer);

#endif
