/* Executions of the program that branch off from one with a defect, or are shorter, performed by
 * replays of schedules that end early, behind which a replay goes on as it likes. */
#ifndef NATIVE_PERFORMING_H
#define NATIVE_PERFORMING_H

#include <defect.h>
#include <run.h>
#include <stdbool.h>
#include <stddef.h>

#include "control/texts.h"
#include "telling.h"

enum { PERFORMING_PATH = 4096 };

struct performing {
  struct telling *telling;
  const struct cli_defect *defect;
  char program[TEXT_SIZE]; /* the second line of its schedule */
  char folder[PERFORMING_PATH - 32], path[PERFORMING_PATH];
  double until;
  double each; /* an execution may take so long; 0: as long as there is time */
};

/* For a defect with a schedule. False: there is no place for schedules. */
bool performing_begin(struct performing *p, struct telling *telling,
                      const struct cli_defect *defect, double seconds);
void performing_end(struct performing *p);

/* Writes actions as a schedule. False: that could not be done. */
bool performing_save(const struct performing *p, const char *path, const unf_action *actions,
                     size_t count);
/* Performs actions, and what follows. False: not to its end in time. */
bool performing_do(struct performing *p, const unf_action *actions, size_t count,
                   const struct manner *manner, struct performed *out);
/* Adds what was found. False: no memory. */
bool performing_found(const struct performed *performed, struct cli_defects *defects);
/* As run_engine.perform, with a struct performing. */
bool performing_run(void *performing, const unf_action *actions, size_t count, struct run *run);
/* The steps of an execution, in the order in which they were performed. NULL: no memory. */
unf_action *performing_steps(const struct telling *telling, const struct performed *performed,
                             size_t *count);

#endif
