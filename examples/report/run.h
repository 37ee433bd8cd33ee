/* One execution, as an engine performed it for --report or --shorten. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unfold/unfold.h>

/* Stands for an event: different events have different numbers. */
struct run_event {
  uint64_t key[2];
};

/* No step; no limit. */
#define RUN_NONE SIZE_MAX

struct run {
  /* What is wanted. Choices: before the step of this number, from 0, and later ones. Causes: what
   * each step directly follows. Watched: when the defect is there. Lenient: a step that is not
   * possible is left out. Most: so many steps are performed, and none after them. */
  size_t from, most;
  bool causes_wanted, watched, lenient;
  /* What was done. */
  unf_action *steps;
  struct run_event *events; /* of the steps */
  size_t count, room, event_count, event_room;
  /* What was possible before each step from `from` on: its actions end at `ends`, by number of step
   * less `from`. */
  unf_action *choices;
  size_t choice_count, choice_room;
  size_t *ends;
  size_t end_count, end_room;
  /* The first halves of the keys of what each step directly follows end at `cause_ends`. */
  uint64_t *causes;
  size_t cause_count, cause_room;
  size_t *cause_ends;
  size_t cause_end_count, cause_end_room;
  size_t shown;         /* the defect is there after so many steps; RUN_NONE: never */
  bool defect;          /* it has the defect at its end */
  bool partial, failed; /* not all choices of a step are there; there was no memory */
};

/* A run of which nothing is wanted but its steps, to the end. */
#define RUN_INIT                                                                                   \
  { .from = RUN_NONE, .most = RUN_NONE, .shown = RUN_NONE }

/* For engines: what was possible, then the step that was performed. An unf_action_visitor on the
 * run; there are at most CHOICES_MOST for a step. */
enum { CHOICES_MOST = 64 };
bool run_choice(void *run, const unf_action *action);
/* With the first halves of the keys of what it directly follows, if they are wanted. */
void run_step(struct run *run, const unf_action *action, struct run_event event,
              const uint64_t *causes, size_t count);
void run_free(struct run *run);

/* How often a step is one of another thread than that of the step before. */
uint64_t run_switches(const unf_action *steps, size_t count);

/* What performs executions. */
struct run_engine {
  void *user;
  /* Performs these actions, and then any that are possible, to the end of the execution. False: it
   * could not be performed. */
  bool (*perform)(void *user, const unf_action *actions, size_t count, struct run *out);
  double until; /* by cli_now() */
};

#endif
