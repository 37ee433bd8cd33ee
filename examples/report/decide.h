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

/* Stands for an event: different events have different numbers. */
struct run_event {
  uint64_t key[2];
};

/* One execution, as an engine performed it. */
struct run {
  unf_action *steps;
  struct run_event *events; /* of the steps */
  size_t count, room, event_count, event_room;
  size_t from; /* choices are wanted before the step of this number, from 0, and later ones */
  /* What was possible before each of those steps: its actions end at `ends`, by number of step less
   * `from`. */
  unf_action *choices;
  size_t choice_count, choice_room;
  size_t *ends;
  size_t end_count, end_room;
  bool defect;          /* it has the defect */
  bool partial, failed; /* not all choices of a step are there; there was no memory */
};

/* For engines: what was possible, then the step that was performed. An unf_action_visitor on the
 * run; there are at most CHOICES_MOST for a step. */
enum { CHOICES_MOST = 64 };
/* Of --report-seconds. */
enum { DECIDE_SECONDS = 5 };
bool run_choice(void *run, const unf_action *action);
void run_step(struct run *run, const unf_action *action, struct run_event event);
void run_free(struct run *run);

struct decide_engine {
  void *user;
  /* Performs these actions, and then any that are possible, to the end of the execution. False: it
   * could not be performed. */
  bool (*perform)(void *user, const unf_action *actions, size_t count, struct run *out);
  double until; /* by cli_now() */
};

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

/* Of the execution with these steps. The result is given back with decided_free(). */
void decide(const struct decide_engine *engine, const unf_action *steps, size_t count,
            struct decided *out);
void decided_free(struct decided *decided);

/* For the page: the step and the other execution, or why there is none. `steps`: those of the other
 * execution (a reference that is taken), if the decision is DECIDED; `found`: its defects; `end`:
 * how it ends if it has none. NULL: no memory. */
json_t *decided_json(const struct decided *decided, size_t count, json_t *steps,
                     const struct cli_defects *found, const char *end);

#endif
