/* Findings and races that workers tell of, put together as though one process had found them, with
 * their schedules; and as a journal has them. */
#ifndef NATIVE_JOBS_FOUND_H
#define NATIVE_JOBS_FOUND_H

#include <jobs/wire.h>
#include <options.h>
#include <stdbool.h>
#include <stddef.h>

#include "../control/findings.h"
#include "../control/races.h"
#include "../control/shared.h"

struct control;

struct gathered {
  struct control *control, *sum; /* of the launcher; what was found */
  /* By worker: where its findings and races are in the sum. */
  uint32_t finding_at[JOBS_MOST][FINDINGS_MAX], race_at[JOBS_MOST][RACES_MAX];
  unsigned schedules; /* that were written, beside those of rounds before */
  bool lasting;       /* what is written is to outlast a loss of power */
};

/* What a worker tells: of what, the finding or race, and the texts of its schedules. */
struct schedule_bytes {
  const char *bytes;
  size_t size;
};
struct told {
  struct shared_found found;
  const char *body;
  uint32_t size; /* of the body */
  struct schedule_bytes texts[2];
};

/* The next one from a place on; false: there is none, or *good is unset, since it is cut off. */
bool found_next(const char *bytes, size_t size, size_t *at, struct told *told, bool *good);
/* Takes one, of which `state` is the block of the worker; appends it to `kept` as a journal has it,
 * unless that is NULL. False: no memory. */
bool found_take(struct gathered *found, unsigned worker, const struct control *state,
                const struct told *told, struct wire *kept);
/* Takes what a journal has. False: that is none. */
bool found_before(struct gathered *found, const struct told *told);
/* What was read of a journal is there: schedules that are written have other numbers. */
void found_resume(struct gathered *found);

#endif
