/* What the parts of --report share: the page that is being made. */
#ifndef NATIVE_TELLING_H
#define NATIVE_TELLING_H

#include "again.h"

#include <defect.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <write.h>

struct source {
  char *path;
  uint32_t first, last; /* lines that are shown */
};

struct telling {
  const struct again *again;
  unf_context *context;
  unf_unfolding *unfolding;
  const struct control *named; /* whose modules objects are named by */
  struct report report;
  struct source *sources;
  size_t source_count;
};

/* retell.c */
/* Actions as the library has them, from their texts; to be freed. NULL: no memory. */
unf_schedule *read_actions(const struct telling *telling, const char *const *texts, size_t count);
/* Makes the unfolding in which actions are named. False: no memory. To be closed in any case. */
bool telling_open(struct telling *telling);
void telling_close(struct telling *telling);
/* The actions of the steps and choices of a replay, to be freed. NULL: no memory. */
unf_schedule *actions_of(const struct telling *telling, const struct performed *performed);
/* Says where a step or an event is, in words and in the sources of the page. */
void say_place(struct telling *telling, const struct control *control, uint64_t place,
               json_t *entry);
/* The steps of a replay as they are shown, in an object, with the accesses of the race that the
 * defect is, and who is blocked at the end; NULL: no memory. */
json_t *execution_of(struct telling *telling, const struct performed *performed,
                     const struct cli_defect *defect);

#endif
