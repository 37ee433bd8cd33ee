/* The folder below TMPDIR where workers have what is their own. */
#ifndef NATIVE_JOBS_SCRATCH_H
#define NATIVE_JOBS_SCRATCH_H

#include <limits.h>
#include <stdbool.h>

struct scratch {
  char path[PATH_MAX];
  int lock;
};

/* Makes one, and removes those that others left who were killed. False: it cannot be made, see
 * errno; the path is that which was tried. */
bool scratch_make(struct scratch *scratch);
void scratch_remove(struct scratch *scratch);

#endif
