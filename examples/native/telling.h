/* What the parts of --report share: the page that is being made. */
#ifndef NATIVE_TELLING_H
#define NATIVE_TELLING_H

#include "again.h"

#include <defect.h>
#include <write.h>

struct source {
  char *path;
  uint32_t first, last; /* lines that are shown */
};

struct telling {
  const struct again *again;
  unf_context *context;
  unf_unfolding *unfolding;
  struct report report;
  struct source *sources;
  size_t source_count;
};

/* retell.c */
/* The actions of the steps and choices of a replay, to be freed. NULL: no memory. */
unf_schedule *actions_of(const struct telling *telling, const struct performed *performed);
/* The steps of a replay as they are shown; NULL: no memory. */
json_t *steps_of(struct telling *telling, const struct performed *performed);

/* deciding.c: the step that decided that the execution performed has a defect, as far as so many
 * seconds tell. NULL: no memory. */
json_t *deciding_step(struct telling *telling, const struct cli_defect *defect,
                      const struct performed *performed, double seconds);

#endif
