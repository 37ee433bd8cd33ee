/*
 * The step of an execution that decided that it has a defect: the last one at which another choice
 * still leads to an execution without it. Found by performing executions that begin as this one
 * does and then go on otherwise, from its end on backwards.
 */
#ifndef REPORT_DECIDE_H
#define REPORT_DECIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <defect.h>
#include <unfold/unfold.h>

#include "run.h"

/* Of --report-seconds. */
enum { DECIDE_SECONDS = 5 };

enum decision {
  DECIDED,         /* by the step `step`, from 0; `other` is an execution without the defect */
  DECIDED_NOWHERE, /* all executions have the defect */
  DECIDED_UNKNOWN, /* there was no time: none of the steps from `step` on decided */
  DECIDED_NOT      /* no memory, or the execution cannot be performed */
};

struct decided {
  enum decision decision;
  size_t step;
  struct run other;
  bool partial; /* of a choice among many values only some were tried */
  uint64_t tried;
};

/* Of the execution with these steps. The result is freed by decided_free(). */
void decide(const struct run_engine *engine, const unf_action *steps, size_t count,
            struct decided *out);
void decided_free(struct decided *decided);

/* For the page: the step and the other execution, or why there is none. `steps`: those of the other
 * execution (a reference that is taken), if the decision is DECIDED; `found`: its defects; `end`:
 * how it ends if it has none. NULL: no memory. */
json_t *decided_json(const struct decided *decided, size_t count, json_t *steps,
                     const struct cli_defects *found, const char *end);

#endif
